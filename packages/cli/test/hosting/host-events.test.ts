/** What a hosting process's log tells of a Pod's events: alerts and how runs ended, and nothing else. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import type { PodEvent, RunReport } from "@yoi/pod";
import { hostLine } from "../../src/hosting/host-events.ts";

function report(outcome: RunReport["outcome"]): RunReport {
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
  const cost = { nano_usd: 0, unpriced_requests: 0 };
  const nothing = { followed: [], turns: 1, usage, cost, denials: [], permissionNeeded: false };
  return { outcome, accepted: true, ...nothing };
}

function alert(source: string): PodEvent {
  return { type: "alert", alert: { level: "warn", source, message: "Look.", at: 0 } };
}

const rows: readonly (readonly [string, PodEvent, string | null])[] = [
  ["an alert of the host", alert("host"), "warn: Look."],
  ["an alert of a feature", alert("builtin:task"), "warn: builtin:task: Look."],
  [
    "a run that finished: its text is in the log of the Pod",
    { type: "run_ended", run: "7", report: report({ kind: "finished", text: "Secret plans." }) },
    "run 7 finished",
  ],
  [
    "a run that was stopped before it was on record",
    { type: "run_ended", run: null, report: report({ kind: "cancelled" }) },
    "run cancelled: The run was stopped; everything up to here is in the log: `yoi run --pod p` goes on with it.",
  ],
  [
    "a run whose record could not be written",
    { type: "run_failed", run: "7", error: new YoiError("disk_full", "The disk is full.") },
    "error: a run could not be put on record: The disk is full. When that lasts, `yoi pod stop p && yoi pod restore p` reads the log anew.",
  ],
  ["a state", { type: "state", state: "running" }, null],
];

for (const [what, event, line] of rows) {
  test(`host log of ${what}`, () => {
    assert.equal(hostLine(event, "p"), line);
  });
}
