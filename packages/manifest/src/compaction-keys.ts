/** The keys of `[compaction]`: when history is made shorter, and how much of it goes on. Sizes are in tokens. */
import type { SettingSpec } from "./config-keys.ts";
import { isModelId, isWholeNumber } from "./config-values.ts";

/** The tokens that can be set, and what they are when nobody says; null: it follows from the model's window. */
export const compactionTokens = {
  threshold: null,
  request_threshold: null,
  limit: null,
  retained_tokens: 8_000,
  overview_target_tokens: 8_000,
  overview_warning_tokens: 16_000,
  overview_deadline_tokens: 40_000,
  worker_context_max_tokens: 50_000,
  finish_warning_remaining_tokens: 8_000,
  final_reserve_tokens: 4_000,
  summary_target_tokens: 2_000,
  summary_max_tokens: 4_000,
  result_context_max_tokens: 60_000,
  prune_threshold: null,
  prune_protected_tokens: 8_000,
  prune_min_savings: 4_096,
} as const satisfies { readonly [key: string]: number | null };

export type CompactionTokensKey = keyof typeof compactionTokens;
export const compactionTokensKeys = Object.keys(compactionTokens) as readonly CompactionTokensKey[];

/** Sizes in tokens; null: it follows from the model's window. */
export type CompactionTokens = {
  readonly [K in CompactionTokensKey]: (typeof compactionTokens)[K] extends null ? number | null : number;
};

export const workerTurnsDefault = 20;
/** The most that `compaction.worker_max_turns` can be. */
export const workerTurnsMax = 1_000;

type TokenSettings = { readonly [K in CompactionTokensKey as `compaction.${K}`]: number };

export interface CompactionSettings extends TokenSettings {
  readonly "compaction.enabled": boolean;
  readonly "compaction.worker_max_turns": number;
  readonly "compaction.model": string;
}

const tokens: SettingSpec<number> = {
  allowed: "a whole number of tokens, at least 1",
  accepts: (value) => isWholeNumber(value, 1),
};

export const compactionSettingSpecs: {
  readonly [K in keyof CompactionSettings]: SettingSpec<CompactionSettings[K]>;
} = {
  "compaction.enabled": {
    allowed: "true or false",
    accepts: (value): value is boolean => typeof value === "boolean",
  },
  "compaction.threshold": tokens,
  "compaction.request_threshold": tokens,
  "compaction.limit": tokens,
  "compaction.retained_tokens": tokens,
  "compaction.overview_target_tokens": tokens,
  "compaction.overview_warning_tokens": tokens,
  "compaction.overview_deadline_tokens": tokens,
  "compaction.worker_context_max_tokens": tokens,
  "compaction.finish_warning_remaining_tokens": tokens,
  "compaction.final_reserve_tokens": tokens,
  "compaction.worker_max_turns": {
    allowed: `a whole number from 1 to ${workerTurnsMax}`,
    accepts: (value) => isWholeNumber(value, 1, workerTurnsMax),
  },
  "compaction.summary_target_tokens": tokens,
  "compaction.summary_max_tokens": tokens,
  "compaction.result_context_max_tokens": tokens,
  "compaction.prune_threshold": tokens,
  "compaction.prune_protected_tokens": tokens,
  "compaction.prune_min_savings": tokens,
  "compaction.model": {
    allowed: 'a model as "provider/id"',
    accepts: isModelId,
    // It would be sent the whole session, also where the user chose another provider for that.
    refusedInProject: () => "may not be set",
  },
};

/** Older names of keys. */
export const compactionAliases: { readonly [alias: string]: keyof CompactionSettings } = {
  "compaction.compact_threshold": "compaction.threshold",
  "compaction.compact_request_threshold": "compaction.request_threshold",
  "compaction.compact_retained_tokens": "compaction.retained_tokens",
  "compaction.compact_worker_max_input_tokens": "compaction.worker_context_max_tokens",
  "compaction.compact_worker_max_turns": "compaction.worker_max_turns",
};

const noAutoRead =
  "is no key any more: a compaction puts no file into history by itself, and the model reads what it needs; remove the line";

/** Keys that were taken away, each with the rest of a sentence that begins with it. */
export const removedCompactionKeys: { readonly [key: string]: string } = {
  "compaction.prune_protected_turns":
    "is no key any more: what is protected is counted in tokens now, so write prune_protected_tokens",
  "compaction.auto_read_budget_tokens": noAutoRead,
  "compaction.compact_auto_read_budget": noAutoRead,
};
