/** What a request cost is on its usage record, at the price of the model; where nobody can say, the record says nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LlmUsage, noUsage } from "@yoi/base";
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

test("a whole answer and a broken one carry their cost", async () => {
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

const asUsage = {
  input_tokens: 1000,
  output_tokens: 100,
  cache_read_tokens: 600,
  cache_write_tokens: 300,
  reasoning_tokens: 0,
};

function counted(b: ReturnType<typeof bench>): Omit<LlmUsage, "kind">[] {
  return b.history.entries.flatMap((entry) => {
    if (entry.kind !== "llm_usage") return [];
    const { request, attempt, usage: used, cost_nano_usd: cost, finish } = entry as LlmUsage;
    return [
      {
        request,
        ...(attempt === undefined ? {} : { attempt }),
        usage: used,
        ...(cost === undefined ? {} : { cost_nano_usd: cost }),
        finish,
      },
    ];
  });
}

test("each attempt that was sent again is on record with what it used: counted, not counted, or refused", async () => {
  const retries = [
    { failure: { kind: "stream_broken" }, usage },
    { failure: { kind: "overloaded", status: 529 } },
    { failure: { kind: "timeout" }, usage: {} },
  ];
  const b = bench({
    scenario: scenario({ price }, [{ retries, text: "whole", usage: { input: 1000, output: 5 } }]),
  });
  assert.equal((await b.run("go")).kind, "finished");
  const [request] = b.history.kinds("llm_request");
  const at = { request: request?.seq };
  assert.deepEqual(counted(b), [
    { ...at, attempt: 1, usage: asUsage, cost_nano_usd: nano, finish: "interrupted" },
    { ...at, attempt: 3, usage: noUsage, finish: "interrupted" },
    {
      ...at,
      usage: { ...noUsage, input_tokens: 1000, output_tokens: 5 },
      cost_nano_usd: 1000 * 2000 + 5 * 10_000,
      finish: "stop",
    },
  ]);
  const { cost, measured, turnCount, usage: total } = b.history.state;
  assert.deepEqual(cost, { nano_usd: nano + 2_050_000, unpriced_requests: 1 });
  assert.deepEqual([total.input_tokens, total.output_tokens], [2000, 105]);
  assert.deepEqual([measured?.items, measured?.tokens, turnCount], [2, 1005, 1]);
  // One of the three was not counted: it is held against budgets by the request's estimate.
  const estimate = request !== undefined && "estimate" in request ? request.estimate : undefined;
  const { estimated_tokens, estimated_cost_nano_usd } = b.history.state.spent;
  assert.ok(estimate !== undefined && estimate.tokens > 10);
  assert.deepEqual([estimated_tokens, estimated_cost_nano_usd], [estimate.tokens, estimate.tokens * 2000]);
  b.history.assertReplays();
});

test("a request that ended before its answer is on record: of unknown cost when it was cancelled, free when it was refused", async () => {
  const b = bench({ scenario: scenario({ price }, [{ delay_ms: 1000, text: "late", usage }]) });
  const controller = new AbortController();
  const run = b.start("go", { signal: controller.signal });
  await b.host.advance(999);
  controller.abort();
  assert.equal((await run).kind, "cancelled");
  assert.deepEqual(
    counted(b).map(({ request: _, ...rest }) => rest),
    [{ usage: noUsage, finish: "interrupted" }],
  );
  assert.deepEqual(b.history.state.cost, { nano_usd: 0, unpriced_requests: 1 });
  assert.ok((b.history.state.spent.estimated_tokens ?? 0) > 0);
  const refused = bench({ scenario: scenario({}, [{ failure: { kind: "auth", status: 401 } }]) });
  await refused.run("go");
  assert.deepEqual(
    counted(refused).map(({ request: _, ...rest }) => rest),
    [{ usage: noUsage, cost_nano_usd: 0, finish: "interrupted" }],
  );
  assert.deepEqual(refused.history.state.cost, { nano_usd: 0, unpriced_requests: 0 });
  assert.equal(refused.history.state.spent.estimated_tokens, undefined);
});

test("an attempt is counted once when the run is cancelled while it waits for the next", async () => {
  const retries = [{ wait_ms: 1000, failure: { kind: "server" }, usage }];
  const b = bench({ scenario: scenario({ price }, [{ retries, text: "late", usage }]) });
  const controller = new AbortController();
  const run = b.start("go", { signal: controller.signal });
  await b.host.advance(999);
  controller.abort();
  assert.equal((await run).kind, "cancelled");
  assert.deepEqual(costs(b), [nano, 0]);
  assert.deepEqual(b.history.state.cost, { nano_usd: nano, unpriced_requests: 0 });
});

test("the price is that of the moment of the answer", async () => {
  let dearer = false;
  const b = bench({
    scenario: scenario({ price }, [
      { tool_calls: [{ name: "Echo", arguments: { say: "a" } }], usage },
      { text: "b", usage },
    ]),
    model: (scripted) => ({
      provider: scripted.provider,
      id: scripted.id,
      limits: scripted.limits,
      capabilities: scripted.capabilities,
      price: () => (dearer ? { ...price, output: 20 } : price),
      adapter: scripted.adapter,
      lowering: scripted.lowering,
      lower: (request) => scripted.lower(request),
      stream: (request, options) => scripted.stream(request, options),
    }),
    observer: ({ type }) => void (dearer ||= type === "tool_end"),
  });
  await b.run("go");
  assert.deepEqual(costs(b), [nano, nano + 100 * 10_000]);
});
