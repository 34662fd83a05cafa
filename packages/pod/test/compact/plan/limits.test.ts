/** The sizes of compaction follow from the window, and whatever is set, they are consistent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compactionDefault } from "@yoi/manifest";
import fc from "fast-check";
import {
  compactionLimits,
  type CompactionLimits,
  progressMax,
  progressTokensMin,
} from "../../../src/compact/plan/limits.ts";

test("by default they are shares of the window without what is kept for the answer", () => {
  const large = compactionLimits(compactionDefault, { contextWindow: 200_000, outputTokensMax: 64_000 });
  assert.deepEqual(large, {
    enabled: true,
    window: 136_000,
    limit: 129_200,
    threshold: 95_200,
    requestThreshold: 115_600,
    prune: { threshold: 68_000, protected: 8_000, savingsMin: 4_096 },
    retained: 8_000,
    resultMax: 60_000,
    overview: { target: 8_000, warning: 16_000, deadline: 40_000 },
    summary: { target: 2_000, max: 4_000 },
    worker: { contextMax: 50_000, finishWarning: 8_000, finalReserve: 4_000, turnsMax: 20 },
  });
  const tiny = compactionLimits(compactionDefault, { contextWindow: 4_096, outputTokensMax: 4_096 });
  assert.deepEqual(tiny, {
    enabled: true,
    window: 2_048,
    limit: 1_945,
    threshold: 1_433,
    requestThreshold: 1_740,
    prune: { threshold: 1_024, protected: 1_024, savingsMin: 4_096 },
    retained: 501,
    resultMax: 1_003,
    overview: { target: 972, warning: 972, deadline: 972 },
    summary: { target: 250, max: 250 },
    worker: { contextMax: 1_945, finishWarning: 972, finalReserve: 972, turnsMax: 20 },
  });
});

test("what is set counts as far as the window has room for it", () => {
  const of = (set: object) =>
    compactionLimits({ ...compactionDefault, ...set }, { contextWindow: 12_000, outputTokensMax: 2_000 });
  assert.equal(of({ limit: 9_999 }).limit, 9_999);
  assert.equal(of({ limit: 10_001 }).limit, 10_000);
  assert.equal(of({ request_threshold: 9_500 }).requestThreshold, 9_500);
  assert.equal(of({ request_threshold: 9_501 }).requestThreshold, 9_500);
  assert.equal(of({ threshold: 8_500 }).threshold, 8_500);
  assert.equal(of({ threshold: 8_501 }).threshold, 8_500);
  assert.deepEqual([of({ enabled: false }).enabled, of({ worker_max_turns: 3 }).worker.turnsMax], [false, 3]);
});

const seed = 71;
const runs = 300;
test(`every combination is consistent (seed ${seed}, ${runs} runs)`, () => {
  const tokens = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3_000_000 }));
  const keys = Object.keys(compactionDefault).filter((key) => key !== "enabled" && key !== "model");
  const choice = fc
    .record(Object.fromEntries(keys.map((key) => [key, tokens])), { requiredKeys: [] })
    .map((set) => ({ ...compactionDefault, ...set }));
  const model = fc.record({ contextWindow: tokens, outputTokensMax: tokens });
  fc.assert(
    fc.property(choice, model, (set, of) => consistent(compactionLimits(set, of), of.contextWindow)),
    { seed, numRuns: runs },
  );
});

function consistent(limits: CompactionLimits, contextWindow: number): void {
  const {
    window,
    limit,
    requestThreshold,
    threshold,
    prune,
    retained,
    resultMax,
    overview,
    summary,
    worker,
  } = limits;
  for (const chain of [
    [1, threshold, requestThreshold, limit, window, contextWindow],
    [1, prune.protected, prune.threshold, limit],
    [1, retained, resultMax, threshold],
    [1, overview.target, overview.warning, overview.deadline, limit],
    [1, summary.target, summary.max, resultMax],
    [1, worker.finalReserve, worker.finishWarning, worker.contextMax, limit],
  ])
    for (const [at, one] of chain.entries())
      assert.ok(one >= (chain[at - 1] ?? 0), JSON.stringify({ chain, limits }));
}

test("a compaction has helped when it saved a tenth, and at least 1,024 tokens", () => {
  assert.equal(progressTokensMin, 1_024);
  assert.deepEqual([100_000, 10_240, 10_250, 1_024, 0].map(progressMax), [90_000, 9_216, 9_225, 0, -1_024]);
});
