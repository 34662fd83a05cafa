/** The closing record of every outcome. */
import assert from "node:assert/strict";
import test from "node:test";
import type { RunOutcome } from "@yoi/worker";
import { closingRecord, stoppedAs } from "../../src/turn/close-run.ts";

test("each outcome has its one closing record", () => {
  const table: readonly [RunOutcome, object][] = [
    [
      { kind: "finished", text: "t" },
      { kind: "run_completed", result: "finished" },
    ],
    [
      { kind: "limit_reached", limit: "turns", max: 3 },
      { kind: "run_completed", result: "limit_reached", detail: "turns: 3" },
    ],
    [
      { kind: "limit_reached", limit: "time", maxMs: 1500 },
      { kind: "run_completed", result: "limit_reached", detail: "time: 1500 ms" },
    ],
    [
      { kind: "aborted", reason: "no" },
      { kind: "run_completed", result: "aborted", detail: "no" },
    ],
    [
      { kind: "paused", reason: "provider_limit", detail: "later", until: 5 },
      { kind: "run_paused", reason: "provider_limit", detail: "later", until: 5 },
    ],
    [
      { kind: "paused", reason: "hook", detail: "wait" },
      { kind: "run_paused", reason: "hook", detail: "wait" },
    ],
    [
      { kind: "paused", reason: "user", detail: "stopped by a signal" },
      { kind: "run_paused", reason: "user", detail: "stopped by a signal" },
    ],
    [{ kind: "cancelled" }, { kind: "run_completed", result: "cancelled" }],
    [
      { kind: "rolled_back", invoke: 7 },
      { kind: "turn_rolled_back", from_seq: 7 },
    ],
    [
      { kind: "yielded", reason: "full" },
      { kind: "run_paused", reason: "yield", detail: "full" },
    ],
    [
      { kind: "failed", failure: { kind: "auth", message: "no key", retryable: false } },
      { kind: "run_errored", code: "auth", message: "no key" },
    ],
  ];
  for (const [outcome, record] of table) assert.deepEqual(closingRecord(outcome), record);
});

test("a run that a pause or its time limit stopped says so, in the report as on record; any other end stands", () => {
  assert.deepEqual(stoppedAs({ kind: "cancelled" }, { by: "pause" }), {
    kind: "paused",
    reason: "user",
    detail: "paused by the user",
  });
  assert.deepEqual(stoppedAs({ kind: "cancelled" }, { by: "signal" }), {
    kind: "paused",
    reason: "user",
    detail: "stopped by a signal",
  });
  assert.deepEqual(stoppedAs({ kind: "cancelled" }, { by: "time", maxMs: 5 }), {
    kind: "limit_reached",
    limit: "time",
    maxMs: 5,
  });
  assert.deepEqual(stoppedAs({ kind: "cancelled" }, { by: "cancel" }), { kind: "cancelled" });
  assert.deepEqual(stoppedAs({ kind: "cancelled" }, { by: "close" }), {
    kind: "paused",
    reason: "interrupted",
    detail: "the Pod was closed",
  });
  const finished: RunOutcome = { kind: "finished", text: "t" };
  for (const stop of [{ by: "pause" }, { by: "close" }, { by: "time", maxMs: 5 }] as const)
    assert.equal(stoppedAs(finished, stop), finished);
});
