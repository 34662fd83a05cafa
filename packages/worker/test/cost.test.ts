/** What a request cost is on its usage record, at the price of the model; where nobody can say, the record says nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./support/bench-worker.ts";

const price = { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 };
const usage = { input: 1000, output: 100, cache_read: 600, cache_write: 300 };
/** 100 tokens at 2, 600 at 0.2, 300 at 2.5, 100 of the answer at 10 dollars per million. */
const nano = 100 * 2000 + 600 * 200 + 300 * 2500 + 100 * 10_000;
const scenario = (rest: object, steps: readonly object[]) => JSON.stringify({ ...rest, steps });

function costs(b: ReturnType<typeof bench>): (number | undefined)[] {
  return b.history
    .kinds("llm_usage")
    .map((entry) => ("cost_nano_usd" in entry ? entry.cost_nano_usd : undefined));
}

test("a whole answer and a broken one carry their cost, and the observer is told", async () => {
  const steps = [
    {
      attempts: [
        { text: "half a", cut_after: 3, usage },
        { text: "whole", usage },
      ],
    },
  ];
  const b = bench({ scenario: scenario({ price }, steps) });
  assert.equal((await b.run("go")).kind, "finished");
  assert.deepEqual(costs(b), [nano, nano]);
  assert.deepEqual(
    b.events.filter((event) => event.type === "answer").map((event) => event.cost_nano_usd),
    [nano],
  );
  assert.deepEqual(b.history.state.cost, { nano_usd: 2 * nano, unpriced_requests: 0 });
});

test("without a price, and without counts, there is no cost: it is not 0", async () => {
  const unpriced = bench({ scenario: scenario({}, [{ text: "a", usage }]) });
  await unpriced.run("go");
  assert.deepEqual(costs(unpriced), [undefined]);
  assert.ok(unpriced.history.kinds("llm_usage").every((entry) => !("cost_nano_usd" in entry)));
  const uncounted = bench({ scenario: scenario({ price }, [{ text: "a", usage: {} }]) });
  await uncounted.run("go");
  assert.deepEqual(costs(uncounted), [undefined]);
  assert.deepEqual(uncounted.history.state.cost, { nano_usd: 0, unpriced_requests: 1 });
});

test("a model that costs nothing costs 0, which is known", async () => {
  const free = { input: 0, output: 0 };
  const b = bench({ scenario: scenario({ price: free }, [{ text: "a", usage }]) });
  await b.run("go");
  assert.deepEqual(costs(b), [0]);
});
