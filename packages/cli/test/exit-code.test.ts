/** Exit codes and result subtypes: literals that scripts depend on. */
import assert from "node:assert/strict";
import test from "node:test";
import { type ErrorCode, noCost, noUsage } from "@yoi/base";
import type { RunReport } from "@yoi/pod";
import type { RunOutcome } from "@yoi/worker";
import { exitCodeOfError, exitCodeOfRun } from "../src/exit-code.ts";
import { explainOutcome, subtypeOf } from "../src/output/result.ts";

const report = (outcome: RunOutcome, permissionNeeded = false): RunReport => ({
  outcome,
  followed: [],
  accepted: true,
  turns: 1,
  usage: noUsage,
  cost: noCost,
  denials: [],
  permissionNeeded,
});
const failed = (kind: "auth" | "network"): RunOutcome => ({
  kind: "failed",
  failure: { kind, message: "It failed.", retryable: false },
});

test("how a run ended is its exit code and its subtype", () => {
  const table: readonly [RunReport, "SIGINT" | "SIGTERM" | null, number, string][] = [
    [report({ kind: "finished", text: "" }), null, 0, "success"],
    [report({ kind: "finished", text: "" }, true), null, 6, "permission_needed"],
    [report({ kind: "limit_reached", limit: "turns", max: 1 }), null, 5, "limit_turns"],
    [report({ kind: "paused", reason: "user", detail: "d" }), "SIGINT", 130, "interrupted"],
    [report({ kind: "paused", reason: "user", detail: "d" }), "SIGTERM", 143, "interrupted"],
    [report({ kind: "cancelled" }), "SIGINT", 130, "interrupted"],
    [report({ kind: "cancelled" }), "SIGTERM", 143, "interrupted"],
    // By another client of the Pod.
    [report({ kind: "cancelled" }), null, 130, "interrupted"],
    [report({ kind: "rolled_back", invoke: 4 }), null, 130, "interrupted"],
    [report({ kind: "paused", reason: "provider_limit", detail: "" }), null, 75, "paused"],
    [report({ kind: "paused", reason: "hook", detail: "" }), null, 1, "paused"],
    [report({ kind: "yielded", reason: "" }), null, 1, "paused"],
    [report({ kind: "aborted", reason: "" }), null, 1, "aborted"],
    [report(failed("auth")), null, 4, "model_failed"],
    [report(failed("network")), null, 1, "model_failed"],
  ];
  for (const [given, signal, code, subtype] of table) {
    assert.deepEqual(
      [exitCodeOfRun(given, signal), subtypeOf(given)],
      [code, subtype],
      JSON.stringify(given.outcome),
    );
    assert.equal(
      explainOutcome(given, "p") === null,
      code === 0,
      "whatever is not plain success is explained in one sentence",
    );
  }
});

test("error codes map to exit codes", () => {
  const table: readonly [ErrorCode, number][] = [
    ["usage", 2],
    ["prompt_empty", 2],
    ["pod_name_invalid", 2],
    ["workspace_missing", 2],
    ["config_invalid", 3],
    ["provider_unknown", 3],
    ["feature_unknown", 3],
    ["keep_damaged", 3],
    ["schema_newer", 3],
    ["feature_invalid", 3],
    ["credentials_missing", 4],
    ["pod_held", 1],
    ["prompt_refused", 1],
    ["inbox_full", 1],
    ["queue_full", 1],
    ["limit_exceeded", 1],
    ["log_damaged", 1],
    ["metadata_damaged", 1],
    ["disk_full", 1],
    ["permission_denied", 1],
  ];
  for (const [code, exit] of table) assert.equal(exitCodeOfError(code), exit, code);
});
