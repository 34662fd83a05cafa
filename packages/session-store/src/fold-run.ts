/** What the fold knows of runs: a paused one, and what goes on over segments. */
import type { PauseReason, RunPaused, SegmentStart } from "@yoi/base";
import type { CompactionsInRow, RunState } from "./session-state.ts";

/** @param since seq of what says so. */
export function pausedRun(paused: Pick<RunPaused, "reason" | "detail" | "until">, since: number): RunState {
  const { reason, detail = "", until = null } = paused;
  return { state: "paused", since, reason, detail, until };
}

/** It is over with time alone. */
export function passesByItself(reason: PauseReason): boolean {
  return reason === "provider_limit" || reason === "network";
}

/** As the segment before knew it. */
export function compactionsInRow({ compactions_in_row: known }: SegmentStart): CompactionsInRow | null {
  return known === undefined ? null : { times: known.times, turnCount: known.turn_count };
}
