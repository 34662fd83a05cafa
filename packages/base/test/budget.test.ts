/** Budgets: at what use they leave nothing, what is left of them, and the sentence that says so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Budget,
  budgetKeys,
  budgetLeft,
  budgetReached,
  budgetSentence,
  isLimited,
  lowerBudget,
  noBudget,
  noSpent,
  type Spent,
} from "../src/index.ts";

const spent: Spent = {
  requests: 9,
  usage: {
    input_tokens: 900,
    output_tokens: 100,
    cache_read_tokens: 700,
    cache_write_tokens: 5,
    reasoning_tokens: 50,
  },
  cost_nano_usd: 2_500_000_000,
  unpriced_requests: 0,
  turns: 8,
  run_ms: 90_000,
};
const used = { max_tokens: 1000, max_cost_usd: 2.5, max_turns: 8, max_seconds: 90 } as const;

test("each budget is reached at what was used, and not one unit before", () => {
  for (const key of budgetKeys) {
    const unit = key === "max_cost_usd" ? 1e-9 : key === "max_seconds" ? 0.001 : 1;
    const reached = { key, max: used[key], used: used[key] };
    assert.deepEqual(budgetReached({ ...noBudget, [key]: used[key] }, spent), reached);
    assert.equal(budgetReached({ ...noBudget, [key]: used[key] + unit }, spent), null);
  }
  assert.equal(budgetReached(noBudget, spent), null);
  assert.equal(budgetReached({ ...noBudget, max_turns: 0 }, noSpent)?.key, "max_turns");
});

test("what is left is never less than nothing, and what has no bound keeps none", () => {
  const budget: Budget = { max_tokens: 1500, max_cost_usd: 1, max_turns: null, max_seconds: 90.5 };
  assert.deepEqual(budgetLeft(budget, spent), {
    max_tokens: 500,
    max_cost_usd: 0,
    max_turns: null,
    max_seconds: 0.5,
  });
  assert.equal(isLimited(budget), true);
  assert.equal(isLimited(noBudget), false);
});

test("of two budgets the lower of each counts", () => {
  const a: Budget = { max_tokens: 10, max_cost_usd: null, max_turns: 3, max_seconds: null };
  const b: Budget = { max_tokens: 20, max_cost_usd: 1, max_turns: 2, max_seconds: null };
  const lower: Budget = { max_tokens: 10, max_cost_usd: 1, max_turns: 2, max_seconds: null };
  assert.deepEqual([lowerBudget(a, b), lowerBudget(b, a)], [lower, lower]);
  assert.deepEqual(lowerBudget(a, noBudget), a);
});

test("the sentence names the budget, what is used of it, and how it is raised", () => {
  const said = budgetKeys.map((key) => budgetSentence({ key, max: used[key], used: used[key] }));
  const start = "the budget of the Pod and its children is used up";
  const end = "below [budget] of your config.toml";
  assert.deepEqual(said, [
    `${start} (1000 of 1000 tokens): raise it with --max-tokens or max_tokens ${end}`,
    `${start} ($2.50 of $2.50): raise it with --max-cost or max_cost_usd ${end}`,
    `${start} (8 of 8 turns): raise it with max_turns ${end}`,
    `${start} (90 of 90 seconds of work): raise it with max_seconds ${end}`,
  ]);
});
