/** A change of a file, as rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../../src/view/diff.ts";
import { themeNamed } from "../../src/view/themes.ts";

const plain = { columns: 30, theme: themeNamed("none"), rowsMax: 20 };
const hunks = "@@ -8,3 +8,4 @@\n eight\n-nine\n+NINE\n+new\n ten\n@@ -98,2 +99,1 @@\n-a\n \tb\n";

test("lines have the number that they have in the file, and a sign", () => {
  assert.deepEqual(diffLines(hunks, plain), [
    " 8   eight",
    " 9 - nine",
    " 9 + NINE",
    "10 + new",
    "11   ten",
    "     ⋮",
    "98 - a",
    "99       b",
  ]);
});

test("a row says by its sign and its colour what it is", () => {
  assert.deepEqual(diffLines("@@ -1 +1 @@\n-a\n+b\n", { ...plain, theme: themeNamed("dark") }), [
    "\u001b[2m1\u001b[22m \u001b[31m- a\u001b[39m",
    "\u001b[2m1\u001b[22m \u001b[32m+ b\u001b[39m",
  ]);
});

test("a long line goes on below its text, and what is too much is cut out of the middle", () => {
  assert.deepEqual(diffLines("@@ -1 +1 @@\n+one two three four five six seven\n", plain), [
    "1 + one two three four five",
    "  + six seven",
  ]);
  const many = `@@ -0,0 +1,9 @@\n${Array.from({ length: 9 }, (_, n) => `+${n + 1}\n`).join("")}`;
  assert.deepEqual(
    diffLines(many, { ...plain, rowsMax: 4 }),
    ["1 + 1", "2 + 2", "… 7 lines", "9 + 9"].map((row, at) => (at === 2 ? "… 6 lines" : row)),
  );
  assert.equal(diffLines(many, { ...plain, rowsMax: 9 }).length, 9);
  assert.equal(diffLines(many, { ...plain, rowsMax: 8 }).length, 8);
});

test("what is no hunk, and what is hostile, is text", () => {
  assert.deepEqual(diffLines("", plain), []);
  assert.deepEqual(diffLines("nothing", plain), ["    nothing"]);
  assert.deepEqual(diffLines("@@ -1 +1 @@\n+\u001b[2Jx\u202ey\n\\ No newline at end of file\n", plain), [
    "1 + \\u001b[2Jx\\u202ey",
    "    \\ No newline at end of",
    "    file",
  ]);
  assert.deepEqual(diffLines("@@ -1 +1 @@\n+abcdef\n", { ...plain, columns: 4 }), ["+ab…"]);
});
