/** Bounds at n and n + 1 bytes, cut where a character ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8Length } from "@yoi/base";
import fc from "fast-check";
import { boundText } from "../src/bound-result.ts";

test("a text of exactly the limit stays; one byte more is cut and says how much is gone", () => {
  assert.equal(boundText("x".repeat(100), 100), "x".repeat(100));
  assert.equal(
    boundText("x".repeat(101), 100),
    `${"x".repeat(56)}\n[45 bytes dropped: ask for less at a time]`,
  );
});

test("any text and limit: within the limit, a prefix, the count is right, seed 11, 500 cases", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.integer({ min: 60, max: 300 }),
      (text, max) => {
        const bounded = boundText(text, max);
        assert.ok(utf8Length(bounded) <= max);
        if (utf8Length(text) <= max) {
          assert.equal(bounded, text);
          return;
        }
        const at = bounded.lastIndexOf("\n[");
        const kept = bounded.slice(0, at);
        assert.ok(text.startsWith(kept));
        assert.equal(
          bounded.slice(at),
          `\n[${utf8Length(text) - utf8Length(kept)} bytes dropped: ask for less at a time]`,
        );
      },
    ),
    { seed: 11, numRuns: 500 },
  );
});
