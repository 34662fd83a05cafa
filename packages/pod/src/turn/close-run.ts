/** Closing a run: its outcome as the one closing record. */
import type { EntryBody } from "@yoi/base";
import type { RunOutcome } from "@yoi/worker";

/** How a stop asked for from outside is meant. */
export type StopKind = "cancel" | "pause";

/** What a run came to, said as its record says it: the worker knows no other stop than a cancel. */
export function stoppedAs(outcome: RunOutcome, stop: StopKind): RunOutcome {
  if (outcome.kind !== "cancelled" || stop === "cancel") return outcome;
  return { kind: "paused", reason: "user", detail: "stopped by a signal" };
}

/** The closing record of a run. A yield without anything that could be done about it pauses the run with that reason. */
export function closingRecord(outcome: RunOutcome): EntryBody {
  switch (outcome.kind) {
    case "finished":
      return { kind: "run_completed", result: "finished" };
    case "limit_reached":
      return { kind: "run_completed", result: "limit_reached", detail: `${outcome.limit}: ${outcome.max}` };
    case "aborted":
      return { kind: "run_completed", result: "aborted", detail: outcome.reason };
    case "cancelled":
      return { kind: "run_completed", result: "cancelled" };
    case "paused":
      return {
        kind: "run_paused",
        reason: outcome.reason,
        detail: outcome.detail,
        ...(outcome.until === undefined ? {} : { until: outcome.until }),
      };
    case "yielded":
      return { kind: "run_paused", reason: "yield", detail: outcome.reason };
    case "failed":
      return { kind: "run_errored", code: outcome.failure.kind, message: outcome.failure.message };
  }
}
