/** The composer and the help on a screen, as a terminal shows them. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { commandSpecs } from "../../src/commands/table.ts";
import { answered, chosen, refreshed } from "../../src/composer/completion.ts";
import { type Composer, composerOf, edit, emptyComposer } from "../../src/composer/composer.ts";
import { historyOf } from "../../src/composer/history.ts";
import { beginSearch, searched, searchShown } from "../../src/composer/search.ts";
import { pathSuggestions } from "../../src/composer/suggestion.ts";
import { defaultKeys, keyMapOf } from "../../src/keys/key-map.ts";
import { composerLines, type ComposerViewOptions, type ComposerView } from "../../src/view/composer.ts";
import { helpLines } from "../../src/view/help.ts";
import { themeNamed } from "../../src/view/themes.ts";
import { widthOf } from "../../src/view/width.ts";
import { written } from "../composer/written.ts";
import { emulator } from "../support/emulator.ts";

const theme = themeNamed("none");
const options: ComposerViewOptions = { columns: 20, theme, rowsMax: 4, placeholder: "Ask." };

/** Lines, with the cursor as `|`. */
function drawn({ lines, cursor }: ComposerView): readonly string[] {
  return lines.map((line, row) =>
    row === cursor.row
      ? `${line.padEnd(cursor.column).slice(0, cursor.column)}|${line.slice(cursor.column)}`
      : line,
  );
}

const view = (composer: Composer, more: Partial<ComposerViewOptions> = {}): readonly string[] =>
  drawn(composerLines(composer, { ...options, ...more }));

test("what is written, row by row, with its sign and the cursor", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["|", ["> |Ask."]],
    ["hello|", ["> hello|"]],
    ["!l|s", ["! !l|s"]],
    ["# note|", ["# # note|"]],
    ["/help|", ["/ /help|"]],
    [":help|", ["/ :help|"]],
    ["/etc/x|", ["> /etc/x|"]],
    ["one\n|two", ["> one", "  |two"]],
    ["one two three four f|", ["> one two three ", "  four f|"]],
    ["a\u001b[31m\u202eb|", ["> a\\u001b[31m\\u202e", "  b|"]],
    ["a\tb|", ["> a    b|"]],
    ["abcdefghijklmnopqrstuvw|", ["> abcdefghijklmnopq", "  rstuvw|"]],
    ["1\n2\n3\n4\n5\n6|", ["↑ 3", "  4", "  5", "  6|"]],
    ["1\n2\n|3\n4\n5\n6", ["> 1", "  2", "  |3", "↓ 4"]],
    ["1\n2\n3\n4\n5|\n6\n7\n8", ["↑ 3", "  4", "  5|", "↓ 6"]],
  ];
  for (const [text, lines] of rows) assert.deepEqual(view(written(text)), lines, JSON.stringify(text));
});

test("a chip is one piece, cut where the screen is narrower", () => {
  const composer = edit(written("see |"), { type: "paste", text: "x\n".repeat(20) });
  assert.deepEqual(view(composer, { columns: 60 }), ["> see [pasted #1: 20 lines, 40 B]|"]);
  assert.deepEqual(view(composer), ["> see ", "  [pasted #1: 20 l…|"]);
});

test("the list of completions, six rows of it, with the chosen one marked and counted", () => {
  const composer = written("@f|");
  const asked = refreshed(null, composer, 1).completion;
  const entries = Array.from({ length: 8 }, (_, n) => ({ path: `f${n}`, kind: "file" as const }));
  const list = answered(asked, 1, pathSuggestions({ entries, more: false }));
  assert.ok(list !== null);
  assert.deepEqual(view(composer, { completion: list }), [
    "> @f|",
    "→ f0",
    "  f1",
    "  f2",
    "  f3",
    "  f4",
    "  f5             1/8",
  ]);
  const last = chosen(list, -1);
  assert.deepEqual(view(composer, { completion: last }).slice(-2), ["  f6", "→ f7             8/8"]);
  const command = written("/rew|");
  const { completion } = refreshed(null, command, 1);
  assert.deepEqual(view(command, { completion, columns: 60 }), [
    "/ /rew|",
    "→ /rewind  Go back to an earlier input, with the files or w…",
  ]);
});

test("a name in the list cannot leave its row, nor style what is around it", () => {
  const composer = written("@f|");
  const path = "f\u001b[31mred\u001b]0;title\u0007\nApprove? y\u202e";
  const asked = refreshed(null, composer, 1).completion;
  const list = answered(asked, 1, pathSuggestions({ entries: [{ path, kind: "file" }], more: false }));
  assert.deepEqual(view(composer, { completion: list, columns: 80 }), [
    "> @f|",
    "→ f\\u001b[31mred\\u001b]0;title\\u0007\\u000aApprove? y\\u202e",
  ]);
});

test("the search has a row of its own, with the cursor in it and the match above", () => {
  const history = historyOf(["fix the test", "done"]);
  const search = searched(beginSearch(emptyComposer), history, { type: "type", text: "test" });
  assert.deepEqual(view(searchShown(search, history), { search, columns: 40 }), [
    "> fix the test",
    "search history: test|",
  ]);
  const none = searched(beginSearch(emptyComposer), history, { type: "type", text: "zz" });
  assert.deepEqual(view(emptyComposer, { search: none }), ["> Ask.", "no match: zz|"]);
  const failed = searched(search, history, { type: "type", text: "zz" });
  assert.deepEqual(view(searchShown(failed, history), { search: failed, columns: 30 }), [
    "> fix the test",
    "no other match: testzz|",
  ]);
});

test("on any screen, rows are as wide as it is, and the cursor is where the text says", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("日本語", "👨‍👩‍👧", "e\u0301", "\n", "word word ", "\u001b[2J", "\t", "x".repeat(30)),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      text,
      fc.nat(60),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (value, steps, columns, rowsMax) => {
        let composer = composerOf(value);
        for (let n = 0; n < steps; n += 1) composer = edit(composer, { type: "move", to: "left" });
        const { lines, cursor } = composerLines(composer, {
          ...options,
          columns,
          rowsMax,
          theme: themeNamed("dark"),
        });
        for (const line of lines) assert.ok(widthOf(line) <= columns, `${widthOf(line)} of ${columns}`);
        assert.ok(lines.length <= rowsMax && cursor.row < lines.length && cursor.column < columns);
        // Without the sequences of the theme, none is left.
        assert.doesNotMatch(
          lines.join("").replaceAll(/\u001b\[[\d;]*m/g, ""),
          /[\u0000-\u001f\u007f-\u009f]/,
        );
      },
    ),
    { seed: 20_261_122, numRuns: 150 },
  );
});

test("what is typed behind the cursor stands there on a terminal", () => {
  for (const before of ["", "hello ", "漢字", "👨‍👩‍👧 ", "e\u0301", "a\nb", "x".repeat(16), "word ".repeat(9)]) {
    const composer = composerOf(before);
    const { cursor } = composerLines(composer, options);
    const typed = edit(composer, { type: "insert", text: "Z" });
    const screen = emulator(options.columns, 10);
    const { lines } = composerLines(typed, options);
    screen.write(lines.join("\r\n"));
    assert.equal(screen.cells()[cursor.row]?.[cursor.column]?.text, "Z", JSON.stringify(before));
  }
});

test("the help shows every key and command as it is now, on any screen", () => {
  const wide = helpLines(defaultKeys, commandSpecs, { columns: 100, theme }).join("\n");
  assert.match(wide, /Enter +Send what is written; while a run goes on, with its next request\./);
  assert.match(wide, /Shift\+Enter, Ctrl\+J +A new line; so does a backslash before Enter\./);
  assert.match(wide, /!command +Run a command in the Pod's scope and sandbox/);
  for (const { name, aliases = [] } of commandSpecs) {
    for (const word of [name, ...aliases]) assert.ok(wide.includes(`/${word}`), word);
  }
  assert.match(wide, /Ctrl\+_, Ctrl\+-, Ctrl\+Shift\+- +Take back the last edit\./);
  const { map } = keyMapOf({ submit: ["ctrl+s"], tasks: [] });
  const own = helpLines(map, commandSpecs, { columns: 100, theme }).join("\n");
  assert.match(own, /Ctrl\+S +Send what is written/);
  assert.doesNotMatch(own, /panels of features, such as tasks\.\n.*Ctrl\+T/);
  for (const columns of [10, 40, 80]) {
    for (const line of helpLines(defaultKeys, commandSpecs, { columns, theme })) {
      assert.ok(widthOf(line) <= columns, `${columns}: ${line}`);
    }
  }
});
