/** Cost: exact sums, the rates of each part of a request, and amounts for people. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  addRequestCost,
  costOf,
  dollars,
  noCost,
  noUsage,
  type Price,
  subtractCost,
  type Usage,
} from "../src/index.ts";

const price: Price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
const used = (input: number, output: number, read = 0, write = 0): Usage => ({
  ...noUsage,
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: read,
  cache_write_tokens: write,
});

test("each part of a request has its own rate, and the parts of the prompt are not counted twice", () => {
  const rows: readonly [Usage, Price, number][] = [
    [noUsage, price, 0],
    [used(1000, 0), price, 3_000_000],
    [used(0, 1000), price, 15_000_000],
    [used(1000, 0, 1000), price, 300_000],
    [used(1000, 0, 0, 1000), price, 3_750_000],
    [used(1000, 10, 600, 300), price, 100 * 3000 + 600 * 300 + 300 * 3750 + 10 * 15_000],
    // Reasoning is part of the output.
    [{ ...used(0, 10), reasoning_tokens: 9 }, price, 150_000],
    // A provider that says it read more from its cache than there was.
    [used(10, 0, 20), price, 20 * 300],
    // A rate below a thousandth of a cent a token: half a billionth is rounded up once, at the end.
    [used(1, 0), { ...price, input: 0.0375 }, 38],
    [used(2, 0), { ...price, input: 0.0375 }, 75],
    [used(1_000_000_000, 1_000_000_000), price, 18_000 * 1e9],
    [used(1_000_000_000, 1_000_000_000), { ...price, output: 1e9 }, Number.MAX_SAFE_INTEGER],
  ];
  for (const [usage, rates, nano] of rows) assert.equal(costOf(usage, rates), nano);
});

test("a long prompt has other rates for all of the request, from one token over the line", () => {
  const long = { over_tokens: 200_000, input: 6, output: 22.5, cache_read: 0.6, cache_write: 7.5 };
  assert.equal(costOf(used(200_000, 1000), { ...price, long }), 200_000 * 3000 + 1000 * 15_000);
  assert.equal(costOf(used(200_001, 1000), { ...price, long }), 200_001 * 6000 + 1000 * 22_500);
});

test("a request without a price is counted, not added as nothing", () => {
  const known = addRequestCost(noCost, 5);
  assert.deepEqual(known, { nano_usd: 5, unpriced_requests: 0 });
  assert.deepEqual(addRequestCost(known, undefined), { nano_usd: 5, unpriced_requests: 1 });
  assert.deepEqual(addRequestCost(known, 0), known);
});

test("the order of requests does not matter, and a difference is what came between", () => {
  const requests = fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 20 });
  fc.assert(
    fc.property(requests, requests, (earlier, later) => {
      const before = earlier.reduce(addRequestCost, noCost);
      const after = later.reduce(addRequestCost, before);
      assert.deepEqual([...later, ...earlier].reduce(addRequestCost, noCost), after);
      assert.deepEqual(subtractCost(after, before), later.reduce(addRequestCost, noCost));
    }),
    { seed: 41, numRuns: 200 },
  );
});

test("an amount for people is never 0 for what was something", () => {
  const rows: readonly [number, string][] = [
    [0, "$0"],
    [1, "<$0.0001"],
    [99_999, "<$0.0001"],
    [100_000, "$0.0001"],
    [12_345_678, "$0.0123"],
    [1_000_000_000, "$1.00"],
    [1_234_567_890_123, "$1234.57"],
  ];
  for (const [nano, text] of rows) assert.equal(dollars(nano), text);
});
