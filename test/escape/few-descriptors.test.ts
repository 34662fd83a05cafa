/** With few descriptors left a command fails, and not the process that wanted it: whichever of its pipes, or the watchdog, is the one too many. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";

const worker = new URL("few-descriptors-worker.ts", import.meta.url).pathname;

for (const [mode, skip] of [
  ["off", false],
  ["on", noBubblewrap()],
] as const) {
  test(
    `sandbox ${mode}: io_failed with few descriptors, and the command's exit once there are enough`,
    { skip },
    () => {
      const line = ["-c", 'ulimit -n 256; exec "$@"', "sh", process.execPath, worker, mode];
      const { outcomes, watches } = JSON.parse(execFileSync("bash", line, { encoding: "utf8" })) as Readonly<
        Record<"outcomes" | "watches", readonly string[]>
      >;
      assert.deepEqual([...new Set(outcomes)], ["io_failed", "7"]);
      assert.deepEqual(watches, ["io_failed", "watched"]);
    },
  );
}
