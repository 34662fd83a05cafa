/** Columns of text: how wide it is, and how it is made to fit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { themeNamed } from "../../src/view/themes.ts";
import { cut, cutInside, pad, truncate, widthOf, wrap } from "../../src/view/width.ts";
import { emulator } from "../support/emulator.ts";

const seed = 8;
const numRuns = 200;
const dark = themeNamed("dark");

test("a text is as wide as a terminal shows it", () => {
  const texts = ["", "abc", "日本語", "é", "e\u0301", "🙂", "👩‍👩‍👧", "🇯🇵", "ｱｲｳ", "Ａ", "…", "│", dark.bad("x")];
  const shown = texts.map((text) => {
    const terminal = emulator(20, 2);
    terminal.write(text);
    return terminal.cursor().column;
  });
  assert.deepEqual(texts.map(widthOf), shown);
});

test("rows are broken between words, and within what is longer than a row", () => {
  assert.deepEqual(wrap("one two three", 8), ["one two", "three"]);
  assert.deepEqual(wrap("a\n\nb", 8), ["a", "", "b"]);
  assert.deepEqual(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
  assert.deepEqual(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
  assert.deepEqual(wrap(dark.bad("one two"), 4), ["\u001b[31mone\u001b[0m", "\u001b[31mtwo\u001b[39m"]);
  assert.deepEqual(wrap("", 4), [""]);
});

test("no row is wider than asked, and none of the text is lost", () => {
  const word = fc.constantFrom(
    "a",
    "word",
    " ",
    "  ",
    "日本",
    "🙂",
    "x".repeat(50),
    "é",
    "-",
    dark.bad("red text"),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 2, max: 40 }), (words, columns) => {
      const text = words.join("");
      const rows = wrap(text, columns);
      const bare = (line: string) => line.replace(/\u001b\[[\d;]*m| /g, "");
      for (const row of rows) assert.ok(widthOf(row) <= columns);
      assert.equal(rows.map(bare).join(""), bare(text));
    }),
    { seed, numRuns },
  );
  console.log(`seed ${seed}, ${numRuns} runs`);
});

test("plain text is broken as the library breaks it", () => {
  const word = fc.constantFrom("a", "bc", "words", "x".repeat(30), " ", "  ");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 1, max: 20 }), (words, columns) => {
      const text = words.join("").trim();
      assert.deepEqual(wrap(text, columns), wrapTextWithAnsi(text, columns));
    }),
    { seed, numRuns },
  );
});

test("a line is cut where it is too long, with a sign or without", () => {
  assert.deepEqual(
    [truncate("abcdef", 4), truncate("abcd", 4), truncate("日本語", 4)].map((line) =>
      line.replace(/\u001b\[0m/g, ""),
    ),
    ["abc…", "abcd", "日…"],
  );
  assert.deepEqual(
    [cut("abcdef", 4), cut("日本語", 5), cut(dark.bad("abcdef"), 3)],
    ["abcd", "日本", "\u001b[31mabc\u001b[0m"],
  );
  assert.deepEqual([truncate("abc", 0), cut("abc", 0)], ["", ""]);
  assert.equal(widthOf(truncate("日".repeat(100_000), 20)) <= 20, true);
});

test("a line is filled up with spaces", () => {
  assert.deepEqual(
    [pad("日", 4), pad("abc", 2), pad(dark.bad("x"), 3)],
    ["日  ", "abc", "\u001b[31mx\u001b[39m  "],
  );
});

test("what is cut inside keeps its end, so that rules and paths that differ there look different", () => {
  const rule = (end: string) => `Bash(python3 ./tools/${"deep/".repeat(30)}run.py ${end})`;
  const [one, other] = [cutInside(rule("all"), 60), cutInside(rule("*"), 60)];
  assert.deepEqual([widthOf(one), widthOf(other)], [60, 60]);
  assert.match(one, /^Bash\(python3 .*….*run\.py all\)$/);
  assert.match(other, /^Bash\(python3 .*….*run\.py \*\)$/);
  assert.equal(cutInside("x".repeat(60), 60), "x".repeat(60));
  for (const columns of [1, 2, 3, 7]) assert.ok(widthOf(cutInside("日本語".repeat(9), columns)) <= columns);
});
