/** From what a Pod tells to what clients are told of it. */
import { isKnown, type LogEntry, messageOf, YoiError } from "@yoi/base";
import type { CompactionWork, Live, RunEnd, RunEnded } from "@yoi/protocol";
import type { RunOutcome } from "@yoi/worker";
import type { PodEvent } from "../drive/pod-event.ts";
import type { RunReport } from "../drive/run-report.ts";

/** Runs that followed, and denials, that are told with the end of a run: the last ones. All of them are in the log. */
export const runListMax = 1_024;

/**
 * Null: a record says it, or nobody needs it.
 * @param request seq of the request that is being answered; null: not known, and then nothing is said of its blocks.
 */
export function liveOf(event: PodEvent, request: number | null): Live | null {
  switch (event.type) {
    case "state":
      return { type: "state", state: event.state };
    case "turn_start":
      return { type: "turn", turn: event.turn };
    case "block_start": {
      const { index, block, name = null } = event;
      return request === null ? null : { type: "block_start", request, index, block, name };
    }
    case "block_delta": {
      const { index, block, text } = event;
      return request === null ? null : { type: "delta", request, index, block, text };
    }
    case "tool_start": {
      const { call, name, title } = event;
      return { type: "tool_start", call, name, title };
    }
    case "tool_progress":
      return { type: "tool_progress", call: event.call, text: event.text };
    case "retry": {
      const { attempt, attemptsMax, waitMs, failure } = event;
      return {
        type: "retry",
        request,
        attempt,
        attempts_max: attemptsMax,
        wait_ms: waitMs,
        error_code: failure.kind,
        message: failure.message,
        status: failure.status ?? null,
      };
    }
    case "continuation": {
      const { attempt, attemptsMax, reason } = event;
      return { type: "continuation", request, attempt, attempts_max: attemptsMax, reason };
    }
    case "alert": {
      const { level, source, message, at } = event.alert;
      return { type: "alert", level, source, message, at };
    }
    case "run_ended":
      return { type: "run_ended", run: runEnded(event.run, event.report) };
    case "run_failed": {
      const code = event.error instanceof YoiError ? event.error.code : "internal";
      return { type: "run_failed", run: event.run, code, message: messageOf(event.error) };
    }
    // Each has a record that says it.
    case "request_recorded":
    case "answer":
    case "text":
    case "tool_end":
    case "denied":
      return null;
  }
}

/** Null: the entry says nothing of a compaction. */
export function compactionOf(entry: LogEntry): Live | null {
  if (!isKnown(entry)) return null;
  if (entry.kind === "compaction_begun") return { type: "compaction_begun", ...compactionWork(entry) };
  if (entry.kind !== "compacted") return null;
  const { trigger, outcome, message = null } = entry;
  const { tokens_before, tokens_after, items_before, items_after } = entry;
  return {
    type: "compaction_ended",
    trigger,
    outcome,
    message,
    tokens_before,
    tokens_after,
    items_before,
    items_after,
  };
}

export function compactionWork({ trigger, tokens }: CompactionWork): CompactionWork {
  return { trigger, tokens };
}

export function runEnded(run: string | null, report: RunReport): RunEnded {
  const { usage, cost, turns, permissionNeeded, denials } = report;
  return {
    run,
    end: report.accepted ? endOf(report.outcome) : endOfUnrecorded(report.outcome),
    followed: report.followed.slice(-runListMax).map(endOf),
    turns,
    usage,
    cost,
    denials: denials
      .slice(-runListMax)
      .map(({ call, tool, target, reason, kind }) => ({ call, tool, target, reason, kind })),
    permission_needed: permissionNeeded,
  };
}

/** Whoever stopped it, and whatever for: there is nothing to go on with, and its input goes back to who gave it. */
function endOfUnrecorded(outcome: RunOutcome): RunEnd {
  return outcome.kind === "cancelled" || outcome.kind === "paused" ? { kind: "rolled_back" } : endOf(outcome);
}

function endOf(outcome: RunOutcome): RunEnd {
  switch (outcome.kind) {
    case "finished":
      return { kind: "finished", text: outcome.text };
    case "limit_reached":
      return outcome.limit === "time"
        ? { kind: "limit_reached", limit: "time", max: outcome.maxMs }
        : outcome;
    case "paused": {
      const { reason, detail, until = null } = outcome;
      return { kind: "paused", reason, detail, until };
    }
    case "yielded":
    case "aborted":
      return { kind: outcome.kind, reason: outcome.reason };
    case "cancelled":
      return { kind: "cancelled" };
    case "rolled_back":
      return { kind: "rolled_back" };
    case "failed": {
      const { kind, message, retryable } = outcome.failure;
      return { kind: "failed", failure: kind, message, retryable };
    }
  }
}
