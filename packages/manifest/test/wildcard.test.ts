/** Wildcards: what they cover, against a plain definition, and that no text makes them slow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesPattern, patternCharsMax, Wildcard, type Piece } from "../src/index.ts";

test("a pattern covers the whole text", () => {
  const cases: readonly (readonly [pattern: string, text: string, covers: boolean])[] = [
    ["*", "", true],
    ["*", "anything\nat all / here", true],
    ["", "", true],
    ["", "a", false],
    ["?", "", false],
    ["?", "a", true],
    ["?", "\u{1f600}", true],
    ["?", "ab", false],
    ["git push*", "git push origin main", true],
    ["git push*", "git pull", false],
    ["git push*", " git push", false],
    ["*/secret/*", "/w/secret/key", true],
    ["*/secret/*", "/w/secrets/key", false],
    ["*.env", "/w/.env", true],
    ["*.env", "/w/.env.local", false],
    ["a*b*c", "a--b--c", true],
    ["a*b*c", "a--c--b", false],
    ["a**c", "ac", true],
    ["a?*c", "ac", false],
    ["a?*c", "abc", true],
    ["[ab].+(c)", "[ab].+(c)", true],
    ["[ab].+(c)", "a.+(c)", false],
    ["A", "a", false],
    ["*é*", "caf\u00e9 au lait", true],
    [`*${"x".repeat(62)}?`, `${"x".repeat(62)}y`, true],
    [`${"x".repeat(31)}*${"y".repeat(33)}`, `${"x".repeat(31)}${"y".repeat(33)}`, true],
    [`${"x".repeat(32)}*`, "x".repeat(31), false],
  ];
  for (const [pattern, text, covers] of cases)
    assert.equal(matchesPattern(pattern, text), covers, `${pattern} on ${text}`);
});

/** The definition, too slow for anything but a few characters. */
function covers(pattern: readonly string[], text: readonly string[]): boolean {
  const [symbol, ...rest] = pattern;
  if (symbol === undefined) return text.length === 0;
  if (symbol === "*") return covers(rest, text) || (text.length > 0 && covers(pattern, text.slice(1)));
  return text.length > 0 && (symbol === "?" || symbol === text[0]) && covers(rest, text.slice(1));
}

test("it agrees with the definition (5,000 cases, seed 7)", () => {
  const letters = (alphabet: string) => fc.array(fc.constantFrom(...alphabet), { maxLength: 9 });
  fc.assert(
    fc.property(letters("ab?*"), letters("abc"), (pattern, text) => {
      assert.equal(matchesPattern(pattern.join(""), text.join("")), covers(pattern, text));
    }),
    { numRuns: 5_000, seed: 7 },
  );
});

test("it agrees with the definition across word borders (2,000 cases, seed 8)", () => {
  // A long literal in front moves the interesting part over a border of 32 positions.
  fc.assert(
    fc.property(
      fc.integer({ min: 25, max: 70 }),
      fc.array(fc.constantFrom(..."ab?*"), { maxLength: 8 }),
      fc.array(fc.constantFrom(..."ab"), { maxLength: 8 }),
      (shift, pattern, text) => {
        const front = "z".repeat(shift);
        assert.equal(matchesPattern(front + pattern.join(""), front + text.join("")), covers(pattern, text));
      },
    ),
    { numRuns: 2_000, seed: 8 },
  );
});

test("a text that is known in part is covered always, for some text in its place, or never", () => {
  const cases: readonly (readonly [
    pattern: string,
    pieces: readonly Piece[],
    covers: "always" | "maybe" | "never",
  ])[] = [
    ["*", [null], "always"],
    ["", [null], "maybe"],
    ["a", [], "never"],
    ["git push*", ["git ", null], "maybe"],
    ["git push*", ["git push ", null], "always"],
    ["git push*", ["git ", null, "push"], "maybe"],
    ["git push*", ["ls ", null], "never"],
    ["git push", ["git push ", null], "never"],
    ["git ?", ["git ", null], "maybe"],
    ["git *", ["git ", null], "always"],
    ["a*b", ["a", null, "b"], "always"],
    ["a*b", ["a", null, "c"], "never"],
    ["a*b", ["a", null], "maybe"],
    ["a*b*", ["a", null, "b", null], "always"],
    [`${"x".repeat(70)}y`, ["x", null, "y"], "maybe"],
    [`${"x".repeat(70)}y`, [null, "z"], "never"],
  ];
  for (const [pattern, pieces, covers] of cases) {
    const found =
      (["always", "maybe"] as const).find((how) => new Wildcard(pattern).coversPieces(pieces, how)) ??
      "never";
    assert.equal(found, covers, `${pattern} on ${JSON.stringify(pieces)}`);
  }
});

test("what covers a text that is known in part agrees with every text in its place (2,000 cases, seed 9)", () => {
  const letters = (alphabet: string) => fc.array(fc.constantFrom(...alphabet), { maxLength: 5 });
  const fillings = ["", "a", "b", "c", "ab", "ba", "aa", "bb", "abc", "aab", "bab"];
  fc.assert(
    fc.property(letters("ab?*"), letters("ab"), letters("ab"), (pattern, before, behind) => {
      const pieces = [before.join(""), null, behind.join("")];
      const covered = fillings.map((text) => covers(pattern, [...before, ...text, ...behind]));
      if (new Wildcard(pattern.join("")).coversPieces(pieces, "always")) assert.ok(!covered.includes(false));
      if (!new Wildcard(pattern.join("")).coversPieces(pieces, "maybe")) assert.ok(!covered.includes(true));
    }),
    { numRuns: 2_000, seed: 9 },
  );
});

test("the worst pattern on a megabyte is a bounded number of steps", () => {
  const worst = "*a".repeat(patternCharsMax / 2 - 1) + "*b";
  assert.equal(matchesPattern(worst, "a".repeat(1_000_000)), false);
});
