/** Code in colours. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import {
  highlightCharsMax,
  highlightLineCharsMax,
  highlightLines,
  loadHighlighter,
} from "../../src/view/highlight.ts";
import { themeNamed } from "../../src/view/themes.ts";

before(loadHighlighter);

const dark = themeNamed("dark");
const bare = (lines: readonly string[]) => lines.map((line) => line.replace(/\u001b\[[\d;]*m/g, ""));

test("tokens have the style of what they are, closed in each line", () => {
  assert.deepEqual(highlightLines("const a = 'x'; // <b> & c\n/* 1\n2 */ f(3)", "ts", dark), [
    "\u001b[35mconst\u001b[39m a = \u001b[32m'x'\u001b[39m; \u001b[90m// <b> & c\u001b[39m",
    "\u001b[90m/* 1\u001b[39m",
    "\u001b[90m2 */\u001b[39m \u001b[34mf\u001b[39m(\u001b[33m3\u001b[39m)",
  ]);
});

test("a language that is not known, or none, is plain, and so is a theme without colours", () => {
  for (const language of [null, "nosuch", "constructor", "__proto__", ""])
    assert.deepEqual(highlightLines("const a = 1;", language, dark), ["const a = 1;"]);
  assert.deepEqual(highlightLines("const a = 1;", "js", themeNamed("none")), ["const a = 1;"]);
});

test("code that is too long is plain", () => {
  const line = "const a = 1;\n";
  const fits = line.repeat(Math.floor(highlightCharsMax / line.length));
  const styled = (code: string) => highlightLines(code, "js", dark).some((each) => each.includes("\u001b"));
  assert.ok(styled(fits + " ".repeat(highlightCharsMax - fits.length)));
  assert.ok(!styled(fits + " ".repeat(highlightCharsMax - fits.length + 1)));
  assert.ok(styled(`const a${" ".repeat(highlightLineCharsMax - 7)}`));
  assert.ok(!styled(`const a${" ".repeat(highlightLineCharsMax - 6)}`));
});

test("whatever the code is, all of it is shown and nothing else", () => {
  const code = fc
    .array(
      fc.constantFrom(
        "a",
        "'",
        '"',
        "`",
        "<",
        ">",
        "&",
        "&lt;",
        "</span>",
        '<span class="hljs-string">',
        "/*",
        "*/",
        "//",
        "\n",
        "${",
        "}",
        "日",
        "#",
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(""));
  const seed = 8;
  const numRuns = 200;
  fc.assert(
    fc.property(
      code,
      fc.constantFrom("ts", "html", "bash", "python", "json", "markdown"),
      (text, language) => {
        assert.deepEqual(bare(highlightLines(text, language, dark)), text.split("\n"));
      },
    ),
    { seed, numRuns },
  );
  console.log(`seed ${seed}, ${numRuns} runs`);
});

test("controls in code are shown", () => {
  assert.deepEqual(bare(highlightLines("a\u001b[31m\tb\u202e", "ts", dark)), ["a\\u001b[31m b\\u202e"]);
});
