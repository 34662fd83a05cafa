/** File names: one for every id, and none that leads elsewhere or that a file system takes for another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodedBytesMax, encodedName, idCharsMax, idProblem } from "../src/file-name.ts";

test("names as they are, and what is encoded in them", () => {
  const names: readonly (readonly [string, string])[] = [
    ["builtin:task", "builtin%3atask"],
    ["package:@acme/lint", "package%3a%40acme%2flint"],
    ["a.b_c-9", "a.b_c-9"],
    ["A", "%41"],
    ["%41", "%2541"],
    ["..", "%2e."],
    [".x", "%2ex"],
    ["ö", "%c3%b6"],
    ["x".repeat(encodedBytesMax), "x".repeat(encodedBytesMax)],
  ];
  for (const [id, name] of names) assert.equal(encodedName(id), name);
  assert.match(encodedName("x".repeat(encodedBytesMax + 1)), /^~[0-9a-f]{64}$/);
});

test("two ids have two names, whatever their case (10,000 pairs, seed 4)", () => {
  const odd = fc.string({
    unit: fc.constantFrom(..."aA%.~/:@é2f\u0000".split("")),
    maxLength: 12,
  });
  fc.assert(
    fc.property(odd, odd, (a, b) => {
      const [left, right] = [encodedName(a), encodedName(b)];
      assert.equal(left.toLowerCase() === right.toLowerCase(), a === b);
      for (const name of [left, right]) assert.match(name, /^(?![.])[a-z0-9._%~-]*$/);
    }),
    { numRuns: 10_000, seed: 4 },
  );
});

test("ids are bounded texts", () => {
  assert.equal(idProblem("x".repeat(idCharsMax)), null);
  for (const id of ["", "x".repeat(idCharsMax + 1), "a\nb", "\ud800", null, 7, undefined])
    assert.notEqual(idProblem(id), null);
});
