/** The themes: what each style opens it closes, and the one without colours is the text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeStyles } from "../../src/view/styles.ts";
import { styleNames } from "../../src/view/theme.ts";
import { themeNamed, themeNames } from "../../src/view/themes.ts";

test("every style is closed where it ends, alone and within another", () => {
  for (const name of themeNames) {
    const theme = themeNamed(name);
    for (const outer of styleNames) {
      assert.equal(theme[outer](""), "");
      assert.equal(closeStyles(theme[outer]("x")), theme[outer]("x"), `${name} ${outer}`);
      for (const inner of styleNames) {
        const text = theme[outer](`a${theme[inner]("b")}c`);
        assert.equal(closeStyles(text), text, `${name} ${outer} ${inner}`);
        assert.equal(text.replace(/\u001b\[[\d;]*m/g, ""), "abc");
      }
    }
  }
});

test("without colours every text is as it is", () => {
  assert.deepEqual(
    styleNames.map((name) => themeNamed("none")[name]("x")),
    styleNames.map(() => "x"),
  );
});

test("a style that is open at the end of a row is closed there", () => {
  const table: readonly [string, string][] = [
    ["x", "x"],
    ["\u001b[1mx", "\u001b[1mx\u001b[0m"],
    ["\u001b[1;31mx\u001b[39m", "\u001b[1;31mx\u001b[39m\u001b[0m"],
    ["\u001b[1;31mx\u001b[22;39m", "\u001b[1;31mx\u001b[22;39m"],
    ["\u001b[38;5;1mx\u001b[39m", "\u001b[38;5;1mx\u001b[39m"],
    ["\u001b[48;2;1;2;3mx", "\u001b[48;2;1;2;3mx\u001b[0m"],
    ["\u001b[3;4;7mx\u001b[m", "\u001b[3;4;7mx\u001b[m"],
    ["\u001b[4mx\u001b[24;1m", "\u001b[4mx\u001b[24;1m\u001b[0m"],
  ];
  assert.deepEqual(
    table.map(([line]) => [line, closeStyles(line)]),
    table,
  );
});
