/** Every edit of the composer, as tables: what is written and where the cursor is, before and after. */
import assert from "node:assert/strict";
import test from "node:test";
import { type ComposerEdit, edit, emptyComposer, isBlank, textOf } from "../../src/composer/composer.ts";
import { historyOf } from "../../src/composer/history.ts";
import { killsMax } from "../../src/composer/kill.ts";
import { momentsMax } from "../../src/composer/state.ts";
import { afterAll, shown, written } from "./written.ts";

type Row = readonly [before: string, edit: ComposerEdit, after: string];

const family = "👨‍👩‍👧";
const eAcute = "e\u0301";
const insert = (text: string): ComposerEdit => ({ type: "insert", text });

const tables: Readonly<Record<string, readonly Row[]>> = {
  insert: [
    ["|", insert("a"), "a|"],
    ["ab|cd", insert("漢"), "ab漢|cd"],
    ["a|", insert("x\r\ny\rz"), "ax\ny\nz|"],
    // A mark joins with what is before it, and the cursor stays behind both.
    ["e|x", insert("\u0301"), `${eAcute}|x`],
    ["a|b", insert("\ud800"), "a\ufffd|b"],
  ],
  newline: [
    ["ab|cd", { type: "newline" }, "ab\n|cd"],
    ["ab\\|", { type: "continue_line" }, "ab\n|"],
    ["ab\\|\ncd", { type: "continue_line" }, "ab\n|\ncd"],
    ["ab\\|cd", { type: "continue_line" }, "ab\\|cd"],
    ["ab|", { type: "continue_line" }, "ab|"],
  ],
  delete: [
    ["ab|", { type: "backspace" }, "a|"],
    ["|ab", { type: "backspace" }, "|ab"],
    ["a\n|b", { type: "backspace" }, "a|b"],
    [`x${family}|y`, { type: "backspace" }, "x|y"],
    [`x${eAcute}|`, { type: "backspace" }, "x|"],
    ["🇯🇵🇩🇪|", { type: "backspace" }, "🇯🇵|"],
    ["|ab", { type: "delete" }, "|b"],
    ["ab|", { type: "delete" }, "ab|"],
    [`|${family}y`, { type: "delete" }, "|y"],
    ["a|\nb", { type: "delete" }, "a|b"],
  ],
  move: [
    ["ab|", { type: "move", to: "left" }, "a|b"],
    ["|ab", { type: "move", to: "left" }, "|ab"],
    [`${family}|`, { type: "move", to: "left" }, `|${family}`],
    [`|${family}a`, { type: "move", to: "right" }, `${family}|a`],
    ["a|\nb", { type: "move", to: "right" }, "a\n|b"],
    ["one two|", { type: "move", to: "word_left" }, "one |two"],
    ["one |two", { type: "move", to: "word_left" }, "|one two"],
    ["one\n  |two", { type: "move", to: "word_left" }, "|one\n  two"],
    ["|one two", { type: "move", to: "word_right" }, "one| two"],
    ["one| two", { type: "move", to: "word_right" }, "one two|"],
    ["one|\n\n  two", { type: "move", to: "word_right" }, "one\n\n  two|"],
    ["|src/a_b.ts, x", { type: "move", to: "word_right" }, "src|/a_b.ts, x"],
    // Writing without spaces goes by its words too.
    ["|日本語の文章", { type: "move", to: "word_right" }, "日本語|の文章"],
    ["日本語の文章|", { type: "move", to: "word_left" }, "日本語の|文章"],
    ["ab\ncd|ef", { type: "move", to: "line_start" }, "ab\n|cdef"],
    ["ab\nc|def\ng", { type: "move", to: "line_end" }, "ab\ncdef|\ng"],
    ["ab\nc|d", { type: "move", to: "start" }, "|ab\ncd"],
    ["a|b\ncd", { type: "move", to: "end" }, "ab\ncd|"],
  ],
  kill: [
    ["one two|", { type: "kill", to: "word_left" }, "one |"],
    ["one |two three", { type: "kill", to: "word_right" }, "one | three"],
    ["one two|\nx", { type: "kill", to: "line_start" }, "|\nx"],
    ["a\n|b", { type: "kill", to: "line_start" }, "a|b"],
    ["o|ne\ntwo", { type: "kill", to: "line_end" }, "o|\ntwo"],
    ["one|\ntwo", { type: "kill", to: "line_end" }, "one|two"],
    ["one|", { type: "kill", to: "line_end" }, "one|"],
    ["|one", { type: "kill", to: "line_start" }, "|one"],
  ],
  paste: [
    ["a|b", { type: "paste", text: "x y" }, "ax y|b"],
    ["|", { type: "paste", text: "x\r\ny" }, "x\ny|"],
    // Pictures that are dropped onto the terminal.
    ["|", { type: "paste", text: "/w/shot.png" }, "@/w/shot.png |"],
    ["see |", { type: "paste", text: "'/w/my shot.PNG' " }, 'see @"/w/my shot.PNG" |'],
    ["|", { type: "paste", text: "/w/my\\ shot\\(1\\).jpeg" }, '@"/w/my shot(1).jpeg" |'],
    ["a|", { type: "paste", text: "/w/shot.png" }, "a/w/shot.png|"],
    ["|", { type: "paste", text: "/w/a.png /w/b.png" }, "/w/a.png /w/b.png|"],
    ["|", { type: "paste", text: "/w/notes.md" }, "/w/notes.md|"],
    ["|", { type: "paste", text: "w/shot.png" }, "w/shot.png|"],
  ],
  replace: [
    ["ab cd|", { type: "replace", from: 0, to: 2, text: "xyz" }, "xyz| cd"],
    ["see @sr|", { type: "file_ref", from: 4, to: 7, path: "src/", goesOn: true }, "see @src/|"],
    ["see @sr|", { type: "file_ref", from: 4, to: 7, path: "src/a.ts", goesOn: false }, "see @src/a.ts |"],
    ["@m|", { type: "file_ref", from: 0, to: 2, path: "my dir/", goesOn: true }, '@"my dir/|"'],
    ["@m|", { type: "file_ref", from: 0, to: 2, path: "my file", goesOn: false }, '@"my file" |'],
    // What would be taken for punctuation behind the path is inside of quotation marks.
    ["@m|", { type: "file_ref", from: 0, to: 2, path: "who?", goesOn: false }, '@"who?" |'],
    ["a|b", { type: "set", text: "new" }, "new|"],
    ["a|b", { type: "clear" }, "|"],
  ],
  nothing: [
    ["ab|", { type: "undo" }, "ab|"],
    ["ab|", { type: "redo" }, "ab|"],
    ["ab|", { type: "yank" }, "ab|"],
    ["ab|", { type: "yank_older" }, "ab|"],
    ["ab|", { type: "history_previous", history: [] }, "ab|"],
    ["ab|", { type: "history_next", history: [] }, "ab|"],
  ],
};

for (const [name, rows] of Object.entries(tables)) {
  test(`${name}: each row`, () => {
    for (const [before, what, after] of rows) {
      assert.equal(
        shown(edit(written(before), what)),
        after,
        `${JSON.stringify(before)} ${JSON.stringify(what)}`,
      );
    }
  });
}

test("up and down keep to their column, over wide characters and rows that are broken", () => {
  const up = { type: "up", columns: 10, history: [] } as const;
  const down = { ...up, type: "down" } as const;
  const steps: readonly (readonly [string, readonly ComposerEdit[], string])[] = [
    ["long line\nab\nlong li|ne", [up], "long line\nab|\nlong line"],
    ["long line\nab\nlong li|ne", [up, up], "long li|ne\nab\nlong line"],
    ["long li|ne\nab\nlong line", [down, down], "long line\nab\nlong li|ne"],
    ["漢字漢字\nabc|de", [up], "漢|字漢字\nabcde"],
    // Ten columns: "aaaa bbbb " and "cccc".
    ["aaaa bbbb cc|cc", [up], "aa|aa bbbb cccc"],
    ["aa|aa bbbb cccc", [down], "aaaa bbbb cc|cc"],
    // At the ends, without a history.
    ["ab|cd", [up], "|abcd"],
    ["ab|cd", [down], "abcd|"],
    // A motion between them takes its column.
    ["long line\nab\nlong li|ne", [up, { type: "move", to: "left" }, up], "l|ong line\nab\nlong line"],
  ];
  for (const [before, edits, after] of steps) {
    assert.equal(shown(afterAll(written(before), ...edits)), after, before);
  }
});

test("kills in a row are one, in the order of the text, and older ones come round the ring", () => {
  const kill = (to: "word_left" | "word_right" | "line_end"): ComposerEdit => ({ type: "kill", to });
  const killed = afterAll(
    written("one two three| four"),
    kill("word_left"),
    kill("word_left"),
    kill("word_right"),
  );
  assert.equal(shown(killed), "one |");
  assert.deepEqual(killed.kills, ["two three four"]);
  const two = afterAll(killed, { type: "move", to: "start" }, kill("line_end"));
  assert.deepEqual(two.kills, ["two three four", "one "]);
  const yanked = edit(two, { type: "yank" });
  assert.equal(shown(yanked), "one |");
  assert.equal(shown(edit(yanked, { type: "yank_older" })), "two three four|");
  assert.equal(shown(afterAll(yanked, { type: "yank_older" }, { type: "yank_older" })), "one |");
  // Only right behind a yank.
  assert.equal(shown(afterAll(yanked, { type: "move", to: "left" }, { type: "yank_older" })), "one| ");
  // One undo takes both back.
  assert.equal(shown(afterAll(yanked, { type: "yank_older" }, { type: "undo" })), "|");
});

test("the ring holds so many kills, and the oldest goes", () => {
  let composer = emptyComposer;
  for (let n = 0; n <= killsMax; n += 1) {
    composer = afterAll(composer, insert(String(n)), { type: "kill", to: "line_start" });
  }
  assert.equal(composer.kills.length, killsMax);
  assert.deepEqual([composer.kills[0], composer.kills.at(-1)], ["1", String(killsMax)]);
});

test("undo takes back a word of what was typed; redo does it again until something else is done", () => {
  const typed = afterAll(emptyComposer, ..."one two three".split("").map(insert));
  const states = ["one two |", "one |", "|", "|"];
  let composer = typed;
  for (const state of states) {
    composer = edit(composer, { type: "undo" });
    assert.equal(shown(composer), state);
  }
  composer = afterAll(composer, { type: "redo" }, { type: "redo" });
  assert.equal(shown(composer), "one two |");
  assert.equal(shown(afterAll(composer, insert("x"), { type: "redo" })), "one two x|");
  assert.equal(shown(afterAll(composer, { type: "redo" }, { type: "redo" })), "one two three|");
});

test("undo goes back so far and no further", () => {
  let composer = emptyComposer;
  for (let n = 0; n <= momentsMax; n += 1) composer = edit(composer, { type: "paste", text: "x" });
  for (let n = 0; n <= momentsMax; n += 1) composer = edit(composer, { type: "undo" });
  assert.equal(composer.text, "x");
});

test("what was cleared comes back by undo, and what was killed stays", () => {
  const sent = afterAll(written("one two|"), { type: "kill", to: "word_left" }, { type: "clear" });
  assert.equal(isBlank(sent), true);
  assert.equal(shown(edit(sent, { type: "undo" })), "one |");
  assert.equal(shown(edit(sent, { type: "yank" })), "two|");
  assert.equal(textOf(afterAll(sent, { type: "undo" }, { type: "undo" })), "one ");
});

test("the history is reached from the first row and the last one, and the draft is kept", () => {
  const history = historyOf(["first", "second\nlines"]);
  const up = { type: "up", columns: 40, history } as const;
  const down = { ...up, type: "down" } as const;
  const draft = written("my dra|ft");
  const steps = [
    [up, "second\nlines|"],
    [up, "secon|d\nlines"],
    [up, "first|"],
    [up, "|first"],
    [down, "second\nlines|"],
    [down, "my draft|"],
    [down, "my draft|"],
  ] as const;
  let composer = draft;
  for (const [what, after] of steps) {
    composer = edit(composer, what);
    assert.equal(shown(composer), after);
  }
});

test("what is written instead of an entry stays in its place, and entries stay as they were", () => {
  const history = historyOf(["first", "second"]);
  const previous = { type: "history_previous", history } as const;
  const next = { type: "history_next", history } as const;
  const changed = afterAll(written("draft"), previous, insert("!"), previous);
  assert.equal(shown(changed), "first|");
  assert.equal(shown(edit(changed, next)), "second!|");
  assert.equal(shown(afterAll(changed, next, next)), "draft|");
  assert.deepEqual(
    history.map(({ text }) => text),
    ["first", "second"],
  );
  // And undo goes back over all of it.
  assert.equal(shown(afterAll(changed, { type: "undo" }, { type: "undo" }, { type: "undo" })), "draft|");
});
