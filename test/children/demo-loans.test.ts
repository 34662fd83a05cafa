/** `yoi demo loans` on the real program: every claim holds, with and without bubblewrap, and it cleans up after itself. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const claims = 6;

function environment(home: TempHome, bubblewrap: boolean): Record<string, string> {
  const temporary = join(home.root, "tmp");
  if (bubblewrap) {
    // As odd as one may be: relative, a link, with what a shell takes apart.
    const place = join(home.root, "it's a $(place)");
    mkdirSync(place);
    symlinkSync(place, temporary);
    return { ...home.env, TMPDIR: `../../${basename(home.root)}/tmp` };
  }
  mkdirSync(temporary);
  // The programs of the launcher, and nothing else.
  const programs = join(home.root, "bin");
  mkdirSync(programs);
  for (const name of ["uname", "dirname", "readlink"]) symlinkSync(`/usr/bin/${name}`, join(programs, name));
  return { ...home.env, TMPDIR: temporary, PATH: programs };
}

for (const bubblewrap of [true, false]) {
  const skip = bubblewrap ? noBubblewrap() : false;
  test(
    `the demo of loans proves its claims ${bubblewrap ? "with" : "without"} bubblewrap`,
    { skip },
    async () => {
      using home = tempHome();
      const env = environment(home, bubblewrap);
      const args = bubblewrap ? ["demo", "loans"] : ["demo", "loans", "--json"];
      const { code, stdout, stderr } = await runYoi(args, { env, cwd: home.workspace });
      assert.deepEqual([code, stderr], [0, ""], stdout);
      if (bubblewrap) {
        assert.equal(stdout.split("\n").filter((line) => line.startsWith("✔ ")).length, claims, stdout);
        assert.doesNotMatch(stdout, /✘|shells are not shown/);
      } else {
        const said = JSON.parse(stdout) as { ok: boolean; claims: { holds: boolean }[] };
        assert.deepEqual(
          [said.ok, said.claims.map(({ holds }) => holds)],
          [true, Array(claims).fill(true)],
          stdout,
        );
      }
      assert.deepEqual(readdirSync(join(home.root, "tmp")), [], "the demo's folder is gone");
      assert.deepEqual(readdirSync(home.home), [], "the user's own data is not touched");
      await eventually("nothing is left running", () => aliveWithEnv(`TMPDIR=${env["TMPDIR"]}`).length === 0);
    },
  );
}

/** What stands below the demo's folder when it is told to end. */
const stages: readonly (readonly [string, string])[] = [
  ["its folder is there", "workspace"],
  ["the parent's start has begun", "home/hosts"],
  ["the parent's process has begun", "home/locks"],
  ["the parent is there", "home/pods/lead/metadata.json"],
  ["a child is there", "home/pods/alpha"],
];

test("SIGTERM to the demo of loans, at each stage, ends all that it started and removes its folder", async () => {
  for (const [stage, path] of stages) {
    using home = tempHome();
    const env = environment(home, false);
    const demo = startYoi(["demo", "loans"], { env, cwd: home.workspace });
    const temporary = join(home.root, "tmp");
    await eventually(
      stage,
      () => readdirSync(temporary).some((name) => existsSync(join(temporary, name, path))),
      20_000,
    );
    demo.kill("SIGTERM");
    const { code, stdout, stderr } = await demo.ended;
    assert.deepEqual([code, stdout.includes("✔")], [143, false], `${stage}: ${stdout}${stderr}`);
    await eventually(
      "nothing is left running",
      () => aliveWithEnv(`TMPDIR=${temporary}`).length === 0,
      20_000,
    );
    assert.deepEqual(readdirSync(temporary), [], stage);
  }
});
