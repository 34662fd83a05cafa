/** The processes of children as a host begins and ends them: ready when it resolves, gone when its start is given up, ended with their group. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { podName, YoiError } from "@yoi/base";
import { openStores } from "../../packages/cli/src/compose/stores.ts";
import type { Environment } from "../../packages/cli/src/environment.ts";
import { childHost } from "../../packages/cli/src/hosting/child-host.ts";
import { readyCharsMax, startMs } from "../../packages/cli/src/hosting/start-detached.ts";
import { preparedRuntime } from "../../packages/cli/src/runtime/runtime.ts";
import { aliveInGroup, aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, yoiCommand } from "../support/yoi-process.ts";

// A host starts the program that it is itself.
process.argv[1] = join(realpathSync(join(yoiCommand, "..")), "yoi.js");

/** A home with a Pod in it, and what a hosted Pod would have there. @param overdueMs when the time of a start is over. */
async function place(overdueMs: number | null = null) {
  const home = tempHome();
  writeFileSync(join(home.workspace, "s.yaml"), "steps:\n  - text: done\n  - text: done\n");
  const args = ["run", "go", "--pod", "alpha", "-m", "scripted/s.yaml", "--sandbox", "off"];
  const run = await runYoi(args, { env: home.env, cwd: home.workspace });
  assert.equal(run.code, 0, run.stderr);
  const environment: Environment = {
    variables: home.env,
    directories: { data: home.home, config: join(home.home, "config"), runtime: join(home.home, "run") },
    workingDirectory: () => home.workspace,
    home: null,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const opened = openStores(environment);
  const { timers } = opened.host;
  const after: typeof timers.after = (ms, then) =>
    timers.after(ms === startMs && overdueMs !== null ? overdueMs : ms, then);
  const stores = { ...opened, host: { ...opened.host, timers: { ...timers, after } } };
  await preparedRuntime(environment, stores.host);
  const host = childHost({
    environment,
    stores,
    childManifest: () => Promise.reject(new Error("not asked for here")),
    say: () => {},
  });
  return { home, stores, host, left: () => aliveWithEnv(`YOI_HOME=${home.home}`) };
}

const alpha = podName("alpha");
const never = new AbortController().signal;

test("a child is ready when its start resolves, leads its own group, and ends with it; what its process failed with is thrown", async () => {
  const { home, stores, host, left } = await place();
  using _ = home;
  const { pid, socket } = await host.start(alpha, never);
  assert.equal(socket, host.socketOf(alpha));
  assert.ok(aliveInGroup(pid).includes(pid));
  const reached = await host.reach(alpha, "peer");
  assert.equal((await reached.call("show", {})).state, "idle");
  reached.close();
  await assert.rejects(
    host.start(alpha, never),
    (error) => error instanceof YoiError && error.code === "pod_held",
  );
  const owner = await stores.lease.owner(alpha);
  assert.ok(owner?.alive === true && owner.owner.pid === pid);
  assert.equal(host.endGroup({ ...owner.owner, started: owner.owner.started + 1 }), false, "another process");
  assert.deepEqual(left(), [pid]);
  assert.equal(host.endGroup(owner.owner), true);
  // Until it is reaped its row is there, without an environment to find it by.
  await eventually("it is gone", () => left().length === 0 && !host.endGroup(owner.owner));
});

for (const [when, afterMs] of [
  ["before it began", null],
  ["at once", 0],
  ["while it loads", 60],
] as const) {
  test(`a start that is given up ${when} throws the reason once nothing of it is left`, async () => {
    const { home, host, left } = await place();
    using _ = home;
    mkdirSync(join(home.home, "hosts"), { recursive: true });
    const giving = new AbortController();
    const reason = new YoiError("cancelled", "not any more");
    if (afterMs === null) giving.abort(reason);
    const started = assert.rejects(host.start(alpha, giving.signal), (error) => error === reason);
    if (afterMs !== null) {
      await delay(afterMs);
      giving.abort(reason);
    }
    await started;
    assert.deepEqual(left(), []);
    assert.deepEqual(readdirSync(join(home.home, "hosts")), []);
  });
}

test("a start that hangs for too long is given up by itself, and says so", async () => {
  const { home, host, left } = await place(700);
  using _ = home;
  mkdirSync(join(home.home, "hosts"), { recursive: true });
  const started = assert.rejects(
    host.start(alpha, never),
    (error) =>
      error instanceof YoiError &&
      error.code === "io_failed" &&
      error.message.includes("alpha was not ready within 60 s, and was ended"),
  );
  await eventually("it is there", () => left().length > 0);
  for (const pid of left()) process.kill(pid, "SIGSTOP");
  await started;
  assert.deepEqual(left(), []);
  assert.deepEqual(readdirSync(join(home.home, "hosts")), []);
});

test("what a process says before it is ready is read up to a limit, and it is ended beyond that", async () => {
  const { home, host } = await place();
  using _ = home;
  mkdirSync(join(home.home, "hosts"), { recursive: true });
  const babbling = join(home.workspace, "babbling.mjs");
  const program = process.argv[1] ?? "";
  process.argv[1] = babbling;
  try {
    for (const [chars, how] of [
      [readyCharsMax, "exit code 0"],
      [readyCharsMax + 1, "SIGTERM"],
    ] as const) {
      const lives = how === "SIGTERM" ? "setInterval(() => {}, 1000);" : "";
      writeFileSync(babbling, `process.stdout.write("x".repeat(${chars}));${lives}`);
      await assert.rejects(host.start(alpha, never), (error) => String(error).includes(`ready (${how})`));
    }
  } finally {
    process.argv[1] = program;
  }
});
