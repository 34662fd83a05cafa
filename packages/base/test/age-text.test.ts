/** How long ago something was. */
import assert from "node:assert/strict";
import test from "node:test";
import { ageText } from "../src/index.ts";

test("an age is said in the largest unit that it has whole, and before a minute not at all", () => {
  const rows: readonly (readonly [number, string])[] = [
    [-1, "just now"],
    [59_999, "just now"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [3_600_000, "1 h ago"],
    [86_399_999, "23 h ago"],
    [86_400_000, "1 d ago"],
    [400 * 86_400_000, "400 d ago"],
  ];
  assert.deepEqual(
    rows.map(([ms]) => [ms, ageText(ms)]),
    rows,
  );
});
