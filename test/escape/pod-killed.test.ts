/** A Pod killed with SIGKILL in the middle of a command leaves no process of it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { descendantsOf, eventually, isRunning, processesNamed } from "./processes.ts";

const worker = new URL("pod-killed-worker.ts", import.meta.url).pathname;

/** Kills a Pod once its command runs; true when the command's processes, and whatever else it had started, were gone soon after. */
async function killed(
  mode: "on" | "off" | "bare",
  seconds: number,
  before: (pod: number, said: () => string) => Promise<void> = async () => {},
): Promise<boolean> {
  const sleeper = `sleep\0${seconds}`;
  const script = `trap '' HUP; (sleep ${seconds}; true) & bash -c 'sleep ${seconds}; true' & (trap '' TERM; sleep ${seconds}; true)`;
  const pod = spawn(process.execPath, [worker, mode, script], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  pod.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  try {
    assert.ok(await eventually(() => said.includes("started") && processesNamed(sleeper).length >= 3), said);
    await before(pod.pid ?? 0, () => said);
    const all = descendantsOf(pod.pid ?? 0);
    assert.ok(all.length >= (mode === "bare" ? 1 : 3));
    pod.kill("SIGKILL");
    const isGone = () => processesNamed(sleeper).length === 0 && !all.some(isRunning);
    return await eventually(isGone, mode === "bare" ? 2_000 : 10_000);
  } finally {
    pod.kill("SIGKILL");
    for (const pid of processesNamed(sleeper)) process.kill(pid, "SIGKILL");
    const root = /^place (.+)$/m.exec(said)?.[1];
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  }
}

/** Side by side: most of their time is waiting. */
describe("a Pod that is killed", { concurrency: 2 }, () => {
  test("killed without a sandbox: the watchdog ends the command", async () => {
    assert.ok(await killed("off", 4001));
  });

  test("killed without a sandbox after its watchdog was: another watchdog ends the command", async () => {
    const watchdogs = (pod: number): number[] => {
      const own = descendantsOf(pod);
      return processesNamed("while read -r op id").filter((pid) => own.includes(pid));
    };
    const killWatchdog = async (pod: number, said: () => string): Promise<void> => {
      const [first = 0] = watchdogs(pod);
      process.kill(first, "SIGKILL");
      assert.ok(await eventually(() => watchdogs(pod).some((pid) => pid !== first)));
      // The turn that started it has also told it what to watch.
      process.kill(pod, "SIGUSR2");
      assert.ok(await eventually(() => said().includes("beat")));
    };
    assert.ok(await killed("off", 4004, killWatchdog));
  });

  test("killed with the sandbox: the sandbox dies with the Pod", { skip: noBubblewrap() }, async () => {
    assert.ok(await killed("on", 4002));
  });

  test("control: a command of a killed process goes on when nothing ends it", async () => {
    assert.ok(!(await killed("bare", 4003)));
  });
});

test("when the last command has ended, nothing keeps the process: no timer, no pipe, no watchdog", async () => {
  const pod = spawn(process.execPath, [worker, "ends", "echo x"], { stdio: ["ignore", "pipe", "inherit"] });
  let doneAt = 0;
  pod.stdout.on("data", () => (doneAt = performance.now()));
  const code = await new Promise((resolve) => pod.once("exit", resolve));
  assert.equal(code, 0);
  assert.ok(performance.now() - doneAt < 1_000, `${performance.now() - doneAt} ms`);
});
