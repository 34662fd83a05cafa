/** What is put together of a body's lines, and how much of it at most. */
import assert from "node:assert/strict";
import test from "node:test";
import { LineIndex, rebuiltBodyCharsMax, rebuiltCharsMax } from "../src/rebuild.ts";
import { lineSumOf } from "../src/render-event.ts";

test("lines are found by their sums, in the order of the sums", () => {
  const index = new LineIndex(["a", "", "b"]);
  const sums = (...lines: readonly string[]) => lines.map(lineSumOf).join("");
  assert.deepEqual(index.rebuilt(sums("b", "", "b", "a")), ["b", "", "b", "a"]);
  assert.deepEqual(index.rebuilt(""), []);
  assert.equal(index.rebuilt(sums("a", "c")), null);
});

test("of one body and of one thread so much is put together and no more", () => {
  const parts = 8;
  const long = "z".repeat(rebuiltBodyCharsMax / parts - 1);
  const index = new LineIndex([long, ""]);
  const most = lineSumOf(long).repeat(parts);
  assert.equal(index.rebuilt(most + lineSumOf("")), null);
  for (let left = rebuiltCharsMax; left > 0; left -= rebuiltBodyCharsMax)
    assert.equal(index.rebuilt(most)?.length, parts);
  assert.equal(index.rebuilt(lineSumOf("")), null);
});
