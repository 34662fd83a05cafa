/** The keys of `[budget]`: the most that a Pod and its children may use in their whole life. A workspace only lowers what the user gives. */
import type { BudgetKey } from "@yoi/base";
import type { SettingSpec } from "./config-keys.ts";
import { isWholeNumber } from "./config-values.ts";

export type BudgetSettings = { readonly [K in `budget.${BudgetKey}`]: number };

/** In US dollars: below it a sum of billionths would be too much for one number. */
export const costUsdMax = 1_000_000;

export function isCostUsd(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= costUsdMax;
}

const wholeNumber = (unit: string): SettingSpec<number> => ({
  allowed: `a whole number of ${unit}, at least 1`,
  accepts: (value) => isWholeNumber(value, 1),
});

export const budgetSettingSpecs: { readonly [K in keyof BudgetSettings]: SettingSpec<number> } = {
  "budget.max_tokens": wholeNumber("tokens"),
  "budget.max_cost_usd": {
    allowed: `an amount of US dollars, more than 0 and at most ${costUsdMax}`,
    accepts: isCostUsd,
  },
  "budget.max_turns": wholeNumber("turns"),
  "budget.max_seconds": wholeNumber("seconds"),
};
