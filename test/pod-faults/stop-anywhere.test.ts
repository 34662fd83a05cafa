/** Cancel and pause at every moment of a run: the log stays valid, the next request builds, and effects happen at most once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Stop, stopped } from "./stop-anywhere.ts";

for (const kind of ["cancel", "pause"] as const) {
  // Every event is an await or two further on: `npm run prove` stops at each of those.
  for (const { at, step, least } of [
    { at: "disk", step: 1, least: 35 },
    { at: "event", step: 3, least: 13 },
  ] as const) {
    test(`${kind} at every ${at === "disk" ? "operation of the disk" : "third event"} of a run`, async () => {
      const ends = { stopped: 0, finished: 0 };
      for (let nth = 1; ; nth += step) {
        const end = await stoppedAt({ kind, at, nth });
        if (end === false) break;
        ends[end.end] += 1;
      }
      assert.ok(ends.stopped >= least, JSON.stringify(ends));
      // Only what comes when the answer is there already changes nothing.
      assert.ok(ends.finished <= 12, JSON.stringify(ends));
    });
  }
}

test("control: a stop that reaches nobody is noticed", async () => {
  await assert.rejects(
    stopped({ kind: "cancel", at: "disk", nth: 36, delivered: false }),
    /ms after the stop/,
  );
});

async function stoppedAt(stop: Stop): Promise<Awaited<ReturnType<typeof stopped>>> {
  try {
    return await stopped(stop);
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${stop.kind} at ${stop.at} ${stop.nth}: ${what}`, { cause });
  }
}
