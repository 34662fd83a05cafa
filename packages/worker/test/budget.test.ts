/** The budget is asked before each request: nothing is drained, asked of hooks or sent when it leaves nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BudgetReached } from "@yoi/base";
import { bench } from "./support/bench-worker.ts";

const reached: BudgetReached = { key: "max_tokens", max: 10, used: 12 };
const calls = `steps: [{ tool_calls: [{ name: Echo, arguments: { say: a } }] }, { tool_calls: [{ name: Echo, arguments: { say: b } }] }, { text: end }]`;

test("a run ends at the request that the budget leaves nothing for, and names it", async () => {
  for (const requestsMax of [0, 1, 2]) {
    let drained = 0;
    const b = bench({
      scenario: calls,
      budget: async () => (b.history.kinds("llm_request").length >= requestsMax ? reached : null),
      points: { drain: async () => ((drained += 1), []) },
    });
    assert.deepEqual(await b.run("go"), { kind: "limit_reached", limit: "budget", ...reached });
    assert.equal(b.history.kinds("llm_request").length, requestsMax);
    assert.equal(drained, requestsMax);
    assert.deepEqual(b.history.unanswered, []);
  }
});

test("a budget that leaves room changes nothing, and one that is used up by the last answer does not take it back", async () => {
  let asked = 0;
  const b = bench({ scenario: calls, budget: async () => ((asked += 1), null) });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "end" });
  assert.ok(asked >= 3);
  const last = bench({
    scenario: "steps: [{ text: end }]",
    budget: async () => (last.history.kinds("llm_request").length > 0 ? reached : null),
  });
  assert.deepEqual(await last.run("go"), { kind: "finished", text: "end" });
});

test("a cancel while the budget is looked up ends the run as cancelled", async () => {
  const stop = new AbortController();
  const b = bench({
    scenario: calls,
    budget: () => {
      stop.abort();
      return new Promise<null>(() => {});
    },
  });
  assert.deepEqual(await b.run("go", { signal: stop.signal }), { kind: "cancelled" });
  assert.equal(b.history.kinds("llm_request").length, 0);
});
