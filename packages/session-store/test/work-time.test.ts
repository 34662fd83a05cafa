/** The time of work: that in which runs go on; not that in which nobody had the log, all waited for the user, or the machine slept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type EntryBody, type LogEntry } from "@yoi/base";
import { WorkTime, workGapMsMax } from "../src/index.ts";

const hour = 60 * 60 * 1000;
const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
const done: EntryBody = { kind: "run_completed", result: "finished" };
const call = (index: number) => callId(5, index);
const asked = (index: number): EntryBody => ({
  kind: "approval_asked",
  call: call(index),
  digest: "d",
  reason: "r",
  expires: 9,
});
const answered = (index: number): EntryBody => ({
  kind: "approval_answered",
  call: call(index),
  digest: "d",
  answer: "allow",
});
const started = (index: number): EntryBody => ({ kind: "tool_started", call: call(index) });
const result = (index: number): EntryBody => ({
  kind: "tool_result",
  item: { type: "tool_result", call: call(index), name: "Bash", summary: "s", is_error: false },
});

function timeOf(...steps: readonly (readonly [ms: number, body: EntryBody])[]): number {
  const time = new WorkTime();
  for (const [seq, [ts, body]] of steps.entries()) time.take({ seq, batch: seq, ts, ...body } as LogEntry);
  return time.ms;
}

const rows: readonly [string, ReturnType<typeof timeOf>, number][] = [
  ["a run", timeOf([5, invoke], [905, done], [5_000, invoke]), 900],
  [
    "not before another process had it",
    timeOf([0, invoke], [700, { kind: "opened", epoch: 2, version: "1" }], [900, done]),
    200,
  ],
  [
    "not while all waits for the user",
    timeOf(
      [0, invoke],
      [10, asked(0)],
      [8 * hour, answered(0)],
      [8 * hour + 5, started(0)],
      [8 * hour + 9, done],
    ),
    19,
  ],
  [
    "nor until it expired",
    timeOf([0, invoke], [10, asked(0)], [8 * hour, result(0)], [8 * hour + 5, done]),
    15,
  ],
  [
    "but while another call is at work",
    timeOf(
      [0, invoke],
      [10, started(1)],
      [10, asked(0)],
      [60, result(1)],
      [hour, answered(0)],
      [hour + 1, done],
    ),
    61,
  ],
  [
    "no more between two entries than the limit",
    timeOf([0, invoke], [workGapMsMax, started(0)], [2 * workGapMsMax + 1, done]),
    2 * workGapMsMax,
  ],
  ["and never less than nothing", timeOf([50, invoke], [20, started(0)], [30, done]), 10],
];
for (const [name, ms, expected] of rows) test(name, () => assert.equal(ms, expected));
