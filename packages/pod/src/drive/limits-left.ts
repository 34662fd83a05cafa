/** LimitsLeft: what a run that waits for its provider or the network has left of its limits when it goes on by itself. */
import type { RunLimits } from "./drive-parts.ts";

export interface LimitsLeft {
  readonly limits: RunLimits;
  /** Complete answers that count against its limit of turns already. */
  readonly turnsBefore: number;
}

/** Of a run that nobody bounds, as of one that another process began. */
export const unbounded: LimitsLeft = { limits: { timeoutMs: null }, turnsBefore: 0 };

/** @param workedMs since it had `limits`; the time that it waits does not count. */
export function limitsLeft({ timeoutMs, leftMs }: RunLimits, workedMs: number): RunLimits {
  if (timeoutMs === null) return unbounded.limits;
  return { timeoutMs, leftMs: Math.max(1, (leftMs ?? timeoutMs) - Math.max(0, workedMs)) };
}
