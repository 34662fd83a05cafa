/** Pauses: what passes by itself, for how long, and how that grows while no answer comes, also over a restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { limitMsMax, type ModelEvent, type ModelFailure, withStream } from "@yoi/model";
import { continuationWaitMs, limitWaits, networkWaits, pauseFor, pauseWaitMs } from "../src/pause.ts";
import { bench } from "./support/bench-worker.ts";

const nowMs = Date.UTC(2026, 0, 1);
const failure = (kind: ModelFailure["kind"], more: Partial<ModelFailure> = {}): ModelFailure => ({
  kind,
  message: "Why.",
  retryable: true,
  ...more,
});

test("waits double up to the longest", () => {
  const minutes = [0, 1, 2, 3, 4, 5, 6, 2000].map((before) => pauseWaitMs(limitWaits, before) / 60_000);
  assert.deepEqual(minutes, [1, 2, 4, 8, 16, 30, 30, 30]);
  const seconds = [0, 1, 5, 6, 2000].map((before) => pauseWaitMs(networkWaits, before) / 1000);
  assert.deepEqual(seconds, [15, 30, 480, 600, 600]);
});

test("an answer that broke off is gone on with at once, and then after waits that double", () => {
  assert.deepEqual([1, 2, 3, 4].map(continuationWaitMs), [0, 500, 1000, 2000]);
});

test("a limit and a lost network pause, what time does not mend does not", () => {
  type Row = readonly [ModelFailure, number, "provider_limit" | "network" | null, number?];
  const rows: readonly Row[] = [
    [failure("rate_limit"), 0, "provider_limit", 60_000],
    [failure("rate_limit", { retryAfterMs: 0 }), 1, "provider_limit", 120_000],
    [failure("rate_limit", { retryAfterMs: 1000 }), 0, "provider_limit", 1000],
    // Its word did not hold.
    [failure("rate_limit", { retryAfterMs: 1000 }), 1, "provider_limit", 60_000],
    [failure("rate_limit", { retryAfterMs: 1000 }), 2, "provider_limit", 120_000],
    [failure("rate_limit", { retryAfterMs: 7_200_000 }), 9, "provider_limit", 7_200_000],
    [failure("overloaded", { retryAfterMs: 301_000 }), 0, "provider_limit", 301_000],
    [failure("overloaded"), 0, "network", 15_000],
    [failure("rate_limit", { retryAfterMs: limitMsMax }), 0, "provider_limit", limitMsMax],
    [failure("rate_limit", { retryAfterMs: limitMsMax + 1 }), 0, "provider_limit", limitMsMax],
    [failure("network", { retryAfterMs: limitMsMax + 1 }), 0, "network", limitMsMax],
    [failure("network"), 0, "network", 15_000],
    [failure("timeout"), 2, "network", 60_000],
    [failure("network", { retryable: false }), 0, null],
    [failure("server", { retryAfterMs: 1000 }), 0, "network", 15_000],
    [failure("server", { retryable: false }), 0, null],
    [failure("stream_broken"), 1, "network", 30_000],
    [failure("stream_broken", { retryable: false }), 0, null],
    [failure("auth", { retryable: false }), 0, null],
  ];
  for (const [given, before, reason, waitMs] of rows) {
    const expected =
      reason === null ? null : { kind: "paused", reason, detail: "Why.", until: nowMs + (waitMs ?? 0) };
    assert.deepEqual(pauseFor(given, { nowMs, before }), expected, JSON.stringify([given, before]));
  }
});

test("while no answer comes each pause is longer, counted in the log; an answer begins anew", async () => {
  const isLost = [true, true, false, true, false];
  let failedMs = 0;
  const b = bench({
    scenario: "steps: [{ text: a }, { text: b }]",
    model: (scripted) =>
      withStream(scripted, (request, options) => {
        if (isLost.shift() !== true) return scripted.stream(request, options);
        failedMs = b.host.clock.now();
        return lost();
      }),
  });
  const waits: (number | string)[] = [];
  for (const text of ["go", null, null, "again", null]) {
    const outcome = await b.run(text);
    waits.push(outcome.kind === "paused" ? (outcome.until ?? 0) - failedMs : outcome.kind);
    if (outcome.kind === "paused")
      await b.history.append([{ kind: "run_paused", reason: outcome.reason, detail: outcome.detail }]);
  }
  assert.deepEqual(waits, [15_000, 30_000, "finished", 15_000, "finished"]);
  b.history.assertReplays();
});

async function* lost(): AsyncGenerator<ModelEvent> {
  yield { type: "failure", failure: failure("network"), usage: null };
}
