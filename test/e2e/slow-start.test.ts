/** A start that does not come to its end: --timeout and a signal end it, whatever it waits for. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, yoiCommand } from "../support/yoi-process.ts";

/** A server that takes every request and answers none. */
async function silentServer() {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    flags: ["--base-url", `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`],
    asked: () => once(server, "request"),
    [Symbol.dispose]: () => void server.close().closeAllConnections(),
  };
}

async function result(ended: Promise<{ code: number | null; stdout: string; stderr: string }>) {
  const { code, stdout, stderr } = await ended;
  const { subtype, error_code, pod, num_turns, duration_ms } = JSON.parse(stdout) as Record<string, unknown>;
  return { facts: [code, subtype, error_code, pod, num_turns], durationMs: Number(duration_ms), stderr };
}

async function pods({ env, workspace }: TempHome): Promise<unknown> {
  return JSON.parse((await runYoi(["pod", "list", "--json"], { env, cwd: workspace })).stdout);
}

/** Side by side: most of their time is waiting. */
describe("a start that waits", { concurrency: 2 }, () => {
  test("--timeout and Ctrl-C end the wait for a model list, and leave no Pod", async () => {
    using home = tempHome();
    using server = await silentServer();
    const options = { env: home.env, cwd: home.workspace };
    const flags = ["run", "go", "--pod", "p", "--output-format", "json", ...server.flags];
    const late = await result(runYoi([...flags, "--timeout", "2"], options));
    assert.deepEqual(late.facts, [5, "limit_time", "limit_time", null, 0]);
    assert.ok(late.durationMs >= 2_000 && late.durationMs < 6_000, String(late.durationMs));
    assert.match(
      late.stderr,
      /^Waiting for the server at 127\.0\.0\.1:\d+ to list its models\.\nyoi: The time limit of 2 s was over before the run began: nothing was sent\.\n$/,
    );
    const asked = server.asked();
    const yoi = startYoi(flags, options);
    await asked;
    const pressedMs = performance.now();
    yoi.kill("SIGINT");
    const stopped = await result(yoi.ended);
    assert.deepEqual(stopped.facts, [130, "interrupted", "interrupted", null, 0]);
    assert.ok(performance.now() - pressedMs < 3_000, "it waited for the server");
    assert.deepEqual(await pods(home), { pods: [] });
  });

  test("--timeout and SIGTERM end the wait for standard input", async () => {
    using home = tempHome();
    for (const [flags, signal, code, subtype] of [
      [["--timeout", "1"], null, 5, "limit_time"],
      [[], "SIGTERM", 143, "interrupted"],
    ] as const) {
      const args = ["run", "-m", "scripted/none.yaml", "--output-format", "json", ...flags];
      const yoi = spawn(yoiCommand, args, { env: home.env, cwd: home.workspace, stdio: "pipe" });
      let [stdout, stderr] = ["", ""];
      yoi.stdout.on("data", (text) => (stdout += String(text)));
      const waited = new Promise<void>((resolve) =>
        yoi.stderr.on("data", (text) => {
          stderr += String(text);
          if (stderr.includes("Waiting for the prompt on standard input")) resolve();
        }),
      );
      if (signal !== null) void waited.then(() => yoi.kill(signal));
      const [ended] = (await once(yoi, "close")) as [number | null];
      const { facts } = await result(Promise.resolve({ code: ended, stdout, stderr }));
      assert.deepEqual(facts, [code, subtype, subtype, null, 0], stderr);
    }
    assert.deepEqual(await pods(home), { pods: [] });
  });
});
