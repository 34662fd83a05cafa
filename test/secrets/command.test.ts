/** `yoi secret`: what is kept, with which modes, from a pipe and from a terminal, and what is refused. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, yoiCommand, type YoiResult } from "../support/yoi-process.ts";
import { canary } from "./canary.ts";

const id = "providers/anthropic/default";

function secret(home: TempHome, args: readonly string[], input?: string): Promise<YoiResult> {
  return runYoi(["secret", ...args], {
    env: home.env,
    cwd: home.workspace,
    ...(input === undefined ? {} : { input }),
  });
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("a value from a pipe is kept in a file of its own that only the user may read, listed by id, and removed", async () => {
  using home = tempHome();
  const value = canary("kept");
  const set = await secret(home, ["set", id], `${value}\n`);
  assert.deepEqual([set.code, set.stdout], [0, `Kept the secret ${id}.\n`]);
  assert.match(
    set.stderr,
    /^yoi: There is no keychain of the system to encrypt it with \(no Secret Service is running\): .* the mode of its file, 0600, alone\.\n$/,
  );
  await secret(home, ["set", "web/brave/default", "--json"], value);
  const directory = join(home.home, "keep/secrets");
  assert.deepEqual(readdirSync(directory), ["providers+anthropic+default.json", "web+brave+default.json"]);
  assert.deepEqual(
    [modeOf(join(home.home, "keep")), modeOf(directory), modeOf(join(directory, "web+brave+default.json"))],
    ["700", "700", "600"],
  );
  const list = await secret(home, ["list", "--json"]);
  assert.deepEqual(JSON.parse(list.stdout), {
    secrets: [
      { id, protection: "file_mode" },
      { id: "web/brave/default", protection: "file_mode" },
    ],
  });
  assert.ok(!(list.stdout + (await secret(home, ["list"])).stdout).includes(value));
  assert.deepEqual(JSON.parse((await secret(home, ["rm", id, "--json"])).stdout), { removed: id });
  const gone = await secret(home, ["rm", id]);
  assert.deepEqual(
    [gone.code, gone.stderr],
    [4, `yoi: There is no secret ${id}: see \`yoi secret list\`.\n`],
  );
});

const refusals: readonly (readonly [string, readonly string[], string | undefined, RegExp])[] = [
  ["an id that is none", ["set", "/x"], "value", /^yoi: The id of a secret begins with "\/"/],
  ["no value", ["set", id], "", /^yoi: There is no value on standard input/],
  ["nothing on standard input", ["set", id], undefined, /^yoi: There is no value on standard input/],
  ["lines", ["set", id], "one\ntwo\n", /one line of text/],
  [
    "the value as an argument",
    ["set", id, "sk-typed-value-1"],
    "",
    /^yoi: The command line takes the id of a secret/,
  ],
  [
    "the value as an option",
    ["set", id, "--value=sk-typed-value-1"],
    "",
    /^yoi: The command line takes the id/,
  ],
];
test("what is no id or no value is usage, in a sentence that repeats no value", async () => {
  using home = tempHome();
  for (const [name, args, input, says] of refusals) {
    const { code, stdout, stderr } = await secret(home, args, input);
    assert.equal(code, 2, name);
    assert.match(stderr, says, name);
    assert.ok(!(stdout + stderr).includes("sk-typed"), name);
  }
  const bytes = await runYoi(["secret", "set", id], {
    env: home.env,
    cwd: home.workspace,
    input: Buffer.of(0xff, 0xfe),
  });
  assert.deepEqual([bytes.code, bytes.stderr], [2, "yoi: The value on standard input is not UTF-8 text.\n"]);
  assert.deepEqual(readdirSync(home.home), []);
});

test("secrets set at the same time are all there", async () => {
  using home = tempHome();
  const ids = ["a", "b", "c"].map((name) => `providers/${name}/default`);
  const results = await Promise.all(ids.map((each) => secret(home, ["set", each], `value of ${each}`)));
  assert.deepEqual(
    results.map(({ code }) => code),
    ids.map(() => 0),
  );
  const { secrets } = JSON.parse((await secret(home, ["list", "--json"])).stdout) as {
    secrets: { id: string }[];
  };
  assert.deepEqual(
    secrets.map((each) => each.id),
    ids,
  );
});

test("a place that others can get at is refused, by every verb, and named", async () => {
  using home = tempHome();
  await secret(home, ["set", id], canary("kept"));
  const directory = join(home.home, "keep/secrets");
  const refusedWith = async (
    says: RegExp,
    verbs: readonly (readonly string[])[] = [["list"]],
  ): Promise<void> => {
    for (const args of verbs) {
      const { code, stderr } = await secret(home, args, "another value");
      assert.deepEqual([code, says.test(stderr)], [1, true], stderr);
    }
  };
  chmodSync(directory, 0o750);
  await refusedWith(/keep\/secrets may be used by others \(mode 750\): run chmod 700 on it/);
  chmodSync(directory, 0o700);
  chmodSync(join(directory, "providers+anthropic+default.json"), 0o644);
  await refusedWith(/default\.json may be used by others \(mode 644\): run chmod 600 on it/, [["rm", id]]);
  chmodSync(join(directory, "providers+anthropic+default.json"), 0o600);
  if (process.getuid?.() === 0) {
    chownSync(directory, 65534, 65534);
    await refusedWith(/keep\/secrets belongs to another user/);
    chownSync(directory, 0, 0);
  }
  const elsewhere = join(home.root, "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  renameSync(directory, join(elsewhere, "secrets"));
  symlinkSync(join(elsewhere, "secrets"), directory);
  await refusedWith(/keep\/secrets is a symbolic link/, [["list"], ["set", id], ["rm", id]]);
  assert.deepEqual(
    readdirSync(join(elsewhere, "secrets")),
    ["providers+anthropic+default.json"],
    "nothing was touched",
  );
});

const noScript =
  spawnSync("script", ["--version"]).status === 0 ? false : "no script(1) to make a terminal with";

interface Typed {
  readonly code: number | null;
  readonly shown: string;
}

/** Types into the program at a terminal, once it asks. */
async function typed(home: TempHome, keys: string): Promise<Typed> {
  const child = spawn("script", ["-qfec", `${yoiCommand} secret set ${id}`, "/dev/null"], {
    env: { ...home.env, TERM: "xterm" },
    cwd: home.workspace,
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  await eventually("it asks", () => shown.includes("it is not shown"), 20_000);
  child.stdin.write(keys);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, shown };
}

test("a value typed at a terminal is kept and never shown", { skip: noScript }, async () => {
  using home = tempHome();
  const value = canary("typed");
  const kept = await typed(home, `${value}x\u007f\r`);
  assert.equal(kept.code, 0, kept.shown);
  assert.ok(!kept.shown.includes(value.slice(0, 12)), kept.shown);
  const listed = await secret(home, ["list"]);
  assert.match(listed.stdout, /providers\/anthropic\/default/);
  const stored = spawnSync("cat", [join(home.home, "keep/secrets/providers+anthropic+default.json")]);
  assert.equal(
    (JSON.parse(stored.stdout.toString()) as { value: string }).value,
    value,
    "the correction counts",
  );
});

test("a prompt that is left keeps nothing", { skip: noScript }, async () => {
  using home = tempHome();
  const left = await typed(home, "sk-half-\u0003");
  assert.equal(left.code, 130, left.shown);
  assert.match(left.shown, /Nothing was typed: no secret is kept\./);
  assert.deepEqual(readdirSync(home.home), []);
});
