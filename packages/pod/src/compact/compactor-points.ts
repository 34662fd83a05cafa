/** The loop points of a compactor: what keeps it within its bounds, whatever its model does. */
import type { SystemItem } from "@yoi/base";
import { type GateDecision, type LoopPoints, noPoints } from "@yoi/worker";
import { finishNow, onlySummaryNow } from "./compactor-prompt.ts";
import { type SummaryDesk, writeSummaryName } from "./write-summary.ts";

export interface CompactorBounds {
  /** Its conversation never holds more. */
  readonly contextTokensMax: number;
  /** With less than this left it is told to finish. */
  readonly warningTokens: number;
  /** With less than this left it may do nothing but finish. */
  readonly reserveTokens: number;
}

/** @param gate whether it may make a call, asked for all but the summary. */
export function compactorPoints(
  desk: SummaryDesk,
  bounds: CompactorBounds,
  gate: LoopPoints["gate"],
): LoopPoints {
  const { contextTokensMax, warningTokens, reserveTokens } = bounds;
  let left = contextTokensMax;
  let isWarned = false;
  return {
    ...noPoints,
    threshold: ({ tokens }) => {
      left = contextTokensMax - tokens;
      return left < 0 ? `its conversation has more than ${contextTokensMax} tokens` : null;
    },
    preRequest: async () => {
      const warn = !isWarned && left < Math.max(warningTokens, reserveTokens);
      isWarned ||= warn;
      return { action: "continue", queued: warn ? [warning(left)] : [] };
    },
    gate: async (call, signal): Promise<GateDecision> => {
      if (call.name === writeSummaryName) return { action: "allow" };
      if (left < reserveTokens) return { action: "deny", reason: onlySummaryNow, refusal: "denied" };
      return gate(call, signal);
    },
    // Nothing is left to ask it.
    afterResult: async () =>
      desk.summary === null && desk.failure === null
        ? { action: "continue" }
        : { action: "abort", reason: "the summary is decided" },
  };
}

function warning(left: number): SystemItem {
  return {
    type: "system_item",
    kind: "notification",
    source: "host",
    reason: "the compactor's room ends",
    body: finishNow(Math.max(0, left)),
  };
}
