/** Signals at the edges: while a Pod is being opened, a second one, and a hangup that was to be ignored. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noOwnBubblewrap, yoiWithBubblewrap } from "../support/own-bubblewrap.ts";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, yoiCommand } from "../support/yoi-process.ts";

/** A bubblewrap that takes its time: a Pod that takes its time to open. */
function slowOpening(home: TempHome, seconds: number) {
  const opening = join(home.root, "opening");
  const command = yoiWithBubblewrap(home, `echo > '${opening}'\nsleep ${seconds}\nexit 1`);
  writeFileSync(join(home.workspace, "s.yaml"), "steps:\n  - text: Done.\n");
  const yoi = startYoi(["run", "go", "--pod", "p", "-m", "scripted/s.yaml"], {
    cwd: home.workspace,
    env: home.env,
    command,
  });
  return { yoi, opening: () => eventually("the Pod is being opened", () => existsSync(opening)) };
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143],
] as const) {
  test(
    `${signal} while the Pod is being opened: nothing is sent, it ends at once, and there is no Pod`,
    { skip: noOwnBubblewrap },
    async () => {
      using home = tempHome();
      const { yoi, opening } = slowOpening(home, 8);
      await opening();
      const pressedMs = performance.now();
      yoi.kill(signal);
      const ended = await yoi.ended;
      assert.ok(performance.now() - pressedMs < 4_000, "it waited for what was being opened");
      yoi.killGroup("SIGKILL"); // the slow program
      assert.deepEqual([ended.code, ended.signal, ended.stdout], [code, null, ""], ended.stderr);
      assert.equal(ended.stderr, "yoi: Stopped by a signal before the run began: nothing was sent.\n");
      const listed = await runYoi(["pod", "list", "--json"], { cwd: home.workspace, env: home.env });
      assert.deepEqual(JSON.parse(listed.stdout), { pods: [] });
    },
  );
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(
    `a second ${signal} while the Pod is being opened ends it at once, by the signal`,
    { skip: noOwnBubblewrap },
    async () => {
      using home = tempHome();
      const { yoi, opening } = slowOpening(home, 8);
      await opening();
      const pressedMs = performance.now();
      yoi.kill(signal);
      // The same signal sent again before the first was taken is one signal.
      const again = setInterval(() => yoi.kill(signal), 50);
      const ended = await yoi.ended.finally(() => clearInterval(again));
      assert.deepEqual([ended.code, ended.signal], [null, signal], ended.stderr);
      assert.ok(performance.now() - pressedMs < 4_000, "it waited for what was being opened");
      yoi.killGroup("SIGKILL"); // the slow program
    },
  );
}

/** Starts it from a shell that did `before`, and hangs it up in the middle of a command. */
async function hungUp(home: TempHome, before: string) {
  const command = "echo > up; until [ -e go ]; do sleep 0.05; done";
  const steps = [{ tool_calls: [{ name: "Bash", arguments: { command } }] }, { text: "Done." }];
  writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify({ steps }));
  const run = "run go --pod p -m scripted/s.yaml --sandbox off";
  const child = spawn("bash", ["-c", `${before} "$0" ${run}`, yoiCommand], {
    cwd: home.workspace,
    env: { ...home.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.resume();
  await eventually("the command runs", () => existsSync(join(home.workspace, "up")), 20_000);
  const { pid } = child;
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGHUP");
  // Its stop would be under way by then, and the command gone.
  await new Promise((resolve) => setTimeout(resolve, 300));
  writeFileSync(join(home.workspace, "go"), "");
  const [code] = (await closed) as [number | null];
  await eventually("nothing is left", () => aliveWithEnv(`YOI_HOME=${home.home}`).length === 0);
  return { code, stdout };
}

test("nohup: the run outlives a hangup", async () => {
  using home = tempHome();
  assert.deepEqual(await hungUp(home, "exec nohup"), { code: 0, stdout: "Done.\n" });
  assert.deepEqual(readdirSync(home.workspace).toSorted(), ["go", "s.yaml", "up"]);
});

test("control: without it a hangup stops the run in order", async () => {
  using home = tempHome();
  assert.deepEqual(await hungUp(home, "exec"), { code: 143, stdout: "" });
});
