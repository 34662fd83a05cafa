/** The table of `pod show --cache`: every standing in words, breaks with what they cost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noUsage, segmentId } from "@yoi/base";
import type { CachedRequest, CacheReport } from "@yoi/pod";
import { cacheText } from "../../src/output/cache-text.ts";

const counted = (input_tokens: number, cache_read_tokens: number, cache_write_tokens: number) => ({
  ...noUsage,
  input_tokens,
  cache_read_tokens,
  cache_write_tokens,
});
const request = (seq: number, over: Partial<CachedRequest>): CachedRequest => ({
  seq,
  model: "p/m",
  afterMs: 1_500,
  usage: counted(2_000, 1_900, 100),
  predictedTokens: 1_900,
  standing: "as_predicted",
  broken: null,
  ...over,
});
const report = (
  requests: readonly CachedRequest[],
  over: Partial<CacheReport["sums"]> = {},
): CacheReport => ({
  pod: "p",
  segment: segmentId("0199a000-0000-7000-8000-000000000002"),
  generation: 0,
  requests,
  sums: {
    inputTokens: 9_000,
    predictedTokens: 5_000,
    readTokens: 4_000,
    writtenTokens: 1_000,
    breaks: 0,
    lostTokens: 0,
    breakCostNanoUsd: 0,
    unpricedBreaks: 0,
    ...over,
  },
});

test("each request has a row, and what is not as it should be is said", () => {
  const broken = { kind: "pruned", seq: 29, lostTokens: 700, costNanoUsd: 3_220_000 } as const;
  const rows = [
    request(7, { afterMs: null, predictedTokens: null, standing: "first" }),
    request(15, {}),
    request(30, { predictedTokens: 1_200, standing: "broken", broken }),
    request(40, { afterMs: 3_723_000, usage: counted(2_500, 0, 2_500), standing: "expired" }),
    request(50, { standing: "expired", broken: { ...broken, kind: "tools_changed", costNanoUsd: null } }),
    request(60, { usage: counted(2_500, 0, 0), standing: "silent" }),
    request(70, { usage: null, predictedTokens: null, standing: "unknown" }),
  ];
  const sums = { breaks: 2, lostTokens: 1_400, breakCostNanoUsd: 3_220_000, unpricedBreaks: 1 };
  assert.deepEqual(cacheText(report(rows, sums)).split("\n"), [
    "REQUEST  AFTER       INPUT  PREDICTED  READ  WRITTEN  WHAT",
    "7        -           2000   -          1900  100      first of the segment: not predicted",
    "15       1.5 s       2000   1900       1900  100",
    "30       1.5 s       2000   1200       1900  100      pruned at 29: about 700 tokens anew ($0.0032)",
    "40       1 h 02 min  2500   1900       0     2500     expired?",
    "50       1.5 s       2000   1900       1900  100      tools changed at 29: about 700 tokens anew, expired?",
    "60       1.5 s       2500   1900       0     0        not reported",
    "70       1.5 s       -      -          -     -        not counted",
    "sum                  9000   5000       4000  1000     2 breaks: about 1400 tokens anew ($0.0032)",
    "",
  ]);
});

test("no request, no break, and segments before are said", () => {
  assert.equal(cacheText(report([])), "No request was made in this segment yet.\n");
  const one = cacheText({ ...report([request(7, {})]), generation: 3 });
  assert.match(one, /sum .* no breaks\nOf the segment in force; 3 came before it\./);
});
