/** Pauses: what passes by itself, and how long to wait for it. */
import type { ModelFailure } from "@yoi/model";
import type { RunOutcome } from "./outcome.ts";

/** The wait of the first pause, in ms; each that follows without a whole answer between is twice as long, up to the longest. */
export interface PauseWaits {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const limitWaits: PauseWaits = { firstMs: 60_000, longestMs: 30 * 60_000 };
export const networkWaits: PauseWaits = { firstMs: 15_000, longestMs: 10 * 60_000 };

/** @param before pauses in a row so far. */
export function pauseWaitMs({ firstMs, longestMs }: PauseWaits, before: number): number {
  return Math.min(longestMs, firstMs * 2 ** before);
}

/**
 * How a run pauses whose request came to nothing after its retries; null: time alone does not mend it. A provider that says when it takes requests again is taken at its word
 * the first time; one whose word did not hold is left alone for longer.
 */
export function pauseFor(
  failure: ModelFailure,
  { nowMs, before }: { readonly nowMs: number; readonly before: number },
): Extract<RunOutcome, { kind: "paused" }> | null {
  const { kind, retryable, message: detail } = failure;
  const saidMs = failure.retryAfterMs ?? 0;
  if (kind === "rate_limit" || (kind === "overloaded" && saidMs > 0)) {
    const ownMs = saidMs > 0 && before === 0 ? 0 : pauseWaitMs(limitWaits, saidMs > 0 ? before - 1 : before);
    return { kind: "paused", reason: "provider_limit", detail, until: nowMs + Math.max(saidMs, ownMs) };
  }
  if (retryable && (kind === "network" || kind === "timeout"))
    return { kind: "paused", reason: "network", detail, until: nowMs + pauseWaitMs(networkWaits, before) };
  return null;
}
