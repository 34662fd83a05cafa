/** `yoi demo` on the real program: every claim holds, with and without bubblewrap, and it cleans up after itself. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { aliveIn, aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const limitMs = 20_000;
const claims = [
  "Nothing acknowledged is lost",
  "Nothing runs twice unasked",
  "Nothing is left running",
  "Nobody writes outside the scope",
  "Every prompt can be rebuilt and checked from the log",
];

/** A folder for the demo's own folder, so that a test sees what it leaves. */
function environment(home: TempHome, bubblewrap: boolean): Record<string, string> {
  const temporary = join(home.root, "tmp");
  mkdirSync(temporary);
  if (bubblewrap) return { ...home.env, TMPDIR: temporary };
  // The programs of the launcher and of the demo's commands, and nothing else.
  const programs = join(home.root, "bin");
  mkdirSync(programs);
  for (const name of ["uname", "dirname", "readlink", "ls", "wc", "sleep"])
    symlinkSync(`/usr/bin/${name}`, join(programs, name));
  return { ...home.env, TMPDIR: temporary, PATH: programs };
}

for (const bubblewrap of [true, false]) {
  const skip = bubblewrap ? noBubblewrap() : false;
  test(`the demo proves its claims ${bubblewrap ? "with" : "without"} bubblewrap`, { skip }, async () => {
    using home = tempHome();
    const env = environment(home, bubblewrap);
    const startedMs = performance.now();
    const { code, stdout, stderr } = await runYoi(["demo"], { env, cwd: home.workspace });
    assert.deepEqual([code, stderr], [0, ""], stdout);
    assert.ok(performance.now() - startedMs < limitMs);
    const marks = stdout.split("\n").filter((line) => /^[✔✘]/u.test(line));
    assert.deepEqual(
      marks,
      claims.map((claim) => `✔ ${claim}`),
    );
    assert.equal(stdout.includes("with the sandbox explicitly off"), !bubblewrap);
    assert.deepEqual(readdirSync(join(home.root, "tmp")), [], "the demo's folder is gone");
    assert.deepEqual(readdirSync(home.home), [], "the user's own data is not touched");
    assert.deepEqual(readdirSync(home.workspace), [], "nor is the folder that it was started in");
    assert.deepEqual(aliveIn(home.root), []);
  });

  test(`--json is one object, ${bubblewrap ? "with" : "without"} bubblewrap`, { skip }, async () => {
    using home = tempHome();
    const env = environment(home, bubblewrap);
    const { code, stdout } = await runYoi(["demo", "--json"], { env, cwd: home.workspace });
    assert.equal(code, 0);
    assert.match(stdout, /^\{.*\}\n$/);
    const said = JSON.parse(stdout) as {
      ok: boolean;
      claims: { claim: string; holds: boolean; evidence: string }[];
    };
    assert.deepEqual(Object.keys(said), ["ok", "claims"]);
    assert.equal(said.ok, true);
    const shapes = said.claims.map(({ claim, holds, evidence, ...rest }) => [
      claim,
      holds,
      typeof evidence,
      rest,
    ]);
    assert.deepEqual(
      shapes,
      claims.map((claim) => [claim, true, "string", {}]),
    );
  });
}

test("--keep keeps the folder, and the printed command reads the demo's log", async () => {
  using home = tempHome();
  const env = environment(home, false);
  const { code, stdout } = await runYoi(["demo", "--keep"], { env, cwd: home.workspace });
  assert.equal(code, 0);
  const [, kept = "", command = ""] = /YOI_HOME=(\S+) yoi (.*)\n/.exec(stdout) ?? [];
  assert.ok(kept.startsWith(join(home.root, "tmp")), stdout);
  const asJson = await runYoi(["demo", "--keep", "--json"], { env, cwd: home.workspace });
  const { folder } = JSON.parse(asJson.stdout) as { folder: string };
  assert.ok(existsSync(join(folder, "home/pods/demo/metadata.json")));
  const log = await runYoi(command.split(" "), { env: { ...env, YOI_HOME: kept }, cwd: home.workspace });
  assert.equal(log.code, 0, log.stderr);
  assert.match(log.stdout, /run_completed +finished/);
});

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`${signal} to the demo ends what it started and removes its folder`, async () => {
    using home = tempHome();
    const demo = startYoi(["demo"], { env: environment(home, false), cwd: home.workspace });
    const temporary = join(home.root, "tmp");
    const workspaces = () => readdirSync(temporary).map((name) => join(temporary, name, "home/pods/demo"));
    await eventually("its Pod is there", () => workspaces().some((path) => existsSync(path)), 20_000);
    demo.kill(signal);
    const ended = await demo.ended;
    assert.deepEqual([ended.code, ended.stdout.includes("✔")], [code, false], ended.stdout + ended.stderr);
    assert.deepEqual(readdirSync(temporary), []);
    await eventually("nothing is left running", () => aliveWithEnv(`TMPDIR=${temporary}`).length === 0);
  });
}

test(
  "a demo whose Pod cannot work says so and ends, instead of waiting for it",
  { skip: noBubblewrap() },
  async () => {
    using home = tempHome();
    // Where credentials are, nothing works in the sandbox, whatever is granted: the long command never begins.
    const temporary = join(home.env["HOME"] ?? "", ".ssh");
    mkdirSync(temporary);
    const env = { ...home.env, TMPDIR: temporary };
    const { code, stdout, stderr } = await runYoi(["demo"], { env, cwd: home.workspace, timeoutMs: limitMs });
    assert.equal(code, 1, stdout + stderr);
    assert.match(
      stderr,
      /^yoi: The demo's Pod ended with exit 0 before its long command began: see `yoi doctor`, .+\n$/,
    );
    assert.deepEqual(readdirSync(temporary), []);
  },
);
