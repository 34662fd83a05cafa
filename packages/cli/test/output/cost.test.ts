/** What was used and what it cost, as scripts and people get it. */
import assert from "node:assert/strict";
import test from "node:test";
import { noCost, noUsage } from "@yoi/base";
import { costFields, describeCost, describeSpent } from "../../src/output/cost.ts";

test("a total is a number where every request has a price, and null where it would be too low", () => {
  assert.deepEqual(costFields(noCost), { total_cost_usd: 0, cost: { known_usd: 0, unpriced_requests: 0 } });
  assert.deepEqual(costFields({ nano_usd: 1_234_567_890, unpriced_requests: 0 }), {
    total_cost_usd: 1.23456789,
    cost: { known_usd: 1.23456789, unpriced_requests: 0 },
  });
  assert.deepEqual(costFields({ nano_usd: 7, unpriced_requests: 2 }), {
    total_cost_usd: null,
    cost: { known_usd: 7e-9, unpriced_requests: 2 },
  });
});

test("what is not known is never shown as nothing", () => {
  const rows: readonly [nano: number, unpriced: number, text: string][] = [
    [0, 0, "$0"],
    [1, 0, "<$0.0001"],
    [12_300_000, 0, "$0.0123"],
    [2_345_000_000, 0, "$2.35"],
    [0, 3, "cost unknown"],
    [12_300_000, 1, "$0.0123 and 1 request of unknown cost"],
    [12_300_000, 2, "$0.0123 and 2 requests of unknown cost"],
  ];
  for (const [nano_usd, unpriced_requests, text] of rows)
    assert.equal(describeCost({ nano_usd, unpriced_requests }), text);
  const usage = { ...noUsage, input_tokens: 900, output_tokens: 12 };
  assert.equal(describeSpent({ usage, cost: noCost }), "900 in, 12 out, $0");
  assert.equal(
    describeSpent({
      usage: { ...usage, cache_read_tokens: 640 },
      cost: { nano_usd: 0, unpriced_requests: 1 },
    }),
    "900 in (640 cached), 12 out, cost unknown",
  );
});
