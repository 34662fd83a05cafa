/** `yoi demo tickets` on the real program: every claim holds, whatever the user's own machine is like, and it cleans up after itself. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { plant } from "../bad-input/machine.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const claims = 6;
const skip = noBubblewrap();

/** The user's git signs what cannot be signed, their shell is in another repository, and their own skills say something else. */
function environment(home: TempHome): Record<string, string> {
  const user = home.env["HOME"] ?? "";
  plant(join(user, ".gitconfig"), "[commit]\ngpgsign = true\n[gpg]\nprogram = false\n");
  plant(
    join(user, ".agents/skills/ticket-orchestration/SKILL.md"),
    "---\nname: ticket-orchestration\ndescription: Another one.\n---\nDo nothing.\n",
  );
  const temporary = join(home.root, "it's a $(place)");
  mkdirSync(temporary);
  return { ...home.env, TMPDIR: temporary, GIT_DIR: join(home.root, "elsewhere") };
}

async function checkGone(home: TempHome, temporary: string): Promise<void> {
  await eventually("nothing is left running", () => aliveWithEnv(`TMPDIR=${temporary}`).length === 0, 20_000);
  assert.deepEqual(readdirSync(temporary), [], "the demo's folder is gone");
  assert.deepEqual(readdirSync(home.home), [], "the user's own data is not touched");
}

test("the demo of tickets proves its claims", { skip }, async () => {
  using home = tempHome();
  const env = environment(home);
  const { code, stdout, stderr } = await runYoi(["demo", "tickets"], { env, cwd: home.workspace });
  assert.deepEqual([code, stderr], [0, ""], stdout);
  assert.equal(stdout.split("\n").filter((line) => line.startsWith("✔ ")).length, claims, stdout);
  assert.doesNotMatch(stdout, /✘/);
  await checkGone(home, env["TMPDIR"] ?? "");
});

test("SIGTERM to the demo of tickets ends all that it started and removes its folder", { skip }, async () => {
  using home = tempHome();
  const env = environment(home);
  const temporary = env["TMPDIR"] ?? "";
  const demo = startYoi(["demo", "tickets"], { env, cwd: home.workspace });
  const coderIsThere = () =>
    readdirSync(temporary, { recursive: true, encoding: "utf8" }).some((path) =>
      path.endsWith("/pods/coder"),
    );
  await eventually("the coder is there", coderIsThere, 30_000);
  demo.kill("SIGTERM");
  const { code, stdout } = await demo.ended;
  assert.deepEqual([code, stdout.includes("✔")], [143, false], stdout);
  await checkGone(home, temporary);
});

const launcher = ["uname", "dirname", "readlink"];
const missing: readonly (readonly [what: string, programs: readonly string[], says: RegExp])[] = [
  ["git", launcher, /^yoi: This demo needs git, which is nowhere in PATH: install it\.\n$/],
  [
    "a sandbox",
    [...launcher, "git"],
    /^yoi: This demo runs git and tests in the sandbox, and there is none: .*bubblewrap.*\n$/,
  ],
];

for (const [what, programs, says] of missing) {
  test(`the demo of tickets says that it needs ${what}`, async () => {
    using home = tempHome();
    const env = environment(home);
    const bin = join(home.root, "bin");
    mkdirSync(bin);
    for (const name of programs) symlinkSync(`/usr/bin/${name}`, join(bin, name));
    const demo = await runYoi(["demo", "tickets"], { env: { ...env, PATH: bin }, cwd: home.workspace });
    assert.deepEqual([demo.code, demo.stdout], [3, ""]);
    assert.match(demo.stderr, says);
    await checkGone(home, env["TMPDIR"] ?? "");
  });
}
