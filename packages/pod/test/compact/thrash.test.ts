/** How many compactions there are in a row, of what the log says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextInRow, thrashAnswersMin } from "../../src/compact/thrash.ts";

test("a compaction is in a row with the one before it up to so many answers behind that", () => {
  const at = (answers: number, times: number) =>
    nextInRow({ turnCount: 10 + answers, compactionsInRow: { times, turnCount: 10 } });
  assert.equal(nextInRow({ turnCount: 10, compactionsInRow: null }), 1);
  assert.deepEqual([at(0, 1), at(thrashAnswersMin - 1, 1), at(thrashAnswersMin - 1, 3)], [2, 2, 4]);
  assert.deepEqual([at(thrashAnswersMin, 1), at(thrashAnswersMin, 3)], [1, 1]);
});
