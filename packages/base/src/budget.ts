/** Budget: the most that a Pod and all its children may use in their whole life, and when that is used up. */
import { dollars } from "./cost.ts";
import type { Spent } from "./spent.ts";

/** Null: as much as it takes. */
export interface Budget {
  /** Input and output tokens, cached input included. */
  readonly max_tokens: number | null;
  readonly max_cost_usd: number | null;
  /** Complete answers. */
  readonly max_turns: number | null;
  /** In which runs go on. */
  readonly max_seconds: number | null;
}

export const budgetKeys = ["max_tokens", "max_cost_usd", "max_turns", "max_seconds"] as const;
export type BudgetKey = (typeof budgetKeys)[number];

export const noBudget: Budget = Object.freeze({
  max_tokens: null,
  max_cost_usd: null,
  max_turns: null,
  max_seconds: null,
});

export function isLimited(budget: Budget): boolean {
  return budgetKeys.some((key) => budget[key] !== null);
}

/** What of a budget is used, as its key counts it: what nobody counted, by its estimate. */
export function usedOf(key: BudgetKey, spent: Spent): number {
  const { usage, cost_nano_usd, turns, run_ms, estimated_tokens = 0, estimated_cost_nano_usd = 0 } = spent;
  switch (key) {
    case "max_tokens":
      return usage.input_tokens + usage.output_tokens + estimated_tokens;
    case "max_cost_usd":
      return (cost_nano_usd + estimated_cost_nano_usd) / 1e9;
    case "max_turns":
      return turns;
    case "max_seconds":
      return run_ms / 1000;
  }
}

/** A budget that is used up. */
export interface BudgetReached {
  readonly key: BudgetKey;
  readonly max: number;
  readonly used: number;
}

/** The first one that leaves nothing for another request; null: there is room. */
export function budgetReached(budget: Budget, spent: Spent): BudgetReached | null {
  for (const key of budgetKeys) {
    const max = budget[key];
    const used = usedOf(key, spent);
    if (max !== null && used >= max) return { key, max, used };
  }
  return null;
}

/** What is left of it, never less than nothing. */
export function budgetLeft(budget: Budget, spent: Spent): Budget {
  const left = (key: BudgetKey): number | null => {
    const max = budget[key];
    return max === null ? null : Math.max(0, max - usedOf(key, spent));
  };
  return {
    max_tokens: left("max_tokens"),
    max_cost_usd: left("max_cost_usd"),
    max_turns: left("max_turns"),
    max_seconds: left("max_seconds"),
  };
}

/** The less of each. */
export function lowerBudget(a: Budget, b: Budget): Budget {
  const lower = (key: BudgetKey): number | null => {
    const [one, other] = [a[key], b[key]];
    return one === null || other === null ? (one ?? other) : Math.min(one, other);
  };
  return {
    max_tokens: lower("max_tokens"),
    max_cost_usd: lower("max_cost_usd"),
    max_turns: lower("max_turns"),
    max_seconds: lower("max_seconds"),
  };
}

/** As `1012 of 1000 tokens`. */
function describeBudget({ key, max, used }: BudgetReached): string {
  switch (key) {
    case "max_tokens":
      return `${used} of ${max} tokens`;
    case "max_cost_usd":
      return `${dollars(used * 1e9)} of ${dollars(max * 1e9)}`;
    case "max_turns":
      return `${used} of ${max} turns`;
    case "max_seconds":
      return `${Math.round(used)} of ${max} seconds of work`;
  }
}

/** One sentence part: which budget is used up, and how it is raised. */
export function budgetSentence(reached: BudgetReached): string {
  const { key } = reached;
  const flag = key === "max_tokens" ? "--max-tokens or " : key === "max_cost_usd" ? "--max-cost or " : "";
  return `the budget of the Pod and its children is used up (${describeBudget(reached)}): raise it with ${flag}${key} below [budget] of your config.toml`;
}
