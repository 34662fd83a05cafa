/** What the fold knows of runs: what the last one began with, and a paused one. */
import type { MeasuredContext, PauseReason, RunPaused, SegmentStart } from "@yoi/base";
import type { CompactionsInRow, RunState } from "./session-state.ts";

export interface BegunRun {
  readonly invoke: number;
  /** Seqs of its input and of the last of what that attached; -1: it has none. */
  readonly inputFrom: number;
  readonly inputThrough: number;
  readonly measured: MeasuredContext | null;
}

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
