/** A hosted tree by the program's commands: its orderly end, a child whose loan came back, and one that is restored through its parent. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Hosting } from "../service/hosted.ts";
import { aliveInGroup, eventually } from "../support/processes.ts";

const noted = '  - text: "Noted."\n'.repeat(6);

/** A parent that lends src/a to alpha, which does nothing with it. */
async function withChild(hosting: Hosting) {
  const { workspace, home } = hosting.home;
  mkdirSync(join(workspace, "src/a"), { recursive: true });
  mkdirSync(join(home, "config/profiles"), { recursive: true });
  writeFileSync(join(workspace, "child.yaml"), `steps:\n${noted}`);
  writeFileSync(
    join(home, "config/profiles/child.toml"),
    'description = "A child"\n\n[model]\nref = "scripted/child.yaml"\n',
  );
  const spawn = {
    name: "alpha",
    profile: "user:child",
    task: "Look.",
    scope: [
      { target: join(workspace, "src/a"), permission: "write" },
      { target: workspace, permission: "read" },
    ],
  };
  const calls = `    tool_calls:\n      - name: SpawnPod\n        arguments: ${JSON.stringify(spawn)}\n`;
  const lead = await hosting.startPod("lead", `steps:\n  - text: "I lend."\n${calls}${noted}`);
  assert.equal((await hosting.yoi("pod", "send", "lead", "go")).code, 0);
  const log = () => JSON.stringify(lead.log());
  await eventually("it was told of the child's run", () => log().includes("alpha finished its run"), 20_000);
  return { lead, log };
}

test("a child that the user restores on its open loan is no looser than its parent is by then, which began anew meanwhile", async () => {
  await using hosting = new Hosting();
  const { lead } = await withChild(hosting);
  const modeOf = async (): Promise<unknown> =>
    JSON.parse((await hosting.yoi("pod", "show", "alpha", "--json")).stdout).manifest.permissions.mode;
  const owner = async (name: string): Promise<number> =>
    JSON.parse((await hosting.yoi("tree", name, "--json")).stdout).pods[0].owner_pid;
  const kill = async (name: string): Promise<void> => {
    const pid = await owner(name);
    process.kill(pid, "SIGKILL");
    await eventually(`${name} is gone`, () => aliveInGroup(pid).length === 0, 10_000);
  };
  assert.equal(await modeOf(), "allow-in-scope");
  await lead.kill9();
  // The child lives, so its loan stays open.
  const again = await hosting.yoi("pod", "start", "lead", "--permission-mode", "deny-unlisted");
  assert.equal(again.code, 0, again.stderr);
  await kill("lead");
  await kill("alpha");
  const restored = await hosting.yoi("pod", "restore", "alpha");
  try {
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(await modeOf(), "deny-unlisted");
  } finally {
    await hosting.yoi("pod", "stop", "alpha");
  }
});

const pidOf = (said: string): number => Number(/pid (\d+)/.exec(said)?.[1]);

test("a child whose loan came back: restored through its parent while that is live, else one sentence; `yoi run` too", async () => {
  await using hosting = new Hosting();
  const { lead, log } = await withChild(hosting);
  const stopped = await hosting.yoi("pod", "stop", "alpha");
  assert.equal(stopped.code, 0, stopped.stderr);
  await eventually("its loan came back", () => log().includes("and its loan came back"), 20_000);

  const restored = await hosting.yoi("pod", "restore", "alpha");
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(
    restored.stdout,
    /^alpha is up: pid \d+, (idle|running), socket \S+, log \S+\/hosts\/alpha\.log\n$/,
  );
  const { pods } = JSON.parse((await hosting.yoi("tree", "lead", "--json")).stdout);
  assert.deepEqual(pods[0].children[0].loan.state, "open");
  assert.equal(pods[0].children[0].owner_pid, pidOf(restored.stdout));

  const end = await lead.stop();
  assert.equal(end.code, 143);
  assert.match(end.stderr, /Z lead ends: SIGTERM\n.*Z lead waits for its children to end: alpha\n/);
  const after = JSON.parse((await hosting.yoi("tree", "lead", "--json")).stdout).pods[0];
  assert.deepEqual(
    [after.children[0].owner_pid, after.children[0].loan.state, after.lent],
    [null, "stopped", []],
    "it ended first, and its loan is back",
  );

  const alone = await hosting.yoi("pod", "restore", "alpha");
  assert.deepEqual(
    // A machine that is busy is told what is waited for, too.
    [alone.code, alone.stdout, alone.stderr.replace(/^yoi: Waiting .*\n/m, "")],
    [
      1,
      "",
      "yoi: The Pod alpha works on what lead lends it, that loan came back, and lead is not live: start that one first with `yoi pod restore lead`, then `yoi pod restore alpha` asks it.\n",
    ],
  );
  const run = await hosting.yoi("run", "go on", "--pod", "alpha");
  assert.deepEqual([run.code, run.stdout], [1, ""]);
  assert.match(
    run.stderr,
    /The Pod alpha is a child of lead, which has taken its loan back: .*`yoi pod restore alpha`/,
  );
});

test("a child with an open loan is restored as any Pod, keeps it where its parent comes back, and ends before it", async () => {
  await using hosting = new Hosting();
  const { lead } = await withChild(hosting);
  const owner = () =>
    JSON.parse(readFileSync(join(hosting.home.home, "locks", "alpha.owner"), "utf8")) as { pid: number };
  await lead.kill9();
  process.kill(owner().pid, "SIGKILL");
  const restored = await hosting.yoi("pod", "restore", "alpha");
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(pidOf(restored.stdout), owner().pid);
  await lead.restore();
  const { pods } = JSON.parse((await hosting.yoi("tree", "lead", "--json")).stdout);
  assert.equal(pods[0].children[0].loan.state, "open", "what lives keeps its loan");
  assert.equal((await lead.stop()).code, 143);
  assert.deepEqual(aliveInGroup(pidOf(restored.stdout)), []);
});
