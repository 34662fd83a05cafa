/** Budget: what the layers and flags give a Pod and its children for their whole life. */
import { type BudgetKey, budgetKeys, isLimited, noBudget, YoiError } from "@yoi/base";
import { costUsdMax, isCostUsd } from "./budget-keys.ts";
import { isWholeNumber } from "./config-values.ts";
import { lowest, type Sourced } from "./layered.ts";
import type { BudgetChoice, TypedBudget } from "./manifest.ts";
import type { ConfigEntry, ConfigLayers } from "./resolve-input.ts";

const flagOf: { readonly [K in BudgetKey]?: string } = {
  max_tokens: "--max-tokens",
  max_cost_usd: "--max-cost",
};

/** Undefined: as much as it takes. What was typed stands in the place of what any file says. */
export function resolveBudget(
  layers: ConfigLayers,
  typed: TypedBudget,
  warnings: string[],
): { readonly choice: BudgetChoice | undefined; readonly sources: readonly ConfigEntry[] } {
  const resolved = new Map<BudgetKey, Sourced<number | null>>(
    budgetKeys.map((key) => [key, typedValue(key, typed) ?? lowest(layers, `budget.${key}`, null, warnings)]),
  );
  const values = Object.fromEntries([...resolved].map(([key, { value }]) => [key, value]));
  const choice: BudgetChoice = {
    ...noBudget,
    ...values,
    ...(Object.keys(typed).length === 0 ? {} : { typed }),
  };
  return {
    choice: isLimited(choice) ? choice : undefined,
    sources: [...resolved].map(([key, sourced]) => ({ key: `budget.${key}`, ...sourced })),
  };
}

function typedValue(key: BudgetKey, typed: TypedBudget): Sourced<number> | null {
  const value = key === "max_tokens" || key === "max_cost_usd" ? typed[key] : undefined;
  return value === undefined ? null : { value, origin: flagOf[key] ?? key };
}

/** Throws usage. */
export function checkTypedBudget({ max_tokens, max_cost_usd }: TypedBudget): void {
  if (max_tokens !== undefined && !isWholeNumber(max_tokens, 1)) {
    throw new YoiError("usage", `--max-tokens is ${max_tokens}, but must be a whole number, at least 1.`);
  }
  if (max_cost_usd !== undefined && !isCostUsd(max_cost_usd)) {
    throw new YoiError(
      "usage",
      `--max-cost is ${max_cost_usd}, but must be an amount of US dollars, more than 0 and at most ${costUsdMax}.`,
    );
  }
}
