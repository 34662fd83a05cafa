/** `-c` and `-r`: the last Pod of this directory, a named one, one chosen from a list, and every way of asking wrongly. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { canonicalJson, type JsonObject } from "../../packages/base/src/index.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, type YoiProcess, type YoiResult } from "../support/yoi-process.ts";

const terminal = `--import=${fileURLToPath(new URL("../support/fake-terminal-input.ts", import.meta.url))}`;

/** Two Pods here, used in the order alpha, beta; one elsewhere, used last. Each answers with its name and how often it was asked. */
async function threePods(home: TempHome) {
  const elsewhere = join(home.root, "elsewhere");
  mkdirSync(elsewhere);
  const run = (args: readonly string[], cwd = home.workspace, input?: string): Promise<YoiResult> =>
    runYoi(["run", ...args], {
      cwd,
      env: input === undefined ? home.env : { ...home.env, NODE_OPTIONS: terminal },
      ...(input === undefined ? {} : { input }),
    });
  for (const [pod, directory] of [
    ["alpha", home.workspace],
    ["beta", home.workspace],
    ["gamma", elsewhere],
  ] as const) {
    const steps = ["first", "second", "third"].map((which) => ({ text: `${pod} ${which}` }));
    writeFileSync(join(directory, `${pod}.yaml`), JSON.stringify({ steps }));
    const ran = await run(["go", "--pod", pod, "-m", `scripted/${pod}.yaml`], directory);
    assert.deepEqual([ran.code, ran.stdout], [0, `${pod} first\n`], ran.stderr);
  }
  return { run, elsewhere };
}

// Without bubblewrap a run says so on stderr, which is compared whole.
const skip = noBubblewrap();

test("-c and -r", { skip }, async (t) => {
  using home = tempHome();
  const { run, elsewhere } = await threePods(home);
  const said = async (...args: Parameters<typeof run>) => (await run(...args)).stdout;

  await t.test(
    "-r at a terminal: a list of this directory's Pods, and a wrong number is asked again",
    async () => {
      const chosen = await run(["-r", "--", "more"], home.workspace, "7\n2\n");
      assert.deepEqual([chosen.code, chosen.stdout], [0, "alpha second\n"], chosen.stderr);
      const rows = chosen.stderr.split("\n").slice(0, 3);
      assert.match(rows[0] ?? "", /^ +NAME +STATE +USED +LAST LINE$/);
      assert.match(rows[1] ?? "", /^1 +beta +idle +\d{4}-\d\d-\d\d \d\d:\d\d +beta first$/);
      assert.match(rows[2] ?? "", /^2 +alpha +idle +.* +alpha first$/);
      assert.match(chosen.stderr, /Which one \(1-2\)\? Type a number from 1 to 2, or nothing to leave: /);
    },
  );

  await t.test("no choice: nothing is done", async () => {
    for (const typed of ["", "9\n9\n9\n"]) {
      const left = await run(["-r", "--", "more"], home.workspace, typed);
      assert.deepEqual([left.code, left.stdout], [2, ""]);
      assert.match(left.stderr, /yoi: No Pod was chosen: nothing was done\.\n$/);
    }
  });

  await t.test("-c is the Pod last used in this directory, -r NAME a Pod that there is", async () => {
    const last = await run(["-c", "more"]);
    assert.deepEqual([last.stdout, last.stderr], ["alpha third\n", "Pod alpha\n"]);
    assert.equal(await said(["-r", "beta", "more"]), "beta second\n");
    assert.equal(await said(["-c", "more"]), "beta third\n");
    assert.equal(await said(["-c", "-C", elsewhere, "more"]), "gamma second\n");
    assert.equal(await said(["-r", "gamma", "more"]), "gamma third\n");
  });

  await t.test("asked wrongly: one sentence, exit 2", () => askedWrongly(home, run, elsewhere));
});

async function askedWrongly(
  home: TempHome,
  run: (args: readonly string[], cwd: string) => Promise<YoiResult>,
  elsewhere: string,
): Promise<void> {
  const empty = join(home.root, "empty");
  mkdirSync(empty);
  const nextWord = "-r takes the next word as the name of a Pod, and the prompt comes behind it";
  const cases: readonly (readonly [readonly string[], string, string])[] = [
    [
      ["-c"],
      home.workspace,
      "There is nothing to resume: the last run of this Pod ended. Give a prompt to start a new one.",
    ],
    [
      ["-c", "more"],
      empty,
      `No Pod was used in ${empty} yet: give a prompt without -c and -r to start one, or see \`yoi pod list\`.`,
    ],
    [
      ["-r"],
      home.workspace,
      `-r without a name asks on a terminal, and there is none: name one of the Pods of ${home.workspace}: beta, alpha.`,
    ],
    [
      ["-r", "nobody", "more"],
      home.workspace,
      `There is no Pod named nobody to go on with (${nextWord}): \`yoi pod list\` shows the ones there are.`,
    ],
    [
      ["-r", "fix the test"],
      home.workspace,
      `The Pod name "fix the test" is not valid: use 1 to 64 ASCII letters, digits, "-", "_" or ".", not starting with a dot or a dash. (${nextWord}.)`,
    ],
    [
      ["-r", "alpha", "-C", elsewhere, "more"],
      home.workspace,
      `The Pod alpha works in ${home.workspace}, not in ${elsewhere}: leave out -C, or name another Pod.`,
    ],
    [
      ["-c", "-r", "alpha", "more"],
      home.workspace,
      "Option '-c, --continue' cannot be used with option '-r, --resume [name]'. See `yoi run --help`.",
    ],
    [
      ["-c", "--pod", "alpha", "more"],
      home.workspace,
      "Option '-c, --continue' cannot be used with option '--pod <name>'. See `yoi run --help`.",
    ],
    [
      ["-r", "alpha", "--pod", "alpha", "more"],
      home.workspace,
      "Option '-r, --resume [name]' cannot be used with option '--pod <name>'. See `yoi run --help`.",
    ],
  ];
  for (const [args, directory, sentence] of cases) {
    const { code, stdout, stderr } = await run(args, directory);
    const said = stderr.replace(/^Pod \w+\n/, "");
    assert.deepEqual([code, stdout, said], [2, "", `yoi: ${sentence}\n`], args.join(" "));
  }
}

test(
  "-c: a Pod that was killed was used until then, and one that cannot be read is never passed over",
  { skip },
  async () => {
    using home = tempHome();
    const options = { cwd: home.workspace, env: home.env };
    const scenario = (name: string, text: string, pace: number) =>
      writeFileSync(
        join(home.workspace, `${name}.yaml`),
        JSON.stringify({ pace_ms: pace, chunk: 1, steps: [{ text }, { text: `${name} goes on` }] }),
      );
    scenario("long", "x".repeat(4_000), 10);
    scenario("quick", "Done.", 0);
    const start = (pod: string) =>
      startYoi(["run", "go", "--pod", pod, "--read-only", "-m", `scripted/${pod}.yaml`], options);
    const long = start("long");
    const lastUsed = async () => {
      const { stdout } = await runYoi(["pod", "list", "--json"], options);
      const { pods } = JSON.parse(stdout) as { pods: { name: string; state: string; used_ms: number }[] };
      return pods.toSorted((a, b) => b.used_ms - a.used_ms);
    };
    /** Killed once something of it is on record that is later than all before. */
    const usedAndKilled = async (yoi: YoiProcess) => {
      const fromMs = Date.now();
      for (let looks = 1; ; looks += 1) {
        assert.ok(looks <= 50, "nothing of it is on record as later");
        const [latest] = await lastUsed();
        if (latest?.name === "long" && latest.used_ms > fromMs) break;
      }
      yoi.kill("SIGKILL");
      await yoi.ended;
    };
    await eventually("it is at work", () => existsSync(join(home.home, "pods", "long")), 20_000);
    assert.equal((await start("quick").ended).code, 0);
    await usedAndKilled(long);
    const last = startYoi(["run", "-c"], options);
    await last.waitFor(/^Pod long\n/);
    await usedAndKilled(last);

    const path = join(home.home, "pods", "quick", "metadata.json");
    const { checksum: _, ...fields } = JSON.parse(readFileSync(path, "utf8")) as JsonObject;
    const newer = { ...fields, schema: 99 };
    const checksum = createHash("sha256").update(canonicalJson(newer)).digest("hex");
    for (const [bytes, state, code] of [
      ["{bad", "damaged", 1],
      [JSON.stringify({ ...newer, checksum }), "newer", 3],
    ] as const) {
      writeFileSync(path, bytes);
      assert.equal((await lastUsed()).find(({ name }) => name === "quick")?.state, state);
      const refused = await runYoi(["run", "-c", "meant for quick"], options);
      assert.deepEqual([refused.code, refused.stdout], [code, ""], refused.stderr);
      assert.match(
        refused.stderr,
        /^yoi: Whether the Pod quick was last used here cannot be told, and long was used before it: name one with -r\. The metadata of the Pod quick /,
      );
    }
    await usedAndKilled(startYoi(["run", "-r", "long", "on"], options));
    const goesOn = startYoi(["run", "-c", "on"], options);
    await goesOn.waitFor(/^Pod long\n/);
    goesOn.kill("SIGKILL");
    await goesOn.ended;
  },
);
