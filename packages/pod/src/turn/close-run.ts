/** Closing a run: its outcome as the one closing record. */
import { budgetSentence, type EntryBody } from "@yoi/base";
import type { RunOutcome } from "@yoi/worker";

/** How a stop is meant that a client asks for. */
export type StopKind = "cancel" | "pause";

/** What stopped a run: a client, a signal to its process, the close of its Pod, or its time limit. */
export type RunStop =
  | { readonly by: StopKind | "signal" | "close" }
  | { readonly by: "time"; readonly maxMs: number };

/** What a run came to, said as its record says it: the worker knows no other stop than a cancel. */
export function stoppedAs(outcome: RunOutcome, stop: RunStop): RunOutcome {
  if (outcome.kind !== "cancelled") return outcome;
  switch (stop.by) {
    case "cancel":
      return outcome;
    case "pause":
      return { kind: "paused", reason: "user", detail: "paused by the user" };
    case "signal":
      return { kind: "paused", reason: "user", detail: "stopped by a signal" };
    case "close":
      return { kind: "paused", reason: "interrupted", detail: "the Pod was closed" };
    case "time":
      return { kind: "limit_reached", limit: "time", maxMs: stop.maxMs };
  }
}

/** The closing record of a run. A yield without anything that could be done about it pauses the run with that reason. */
export function closingRecord(outcome: RunOutcome): EntryBody {
  switch (outcome.kind) {
    case "finished":
      return { kind: "run_completed", result: "finished" };
    case "limit_reached":
      return {
        kind: "run_completed",
        result: "limit_reached",
        detail: limitOf(outcome),
      };
    case "aborted":
      return { kind: "run_completed", result: "aborted", detail: outcome.reason };
    case "cancelled":
      return { kind: "run_completed", result: "cancelled" };
    case "rolled_back":
      return { kind: "turn_rolled_back", from_seq: outcome.invoke };
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

function limitOf(outcome: Extract<RunOutcome, { kind: "limit_reached" }>): string {
  switch (outcome.limit) {
    case "turns":
      return `turns: ${outcome.max}`;
    case "time":
      return `time: ${outcome.maxMs} ms`;
    case "budget":
      return budgetSentence(outcome);
  }
}
