/** What arrives is drawn anew at each paint: its last block costs no more than a part of what it costs when it is whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { highlightLines, loadHighlighter } from "../../src/view/highlight.ts";
import { markdownLines, openCharsMax } from "../../src/view/markdown.ts";
import { themeNamed } from "../../src/view/themes.ts";

const theme = themeNamed("dark");
const options = { columns: 60, theme };
const bare = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/\u001b\[[\d;]*m/g, "").trimEnd());

test("code has its colours when its block is whole, and the same rows before", async () => {
  await loadHighlighter();
  const open = "```ts\nconst a = 1;\n";
  const coloured = highlightLines("const a = 1;", "ts", theme)[0] ?? "";
  assert.match(coloured, /\u001b/);
  assert.equal(markdownLines(open, options, true).join("\n").includes(coloured), false);
  for (const [text, isArriving] of [
    [open, false],
    [`${open}\`\`\`\n`, true],
    [`${open}\`\`\`\n\nMore`, true],
  ] as const)
    assert.ok(markdownLines(text, options, isArriving).join("\n").includes(coloured), text);
  assert.deepEqual(bare(markdownLines(open, options, true)), bare(markdownLines(open, options)));
});

test("a table that grows is one up to so many characters, and one again when it is whole", () => {
  const row = "| aa | bb |\n";
  const head = "| a | b |\n|---|---|\n";
  const small = head + row.repeat(Math.floor((openCharsMax - head.length) / row.length));
  assert.deepEqual(markdownLines(small, options, true), markdownLines(small, options));
  const large = small + row;
  assert.ok(large.length - 1 > openCharsMax - row.length);
  const grown = small + row.repeat(2);
  assert.equal(bare(markdownLines(grown, options, true))[0], "| a | b |");
  assert.notEqual(bare(markdownLines(grown, options))[0], "| a | b |");
  assert.equal(bare(markdownLines(`${grown}\nMore`, options, true)).includes("| a | b |"), false);
});

test("what looks for an end from each of its characters is plain", () => {
  const word = "a".repeat(199);
  const hostile = `${"a".repeat(200)}\n`.repeat(70);
  assert.deepEqual(highlightLines(hostile, "csharp", theme), hostile.split("\n"));
  assert.match(highlightLines(`return ${word};`, "csharp", theme).join(""), /\u001b/);
  assert.deepEqual(highlightLines(`return ${word}a;`, "csharp", theme), [`return ${word}a;`]);
  const images = "![".repeat(7_900);
  assert.deepEqual(bare(markdownLines(images, { ...options, columns: images.length })), [images]);
});
