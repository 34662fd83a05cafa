/** `[budget]`: who gives how much, what is kept of what was typed, what a child gets of it, and what is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Budget, noBudget, YoiError } from "@yoi/base";
import { costUsdMax, manifestToJson, parseManifest } from "../src/index.ts";
import { boundedBy } from "../src/bounded-by.ts";
import type { BudgetChoice, Manifest, TypedBudget } from "../src/manifest.ts";
import { resolve } from "./resolve-texts.ts";

const budgetOf = (manifest: Manifest): BudgetChoice | undefined => manifest.budget;

test("the workspace lowers what the user gives and never raises it; what nobody bounds is absent", () => {
  assert.equal(budgetOf(resolve({}).manifest), undefined);
  const user = "[budget]\nmax_tokens = 1000\nmax_turns = 5\n";
  const { manifest, warnings } = resolve({
    user,
    project: "[budget]\nmax_tokens = 900\nmax_turns = 50\nmax_cost_usd = 0.5\n",
  });
  assert.deepEqual(budgetOf(manifest), { ...noBudget, max_tokens: 900, max_turns: 5, max_cost_usd: 0.5 });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /budget\.max_turns = 50 has no effect: your limit is 5 /);
});

test("what was typed stands in the place of all files, and is told apart from them", () => {
  const typed: TypedBudget = { max_tokens: 7000, max_cost_usd: 3 };
  const files = {
    user: "[budget]\nmax_tokens = 1000\nmax_seconds = 60\n",
    project: "[budget]\nmax_cost_usd = 1\n",
  };
  const { manifest, sources } = resolve(files, { budget: typed });
  assert.deepEqual(budgetOf(manifest), {
    max_tokens: 7000,
    max_cost_usd: 3,
    max_turns: null,
    max_seconds: 60,
    typed,
  });
  assert.deepEqual(
    sources
      .filter(({ key }) => key.startsWith("budget."))
      .map(({ key, value, origin }) => [key, value, origin]),
    [
      ["budget.max_tokens", 7000, "--max-tokens"],
      ["budget.max_cost_usd", 3, "--max-cost"],
      ["budget.max_turns", null, "built-in"],
      ["budget.max_seconds", 60, "/c/config.toml:3"],
    ],
  );
});

test("a stored budget is read back, with what was typed; one of an earlier yoi has none", () => {
  for (const budget of [{ max_tokens: 5 }, {}] as const) {
    const { manifest } = resolve({ user: "[budget]\nmax_seconds = 60\n" }, { budget });
    assert.deepEqual(parseManifest(manifestToJson(manifest), "/p.json").budget, manifest.budget);
  }
  const json = manifestToJson(resolve({}).manifest);
  assert.equal("budget" in json, false);
  assert.equal(parseManifest(json, "/p.json").budget, undefined);
  const wrong = { ...json, budget: { ...noBudget, max_turns: -1 } };
  assert.throws(() => parseManifest(wrong, "/p.json"), /manifest\.budget\.max_turns/);
});

test("a child gets the less of its own and what its parent has left, and nothing of it counts as typed by it", () => {
  const { manifest } = resolve({});
  const own: Budget = { ...noBudget, max_tokens: 500, max_turns: 9 };
  const left: Budget = { ...noBudget, max_tokens: 800, max_turns: 2, max_seconds: 1.5 };
  const withBudget = (budget: BudgetChoice): Manifest => ({ ...manifest, budget });
  const bounded = (a: Manifest, b: Manifest) => boundedBy(a, b, []).budget;
  const least = { max_tokens: 500, max_cost_usd: null, max_turns: 2, max_seconds: 1.5 };
  assert.deepEqual(bounded(withBudget({ ...own, typed: { max_tokens: 500 } }), withBudget(left)), least);
  assert.deepEqual(bounded(manifest, withBudget({ ...left, typed: { max_tokens: 800 } })), left);
  assert.deepEqual(bounded(withBudget(own), manifest), own);
  assert.equal(bounded(manifest, manifest), undefined);
});

test("what is no amount is refused, in files and flags: limits at n and n + 1", () => {
  const bad = (budget: TypedBudget) => () => resolve({}, { budget });
  const isUsage = (error: unknown) => error instanceof YoiError && error.code === "usage";
  for (const budget of [
    { max_tokens: 0 },
    { max_tokens: 1.5 },
    { max_cost_usd: 0 },
    { max_cost_usd: costUsdMax + 1 },
  ])
    assert.throws(bad(budget), isUsage);
  for (const budget of [{ max_tokens: 1 }, { max_cost_usd: costUsdMax }]) assert.doesNotThrow(bad(budget));
  for (const line of [
    "max_tokens = 0",
    "max_cost_usd = 0",
    `max_cost_usd = ${costUsdMax + 1}`,
    "max_turns = 1.5",
    "max_seconds = -1",
  ])
    assert.throws(() => resolve({ user: `[budget]\n${line}\n` }), /must be/, line);
});
