/** CompactionLimits: the sizes of compaction and pruning for one model, in tokens. Whatever was set, they are consistent with its window and with each other. */
import type { CompactionChoice } from "@yoi/manifest";

/** Hundredths of the effective window, where nobody says more. */
const thresholdShare = 70;
const requestThresholdShare = 85;
const limitShare = 95;
const pruneShare = 50;
/** Of the context window, for what the model answers: a model that could answer with more leaves half of it to be asked with. */
const reserveShareMax = 50;
/** Of `threshold`: a compaction that ended close below it would be followed by the next one at once. */
const resultShareMax = 70;
/** A compaction that makes history smaller by less did not help. */
export const progressTokensMin = 1_024;
const progressShare = 10;

export interface CompactionLimits {
  readonly enabled: boolean;
  /** The context window without what is kept for the answer. */
  readonly window: number;
  /** More is never sent, whatever else is set. */
  readonly limit: number;
  /** Over this the first request of a run is not sent before a compaction was tried. */
  readonly threshold: number;
  /** The same of every other request. At least `threshold`. */
  readonly requestThreshold: number;
  readonly prune: {
    /** Over this old tool results are left out of requests. */
    readonly threshold: number;
    /** The newest tokens are left as they are. */
    readonly protected: number;
    /** Less is not worth a broken cache. */
    readonly savingsMin: number;
  };
  /** The newest whole responses that go on word for word. */
  readonly retained: number;
  /** What a compaction is meant to come to at most; what cannot get that small may be as large as `limit`. */
  readonly resultMax: number;
  readonly overview: { readonly target: number; readonly warning: number; readonly deadline: number };
  readonly summary: { readonly target: number; readonly max: number };
  readonly worker: {
    /** Of one request of the compactor. */
    readonly contextMax: number;
    /** With so much room left it is told to finish. */
    readonly finishWarning: number;
    /** With so much room left it can only write its summary. */
    readonly finalReserve: number;
    readonly turnsMax: number;
  };
}

/** @param model the window and the most tokens of an answer, of the model that is asked. */
export function compactionLimits(
  choice: CompactionChoice,
  model: { readonly contextWindow: number; readonly outputTokensMax: number },
): CompactionLimits {
  const { contextWindow } = model;
  const reserve = Math.min(model.outputTokensMax, share(contextWindow, reserveShareMax));
  const window = Math.max(1, contextWindow - reserve);
  const limit = atMost(choice.limit ?? share(window, limitShare), window);
  const requestThreshold = atMost(choice.request_threshold ?? share(window, requestThresholdShare), limit);
  const threshold = atMost(choice.threshold ?? share(window, thresholdShare), requestThreshold);
  const pruneThreshold = atMost(choice.prune_threshold ?? share(window, pruneShare), limit);
  const resultMax = atMost(choice.result_context_max_tokens, share(threshold, resultShareMax));
  const deadline = atMost(choice.overview_deadline_tokens, share(limit, 50));
  const warning = atMost(choice.overview_warning_tokens, deadline);
  const summaryMax = atMost(choice.summary_max_tokens, share(resultMax, 25));
  const contextMax = atMost(choice.worker_context_max_tokens, limit);
  const finishWarning = atMost(choice.finish_warning_remaining_tokens, share(contextMax, 50));
  return {
    enabled: choice.enabled,
    window,
    limit,
    threshold,
    requestThreshold,
    prune: {
      threshold: pruneThreshold,
      protected: atMost(choice.prune_protected_tokens, pruneThreshold),
      savingsMin: choice.prune_min_savings,
    },
    retained: atMost(choice.retained_tokens, share(resultMax, 50)),
    resultMax,
    overview: { target: atMost(choice.overview_target_tokens, warning), warning, deadline },
    summary: { target: atMost(choice.summary_target_tokens, summaryMax), max: summaryMax },
    worker: {
      contextMax,
      finishWarning,
      finalReserve: atMost(choice.final_reserve_tokens, finishWarning),
      turnsMax: choice.worker_max_turns,
    },
  };
}

/** The most that a context of `before` tokens may have after a compaction that helped. Below zero: none would. */
export function progressMax(before: number): number {
  return before - Math.max(progressTokensMin, share(before, progressShare));
}

function share(tokens: number, hundredths: number): number {
  return Math.floor((tokens * hundredths) / 100);
}

function atMost(tokens: number, most: number): number {
  return Math.max(1, Math.min(tokens, most));
}
