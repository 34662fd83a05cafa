/** Compaction: what the layers say of it, checked against each other. What follows from the model's window is left open. */
import { YoiError } from "@yoi/base";
import {
  type CompactionTokensKey,
  compactionTokens,
  compactionTokensKeys,
  workerTurnsDefault,
} from "./compaction-keys.ts";
import { builtIn, chosen, type Sourced } from "./layered.ts";
import type { CompactionChoice } from "./manifest.ts";
import type { ConfigEntry, ConfigLayers } from "./resolve-input.ts";

/** When nobody says anything. */
export const compactionDefault: CompactionChoice = Object.freeze({
  enabled: true,
  ...compactionTokens,
  worker_max_turns: workerTurnsDefault,
  model: null,
});

/** In each pair the first may not be more than the second. */
const ordered: readonly (readonly [CompactionTokensKey, CompactionTokensKey])[] = [
  ["threshold", "request_threshold"],
  ["threshold", "limit"],
  ["request_threshold", "limit"],
  ["prune_threshold", "limit"],
  ["retained_tokens", "result_context_max_tokens"],
  ["overview_target_tokens", "overview_warning_tokens"],
  ["overview_warning_tokens", "overview_deadline_tokens"],
  ["summary_target_tokens", "summary_max_tokens"],
  ["final_reserve_tokens", "finish_warning_remaining_tokens"],
  ["finish_warning_remaining_tokens", "worker_context_max_tokens"],
];

/** Throws config_invalid for two values that contradict each other. */
export function resolveCompaction(layers: ConfigLayers): {
  readonly choice: CompactionChoice;
  readonly sources: readonly ConfigEntry[];
} {
  const enabled = chosen(layers, "compaction.enabled", true);
  const tokens = new Map<CompactionTokensKey, Sourced<number | null>>(
    compactionTokensKeys.map((key) => [key, chosen(layers, `compaction.${key}`, compactionTokens[key])]),
  );
  const turns = chosen(layers, "compaction.worker_max_turns", workerTurnsDefault);
  const model = chosen(layers, "compaction.model", null);
  for (const [less, more] of ordered) checkOrder(less, tokens.get(less), more, tokens.get(more));
  const values = Object.fromEntries([...tokens].map(([key, { value }]) => [key, value]));
  return {
    choice: {
      ...compactionDefault,
      ...values,
      enabled: enabled.value,
      worker_max_turns: turns.value,
      model: model.value,
    },
    sources: [
      { key: "compaction.enabled", ...enabled },
      ...[...tokens].map(([key, sourced]) => ({ key: `compaction.${key}`, ...sourced })),
      { key: "compaction.worker_max_turns", ...turns },
      { key: "compaction.model", ...model },
    ],
  };
}

/** What nobody says follows what somebody does. */
function checkOrder(
  less: CompactionTokensKey,
  { value: a, origin }: Sourced<number | null> = unsaid,
  more: CompactionTokensKey,
  { value: b, origin: beside }: Sourced<number | null> = unsaid,
): void {
  if (a === null || b === null || a <= b || origin === builtIn || beside === builtIn) return;
  throw new YoiError(
    "config_invalid",
    `${origin}: compaction.${less} = ${a} is more than compaction.${more} = ${b} (${beside}): make the first smaller or the second greater.`,
  );
}

const unsaid: Sourced<null> = { value: null, origin: builtIn };
