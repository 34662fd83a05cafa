/** Thresholds: from which size on a run makes room, at n and n + 1, and what is never sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { overThreshold } from "../../src/compact/thresholds.ts";

const limits = { enabled: true, threshold: 70, requestThreshold: 85, limit: 95, isLimitSet: false };
const gains = () => true;
const nothing = () => false;

test("the first request of a run, every other, and the limit: at n nothing is done, at n + 1 room is made", () => {
  const rows = [
    [70, true, false],
    [71, true, true],
    [85, false, false],
    [86, false, true],
    [71, false, false],
    [95, false, true],
  ] as const;
  for (const [tokens, isFirst, makesRoom] of rows)
    assert.equal(
      overThreshold({ tokens }, limits, { isFirst, gains }) !== null,
      makesRoom,
      `${tokens} ${isFirst ? "first" : "later"}`,
    );
});

test("below the limit a request is made where compacting would come to nothing, or is switched off; above it never", () => {
  for (const isFirst of [true, false])
    for (const [options, enabled] of [
      [{ isFirst, gains: nothing }, true],
      [{ isFirst, gains }, false],
    ] as const) {
      assert.equal(overThreshold({ tokens: 95 }, { ...limits, enabled }, options), null);
      assert.match(
        overThreshold({ tokens: 96 }, { ...limits, enabled }, options) ?? "",
        /^the next request would have about 96 tokens, and at most 95 are ever sent$/,
      );
      assert.match(
        overThreshold({ tokens: 96 }, { ...limits, enabled, isLimitSet: true }, options) ?? "",
        /at most 95 are ever sent \(`compaction\.limit`\)$/,
      );
    }
});

test("what compacting would come to is asked only where that matters", () => {
  const asked: number[] = [];
  for (const tokens of [70, 71, 96])
    overThreshold({ tokens }, limits, { isFirst: true, gains: () => (asked.push(tokens), true) });
  assert.deepEqual(asked, [71]);
});
