/** One Pod, two terminals: the second is told who holds it and changes nothing, and whoever only reads may. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { anthropicFlags, runYoi, startYoi, type YoiOptions } from "../support/yoi-process.ts";

const held = "held";
const done: Answer = { blocks: [{ type: "text", text: "all done" }] };
const waits: Answer = {
  blocks: [
    {
      type: "tool_call",
      name: "Bash",
      arguments: { command: "touch waiting; until test -e go; do sleep 0.02; done; echo went" },
    },
  ],
};

/** Every file below the home with what is in it. Lock files are left out: to read one here would be harmless, and says nothing. */
function contents(home: TempHome): Readonly<Record<string, string>> {
  const files = readdirSync(home.home, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith(".sqlite"),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, createHash("sha256").update(readFileSync(path)).digest("hex")];
    }),
  );
}

/** A run of the Pod that waits in its first command, until the workspace holds `go`. */
async function whileHeld(
  use: (place: {
    readonly home: TempHome;
    readonly options: YoiOptions;
    readonly pid: number;
    readonly run: readonly string[];
    readonly requests: () => number;
  }) => Promise<void>,
): Promise<void> {
  using home = tempHome();
  const server = await startAnthropicServer({
    handler: ({ raw }) => (raw.includes("tool_result") ? done : waits),
  });
  const run = anthropicFlags(held, server.url, "off");
  const options = { env: { ...home.env, ANTHROPIC_API_KEY: "test" }, cwd: home.workspace };
  const owner = startYoi(["run", "go", ...run], options);
  try {
    await eventually("the owner waits", () => readdirSync(home.workspace).includes("waiting"), 20_000);
    await use({ home, options, pid: owner.pid, run, requests: () => server.requests.length });
    await runYoi(["-c", `touch ${home.workspace}/go`], { ...options, command: "/bin/sh" });
    const ended = await owner.ended;
    assert.deepEqual([ended.code, ended.stdout], [0, "all done\n"], ended.stderr);
    const verified = await runYoi(["pod", "verify", held, "--wire"], options);
    assert.equal(verified.code, 0, verified.stderr);
  } finally {
    owner.killGroup("SIGKILL");
    await owner.ended.catch(() => undefined);
    await server.close();
  }
}

test("a second run is told who holds the Pod and since when, ends with 1, and changes nothing", async () => {
  await whileHeld(async ({ home, options, pid, run, requests }) => {
    const before = contents(home);
    for (const prompt of [["and this"], []]) {
      const second = await runYoi(["run", ...prompt, ...run], options);
      assert.deepEqual([second.code, second.stdout], [1, ""], second.stderr);
      assert.match(
        second.stderr,
        new RegExp(
          `^yoi: The Pod ${held} is held by process ${pid} \\(since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z, for run\\): .*\\n$`,
        ),
      );
    }
    const asJson = await runYoi(["run", "and this", ...run, "--output-format", "json"], options);
    assert.equal(asJson.code, 1);
    const { is_error, error_code, pod } = JSON.parse(asJson.stdout) as Record<string, unknown>;
    assert.deepEqual({ is_error, error_code, pod }, { is_error: true, error_code: "pod_held", pod: held });
    assert.deepEqual(contents(home), before);
    assert.equal(requests(), 1);
  });
});

test("pod rm of a held Pod is refused and removes nothing", async () => {
  await whileHeld(async ({ home, options, pid }) => {
    const before = contents(home);
    const removal = await runYoi(["pod", "rm", held], options);
    assert.equal(removal.code, 1);
    assert.match(removal.stderr, new RegExp(`^yoi: The Pod ${held} is held by process ${pid} .*\\n$`));
    assert.deepEqual(contents(home), before);
  });
});

test("readers work while a Pod is held, and leave its owner the lease", async () => {
  await whileHeld(async ({ home, options, pid, run }) => {
    const before = contents(home);
    const readers: readonly (readonly [readonly string[], RegExp])[] = [
      [["pod", "list"], new RegExp(`${held}.* ${pid}\\b`)],
      [["pod", "show", held], new RegExp(String(pid))],
      [["pod", "log", held], /tool_started/],
      [["pod", "verify", held, "--wire"], /held: verified/],
    ];
    for (const [args, expected] of readers) {
      const reader = await runYoi(args, options);
      assert.equal(reader.code, 0, reader.stderr);
      assert.match(reader.stdout, expected, args.join(" "));
    }
    assert.deepEqual(contents(home), before);
    const after = await runYoi(["run", "and this", ...run], options);
    assert.match(after.stderr, new RegExp(`held by process ${pid} `), "the lease is still the owner's");
  });
});

test("a Pod whose owner was killed is free at once, whatever the hint says", async () => {
  using home = tempHome();
  const server = await startAnthropicServer({ handler: (_, index) => (index === 0 ? "silence" : done) });
  const run = anthropicFlags(held, server.url, "off");
  const options = { env: { ...home.env, ANTHROPIC_API_KEY: "test" }, cwd: home.workspace };
  try {
    const owner = startYoi(["run", "go", ...run], options);
    await server.arrived(1);
    owner.kill("SIGKILL");
    await owner.ended;
    assert.ok(readdirSync(join(home.home, "locks")).includes(`${held}.owner`), "the hint is still there");
    const next = await runYoi(["run", ...run], options);
    assert.deepEqual([next.code, next.stdout], [0, "all done\n"], next.stderr);
    const removal = await runYoi(["pod", "rm", held], options);
    assert.equal(removal.code, 0, removal.stderr);
    assert.equal((await runYoi(["pod", "show", held], options)).code, 1);
  } finally {
    await server.close();
  }
});

test("a Pod of the same name in another data directory is another Pod: its commands are not ended", async () => {
  using other = tempHome();
  const server = await startAnthropicServer({ handler: () => done });
  const run = anthropicFlags(held, server.url, "off");
  const options = { env: { ...other.env, ANTHROPIC_API_KEY: "test" }, cwd: other.workspace };
  try {
    assert.equal((await runYoi(["run", "go", ...run], options)).code, 0);
    await whileHeld(async () => {
      const namesake = await runYoi(["run", "go on", ...run], options);
      assert.deepEqual([namesake.code, namesake.stdout], [0, "all done\n"]);
    });
  } finally {
    await server.close();
  }
});
