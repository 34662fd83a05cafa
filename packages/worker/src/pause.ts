/** Pauses: what passes by itself, and how long to wait for it. */
import { type FailureKind, limitMsMax, type ModelFailure } from "@yoi/model";
import type { RunOutcome } from "./outcome.ts";

/** The wait of the first pause, in ms; each that follows without a whole answer between is twice as long, up to the longest. */
export interface PauseWaits {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const limitWaits: PauseWaits = { firstMs: 60_000, longestMs: 30 * 60_000 };
export const networkWaits: PauseWaits = { firstMs: 15_000, longestMs: 10 * 60_000 };

/** No answer came, or no whole one, and nothing is wrong with what was asked. */
const unanswered: ReadonlySet<FailureKind> = new Set([
  "network",
  "timeout",
  "server",
  "overloaded",
  "stream_broken",
]);

/** Before the answer is gone on with that broke off for the `continuation`th time in a row: at once the first time. */
export function continuationWaitMs(continuation: number): number {
  return continuation <= 1 ? 0 : 500 * 2 ** (continuation - 2);
}

/** @param before pauses in a row so far. */
export function pauseWaitMs({ firstMs, longestMs }: PauseWaits, before: number): number {
  return Math.min(longestMs, firstMs * 2 ** before);
}

/**
 * How a run pauses whose request came to nothing after its retries; null: time alone does not mend it. A provider that says when it takes requests again is taken at its word
 * the first time, for a day at most; one whose word did not hold is left alone for longer.
 */
export function pauseFor(
  failure: ModelFailure,
  { nowMs, before }: { readonly nowMs: number; readonly before: number },
): Extract<RunOutcome, { kind: "paused" }> | null {
  const { kind, retryable, message: detail } = failure;
  const saidMs = failure.retryAfterMs ?? 0;
  if (kind === "rate_limit" || (kind === "overloaded" && saidMs > 0)) {
    const ownMs = saidMs > 0 && before === 0 ? 0 : pauseWaitMs(limitWaits, saidMs > 0 ? before - 1 : before);
    const waitMs = Math.min(limitMsMax, Math.max(saidMs, ownMs));
    return { kind: "paused", reason: "provider_limit", detail, until: nowMs + waitMs };
  }
  if (!retryable || !unanswered.has(kind)) return null;
  const waitMs = Math.min(limitMsMax, Math.max(saidMs, pauseWaitMs(networkWaits, before)));
  return { kind: "paused", reason: "network", detail, until: nowMs + waitMs };
}
