/** What a run in another process came to, as what one in this process does. */
import type { CallId, PauseReason } from "@yoi/base";
import { parseEntryId, type RunReport } from "@yoi/pod";
import type { RunEnd, RunEnded } from "@yoi/protocol";

type Outcome = RunReport["outcome"];
type FailureKind = Extract<Outcome, { kind: "failed" }>["failure"]["kind"];

export function reportOf(ended: RunEnded): RunReport {
  return {
    outcome: outcomeOf(ended.end, ended.run),
    followed: ended.followed.map((end) => outcomeOf(end, null)),
    accepted: ended.run !== null,
    turns: ended.turns,
    usage: ended.usage,
    cost: ended.cost,
    denials: ended.denials.map((denial) => ({ ...denial, call: denial.call as CallId })),
    permissionNeeded: ended.permission_needed,
  };
}

/** Reasons and kinds are the words of the process that hosts the Pod. */
function outcomeOf(end: RunEnd, run: string | null): Outcome {
  switch (end.kind) {
    case "finished":
    case "aborted":
    case "yielded":
    case "cancelled":
      return end;
    case "limit_reached":
      return limitOf(end);
    case "paused": {
      const { kind, detail, until } = end;
      return { kind, reason: end.reason as PauseReason, detail, ...(until === null ? {} : { until }) };
    }
    case "rolled_back":
      return { kind: "rolled_back", invoke: parseEntryId(run ?? "")?.seq ?? 0 };
    case "failed": {
      const { message, retryable } = end;
      return { kind: "failed", failure: { kind: end.failure as FailureKind, message, retryable } };
    }
  }
}

function limitOf(end: Extract<RunEnd, { kind: "limit_reached" }>): Outcome {
  switch (end.limit) {
    case "turns":
      return { kind: "limit_reached", limit: "turns", max: end.max };
    case "time":
      return { kind: "limit_reached", limit: "time", maxMs: end.max };
    case "budget":
      return end;
  }
}
