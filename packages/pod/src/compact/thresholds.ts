/** Thresholds: when a run makes room before its next request, and what is never sent. */
import type { ContextSize } from "@yoi/worker";

/** In tokens, of a request. */
export interface ThresholdLimits {
  /** False: no room is made below `limit`. */
  readonly enabled: boolean;
  /** Of the first request of a run. */
  readonly threshold: number;
  /** Of every other. */
  readonly requestThreshold: number;
  /** More is never sent. */
  readonly limit: number;
  /** `compaction.limit` says so. */
  readonly isLimitSet: boolean;
}

/**
 * Why a request is not made, or null: make it. Over `limit` none is. Below that one is made all the same where `gains` says that compacting would come to nothing: it is
 * asked only over a threshold.
 */
export function overThreshold(
  { tokens }: Pick<ContextSize, "tokens">,
  limits: ThresholdLimits,
  { isFirst, gains }: { readonly isFirst: boolean; readonly gains: () => boolean },
): string | null {
  const { enabled, threshold, requestThreshold, limit, isLimitSet } = limits;
  if (tokens > limit)
    return `the next request would have about ${tokens} tokens, and at most ${limit} are ever sent${isLimitSet ? " (`compaction.limit`)" : ""}`;
  const from = isFirst ? threshold : requestThreshold;
  if (!enabled || tokens <= from || !gains()) return null;
  return `the next request would have about ${tokens} tokens: room is made from ${from} on`;
}
