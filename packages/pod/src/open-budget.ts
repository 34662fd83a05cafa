/** The budget of a Pod as it is opened: it fails closed where what it bounds could not be known. */
import { noBudget, YoiError } from "@yoi/base";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import type { OpenSession } from "./restore/open-session.ts";
import { TreeBudget } from "./spawn/tree-budget.ts";

/** Throws config_invalid for a bound of the cost where nobody knows what the model costs. */
export function checkPrice({
  manifest: { budget },
  model,
  compactor,
}: Pick<PodSetup, "manifest" | "model" | "compactor">): void {
  const max = budget?.max_cost_usd ?? null;
  const unpriced = [model, ...(compactor === undefined ? [] : [compactor.model])].find(
    (one) => one.price() === null,
  );
  if (max === null || unpriced === undefined) return;
  throw new YoiError(
    "config_invalid",
    `The budget max_cost_usd = ${max} cannot be kept, because nobody knows what ${unpriced.provider}/${unpriced.id} costs: give its prices below [[models]] of your config.toml, or bound the tokens instead (--max-tokens).`,
  );
}

/** What it and its children used, and may use. */
export function openBudget(
  { sessions, pods }: OpenPodOptions,
  { manifest: { budget } }: Pick<PodSetup, "manifest">,
  { gate, record }: OpenSession,
  warn: (text: string) => void,
): TreeBudget {
  return new TreeBudget({ budget: budget ?? noBudget, sessions, pods, gate, record, warn });
}
