/** Markdown as rows: what it shows, that what is closed stays, and that no text breaks out of it. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { loadHighlighter } from "../../src/view/highlight.ts";
import { closedChars, markdownLines } from "../../src/view/markdown.ts";
import { themeNamed } from "../../src/view/themes.ts";
import { widthOf } from "../../src/view/width.ts";

const plain = { columns: 40, theme: themeNamed("none") };
const dark = { columns: 40, theme: themeNamed("dark") };

before(loadHighlighter);

const table: readonly [name: string, text: string, rows: readonly string[]][] = [
  ["nothing", "", []],
  ["blank lines", "\n\n\n", []],
  ["paragraphs", "one\n\ntwo\n", ["one", "", "two"]],
  ["a break of lines", "one\ntwo", ["one", "two"]],
  ["a heading right above text", "# One\ntext", ["One", "text"]],
  ["a deep heading", "### Three", ["### Three"]],
  ["emphasis", "a **b** *c* `d` ~~e~~", ["a b c `d` ~~e~~"]],
  ["names with underscores", "snake_case_name", ["snake_case_name"]],
  ["a list below text", "Do:\n- a\n- b", ["Do:", "- a", "- b"]],
  ["a list with more in an item", "- a\n\n  more\n- b", ["- a", "", "  more", "- b"]],
  ["lists in lists", "1. a\n   - b\n     - c\n2. d", ["1. a", "    - b", "        - c", "2. d"]],
  ["numbers that start later", "3. c\n4. d", ["3. c", "4. d"]],
  ["tasks", "- [ ] open\n- [x] done", ["- [ ] open", "- [x] done"]],
  ["code", "```ts\nconst a = 1;\n```", ["```ts", "  const a = 1;", "```"]],
  ["code that goes on", "```ts\nconst a", ["```ts", "  const a", "```"]],
  ["code with a blank line", "```\na\n\n# b\n```", ["```", "  a", "", "  # b", "```"]],
  ["tables", "|a|b|\n|-|-|\n|1|2|", ["┌───┬───┐", "│ a │ b │", "├───┼───┤", "│ 1 │ 2 │", "└───┴───┘"]],
  ["quotes", "> a\n> b", ["│ a", "│ b"]],
  ["a link that says where it leads", "<https://a.b/c>", ["https://a.b/c"]],
  ["a link with another text", "[x](https://a.b)", ["x (https://a.b)"]],
  ["a link that pretends", "[https://good.com](https://evil.com)", ["https://good.com (https://evil.com)"]],
  ["an image", "![cat](a.png)", ["!cat (a.png)"]],
  ["an image in code", "`![cat](a.png)`", ["`![cat](a.png)`"]],
  ["a definition of a link", "[1]: https://a.b", ["[1]: https://a.b"]],
  ["HTML", "<b>x</b><script>y</script>", ["<b>x</b><script>y</script>"]],
  ["entities", "&lt;&#27;[31m", ["&lt;&#27;[31m"]],
  ["formulas", "costs $5 and $x^2$", ["costs $5 and $x^2$"]],
  ["tabs in code", "```\n\ta\n```", ["```", "      a", "```"]],
  ["CRLF", "a\r\n\r\nb\r\n", ["a", "", "b"]],
  ["a rule", "a\n\n---\n\nb", ["a", "", "─".repeat(40), "", "b"]],
];

test("Markdown is the rows that a reader expects", () => {
  const shown = table.map(([name, text]) => [name, text, markdownLines(text, plain)]);
  assert.deepEqual(shown, table);
});

test("styles are closed in each row", () => {
  assert.deepEqual(
    markdownLines("**bold words that go on over the end of a row**", { ...dark, columns: 20 }),
    [
      "\u001b[1mbold words that go\u001b[0m",
      "\u001b[1mon over the end of a\u001b[0m",
      "\u001b[1mrow\u001b[22m",
    ],
  );
});

const parts = [
  "word",
  "**b",
  "**",
  "`c`",
  "`",
  "*",
  "_x_",
  " ",
  "  ",
  "    ",
  "\t",
  "\n",
  "\n\n",
  "\n\n\n",
  "\r\n",
  "- ",
  "* ",
  "1. ",
  "2) ",
  "12. x",
  "# ",
  "#",
  "> ",
  "```",
  "```ts\n",
  "~~~\n",
  "| a | b |\n",
  "|-|-|\n",
  "---\n",
  "===\n",
  "[x](http://a)",
  "[1]: http://a\n",
  "![i](j)",
  "<div>\n",
  "<!-- ",
  "-->",
  "<pre>",
  "$$",
  "\\[",
  "\\",
  "日本",
  "🙂",
  "\u001b[31m",
  "\u001b]8;;http://x\u0007",
  "\u202e",
  "\u200d",
  "&#27;",
  "~~",
  "https://a.b",
];
const document = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((all) => all.join(""));
const seed = 8;
const numRuns = 150;

test("what is closed and the rest are the whole, whatever comes after", () => {
  let closed = 0;
  fc.assert(
    fc.property(document, document, (first, second) => {
      const end = closedChars(first);
      const whole = first + second;
      const start = markdownLines(whole.slice(0, end), plain);
      assert.deepEqual([...start, ...markdownLines(whole.slice(end), plain)], markdownLines(whole, plain));
      assert.ok(closedChars(whole) >= end);
      if (end > 0) closed += 1;
    }),
    { seed, numRuns },
  );
  console.log(`seed ${seed}, ${numRuns} runs, ${closed} with something closed`);
  assert.ok(closed > numRuns / 10);
});

test("no text is more than text, and no row is too wide", () => {
  const sgr = /\u001b\[(?:[1-4]|9\d|3\d|2[234]|39|0)(?:;\d+)*m/g;
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 60 }), (text, columns) => {
      for (const line of markdownLines(text, { ...dark, columns })) {
        const bare = line.replace(sgr, "");
        assert.doesNotMatch(bare, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        assert.ok(widthOf(line) <= columns || columns === 1, `${columns}: ${JSON.stringify(line)}`);
      }
    }),
    { seed, numRuns },
  );
  console.log(`seed ${seed}, ${numRuns} runs`);
});

test("most of an answer is closed while it arrives", () => {
  const text = "# A\n\npara\n\n- one\n- two\n\n```ts\nlet a;\n```\n\nlast words";
  const ends = Array.from({ length: text.length + 1 }, (_, at) =>
    text.slice(0, closedChars(text.slice(0, at))),
  );
  assert.deepEqual(
    [...new Set(ends)],
    [
      "",
      "# A",
      "# A\n\npara",
      "# A\n\npara\n\n- one",
      "# A\n\npara\n\n- one\n- two",
      "# A\n\npara\n\n- one\n- two\n\n```ts\nlet a;\n```",
    ],
  );
});

test("what would take long to read is plain, and nothing throws", () => {
  const hostile: readonly [string, string][] = [
    ["a megabyte of one line", "x".repeat(1_000_000)],
    ["quotes within quotes", "> ".repeat(10_000)],
    ["quotes without spaces", ">".repeat(10_000)],
    ["lists within lists", "- ".repeat(10_000)],
    ["numbers within numbers", "1. ".repeat(10_000)],
    ["emphasis that never ends", "*a ".repeat(5000)],
    ["emphasis of the other kind", "_a ".repeat(5000)],
    ["brackets", "[".repeat(16_000)],
    ["links that never end", "[a](".repeat(4000)],
    ["backticks of every length", Array.from({ length: 170 }, (_, n) => "`".repeat(n)).join("a")],
    ["images in backticks", "`a ![".repeat(3000)],
    ["nested lines", Array.from({ length: 150 }, (_, n) => `${"  ".repeat(n)}- x`).join("\n")],
  ];
  for (const [name, text] of hostile) {
    const lines = markdownLines(text, plain);
    assert.ok(lines.length > 0, name);
    assert.ok(
      lines.every((line) => widthOf(line) <= 40),
      name,
    );
  }
});
