/** The cache report against a provider that caches: what is predicted is what it reports, but for what it dropped; and every break has its record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, type Price, type Tool, type Usage } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { compactionDefault } from "@yoi/manifest";
import { type Model, prunedItem, withStream } from "@yoi/model";
import {
  manifestOf,
  openSimulated,
  type SimulatedOptions,
  simulatedPod,
  simulatedStores,
} from "../../../../test/support/simulated-pod.ts";
import { cacheReport, describeEntry, readActive } from "../../src/index.ts";

/** Counts four characters as a token, and has the longest beginning that it saw last in its cache, where it has not dropped it. */
function caching(drops: (asked: number) => boolean, reports = true) {
  let asked = 0;
  let last = "";
  return (scripted: Model): Model =>
    withStream(scripted, async function* (request, options) {
      const { tools, system, config } = request.head;
      const items = request.items.map((item) => prunedItem(item, request.projection));
      const text = [tools, system, config, ...items].map((part) => canonicalJson(part)).join("\n");
      let common = 0;
      while (common < text.length && text[common] === last[common]) common += 1;
      const read = drops(asked) ? 0 : Math.floor(common / 4);
      asked += 1;
      last = text;
      const input_tokens = Math.ceil(text.length / 4);
      const usage: Usage = {
        input_tokens,
        output_tokens: 10,
        cache_read_tokens: reports ? read : 0,
        cache_write_tokens: reports ? input_tokens - read : 0,
        reasoning_tokens: 0,
      };
      for await (const event of scripted.stream(request, options))
        yield event.type === "finish" ? { ...event, usage } : event;
    });
}

const big: Tool = {
  definition: { name: "Big", description: "Is long.", input_schema: { type: "object" } },
  readOnly: true,
  execute: async () => ({ summary: "read", content: "line of text\n".repeat(500) }),
};
const other: Tool = { ...big, definition: { ...big.definition, name: "Other" } };
const scenario = (calls: number): string =>
  `{ context_window: 100000, steps: [${"{ tool_calls: [{ name: Big, arguments: {} }] }, ".repeat(calls)}{ text: done }, { text: again }, { text: more }] }`;
const compaction = {
  ...compactionDefault,
  prune_threshold: 6_000,
  prune_protected_tokens: 2_000,
  prune_min_savings: 3_000,
};
const price: Price = { input: 4, output: 20, cache_read: 0.4, cache_write: 5 };

interface Place {
  readonly host: MemoryHost;
  readonly leases: SimulatedOptions["leases"];
}
const newPlace = (): Place => ({ host: memoryHost({ seed: 1 }), leases: new Map() });

async function run(place: Place, model: SimulatedOptions["wrapModel"], over: Partial<SimulatedOptions> = {}) {
  const pod = await openSimulated({
    ...place,
    scenario: scenario(14),
    tools: [big],
    manifest: manifestOf({ compaction }),
    ...(model === undefined ? {} : { wrapModel: model }),
    ...over,
  });
  const { outcome } = await pod.submit([{ type: "text", text: "go" }]);
  assert.equal(outcome?.kind, "finished");
  await pod.close();
}

const reportOf = ({ host, leases }: Place, known: Price | null = price) =>
  cacheReport(simulatedStores(host, leases), simulatedPod, () => known);

test("each prediction is what the provider reports, in every request of a run that is pruned several times", async () => {
  const place = newPlace();
  await run(
    place,
    caching(() => false),
  );
  const { requests, sums, generation } = await reportOf(place);
  assert.deepEqual([requests.length, generation], [15, 0]);
  assert.deepEqual([requests[0]?.standing, requests[0]?.predictedTokens], ["first", null]);
  for (const { seq, predictedTokens, usage, standing, broken } of requests.slice(1)) {
    assert.ok(predictedTokens !== null && usage !== null);
    const off = Math.abs(predictedTokens - usage.cache_read_tokens) / usage.input_tokens;
    // At a break only an estimate says how much of what was counted stands before it.
    assert.ok(
      off <= (broken === null ? 0.001 : 0.05),
      `request ${seq}: ${predictedTokens} predicted, ${usage.cache_read_tokens} reported`,
    );
    assert.equal(standing, broken === null ? "as_predicted" : "broken");
  }
  const broken = requests.flatMap((one) => (one.broken === null ? [] : [one.broken]));
  assert.ok(broken.length >= 2);
  assert.deepEqual([...new Set(broken.map(({ kind }) => kind))], ["pruned"]);
  // What is sent anew of the old is what was written, but for what the step added: as much as any step did.
  const added = (requests[2]?.usage?.input_tokens ?? 0) - (requests[1]?.usage?.input_tokens ?? 0);
  for (const { usage, broken: found } of requests) {
    if (found === null || usage === null) continue;
    const resent = usage.cache_write_tokens - added;
    assert.ok(
      Math.abs(found.lostTokens - resent) <= 0.05 * usage.input_tokens,
      `${found.lostTokens} for ${resent}`,
    );
  }
  const { view } = await readActive(simulatedStores(place.host, place.leases), simulatedPod);
  for (const { seq, lostTokens, costNanoUsd } of broken) {
    const entry = view.entries[seq];
    assert.ok(entry);
    assert.match(describeEntry(entry), / results before \d+: The content of \d+ old results? /);
    // What is written anew costs 5 instead of 0.4 dollars a million.
    assert.equal(costNanoUsd, Math.round(lostTokens * 4_600));
  }
  assert.deepEqual(
    [sums.breaks, sums.unpricedBreaks, sums.lostTokens],
    [broken.length, 0, broken.reduce((sum, one) => sum + one.lostTokens, 0)],
  );
  const unpriced = await reportOf(place, null);
  assert.deepEqual([unpriced.sums.unpricedBreaks, unpriced.sums.breakCostNanoUsd], [broken.length, 0]);
});

test("a cache that was dropped is said to be, and is no break; a provider that reports none is not blamed", async () => {
  const place = newPlace();
  await run(
    place,
    caching((asked) => asked === 2 || asked === 9),
  );
  const { requests } = await reportOf(place);
  assert.deepEqual(
    requests.flatMap(({ standing }, index) => (standing === "expired" ? [index] : [])),
    [2, 9],
  );
  const silent = newPlace();
  await run(
    silent,
    caching(() => false, false),
  );
  const standings = (await reportOf(silent)).requests.slice(1).map(({ standing }) => standing);
  assert.deepEqual([...new Set(standings)], ["silent"]);
});

test("other tools leave nothing of the beginning, other parameters the prompt or all of it", async () => {
  const place = newPlace();
  const model = caching(() => false);
  await run(place, model, { scenario: scenario(2) });
  const config = { model: "scripted/sim.yaml", max_output_tokens: 1_000 };
  await run(place, model, { scenario: scenario(2), tools: [big, other] });
  await run(place, model, {
    scenario: scenario(2),
    tools: [big, other],
    config: { ...config, reasoning: "high" },
  });
  const { requests } = await reportOf(place);
  const [, , , tools, reasoning] = requests;
  assert.deepEqual([tools?.broken?.kind, tools?.predictedTokens], ["tools_changed", 0]);
  assert.equal(reasoning?.broken?.kind, "config_changed");
  const [kept = 0, all = 0] = [reasoning?.predictedTokens ?? 0, tools?.usage?.input_tokens];
  assert.ok(kept > 0 && kept < all, "the head is common");
});
