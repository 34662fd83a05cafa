/** Long pastes are one cell, are sent whole, and come back as what they were. */
import assert from "node:assert/strict";
import test from "node:test";
import { fileRefText, type InputPart } from "@yoi/base";
import {
  chipLabel,
  chipsMax,
  noChips,
  pasteCharsMax,
  pasteLinesMax,
  signsIn,
  withChip,
} from "../../src/composer/chip.ts";
import {
  type Composer,
  composerOf,
  composerOfParts,
  edit,
  emptyComposer,
  partsOf,
  textOf,
} from "../../src/composer/composer.ts";
import { historyEntriesMax, historyOf, remembered } from "../../src/composer/history.ts";
import { inlineCharsMax } from "../../src/composer/state.ts";
import { afterAll, shown } from "./written.ts";

const paste = (text: string) => ({ type: "paste", text }) as const;
const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}`).join("\n");
const long = lines(pasteLinesMax + 1);

const labelsOf = ({ text, chips }: Composer): readonly string[] =>
  signsIn(text).map((sign) => {
    const chip = chips.get(sign);
    return chip === undefined ? "none" : chipLabel(sign, chip);
  });

test("a paste is a chip beyond so many lines or characters, and text up to them", () => {
  for (const text of [lines(pasteLinesMax), `${lines(pasteLinesMax)}\n`, "x".repeat(pasteCharsMax)]) {
    assert.equal(edit(emptyComposer, paste(text)).text, text);
  }
  for (const text of [lines(pasteLinesMax + 1), "x".repeat(pasteCharsMax + 1)]) {
    const composer = edit(emptyComposer, paste(text));
    assert.equal(composer.text.length, 1);
    assert.equal(textOf(composer), text);
  }
});

test("chips say what they stand for", () => {
  const composer = afterAll(
    emptyComposer,
    paste(long),
    paste("x".repeat(46_000)),
    paste(`${long}\n`.repeat(40_000)),
  );
  assert.deepEqual(labelsOf(composer), [
    "[pasted #1: 11 lines, 77 B]",
    "[pasted #2: 1 line, 45 KB]",
    "[pasted #3: 440000 lines, 3.0 MB]",
  ]);
});

test("a chip is deleted whole, cut whole and put back whole", () => {
  const composer = afterAll(emptyComposer, { type: "insert", text: "see " }, paste(long), {
    type: "insert",
    text: " end",
  });
  const before = afterAll(composer, { type: "kill", to: "word_left" }, { type: "backspace" });
  assert.equal(textOf(before), `see ${long}`);
  assert.equal(textOf(edit(before, { type: "backspace" })), "see ");
  const cut = edit(before, { type: "kill", to: "word_left" });
  assert.equal(textOf(cut), "see ");
  assert.equal(textOf(afterAll(cut, { type: "yank" }, { type: "yank" })), `see ${long}${long}`);
  assert.equal(textOf(afterAll(cut, { type: "undo" })), `see ${long}`);
  // Also after it was sent.
  assert.equal(textOf(afterAll(cut, { type: "clear" }, { type: "yank" })), long);
});

test("nothing in a paste refers to a file, and what is typed around it does", () => {
  const pasted = `${long}\n@etc/passwd`;
  const composer = afterAll(emptyComposer, { type: "insert", text: "@a.ts and " }, paste(pasted), {
    type: "insert",
    text: "@b.ts",
  });
  assert.deepEqual(partsOf(composer), [
    { type: "file_ref", path: "a.ts" },
    { type: "text", text: ` and ${pasted}` },
    { type: "file_ref", path: "b.ts" },
  ]);
});

test("chips come back from the history as chips, beside those that are there", () => {
  const sent = afterAll(emptyComposer, { type: "insert", text: "old " }, paste(long));
  const history = remembered([], sent);
  const fresh = afterAll(emptyComposer, paste(`${long}!`));
  const recalled = edit(fresh, { type: "history_previous", history });
  assert.equal(textOf(recalled), `old ${long}`);
  assert.equal(signsIn(recalled.text).length, 1);
  const back = edit(recalled, { type: "history_next", history });
  assert.equal(textOf(back), `${long}!`);
  assert.equal(textOf(edit(recalled, { type: "undo" })), `${long}!`);
});

test("the history keeps what was sent once, and no blank text", () => {
  const of = (text: string) => composerOf(text);
  let history = historyOf(["a"]);
  for (const text of ["a", " \n", "b", "b", "a"]) history = remembered(history, of(text));
  assert.deepEqual(
    history.map((entry) => textOf(entry)),
    ["a", "b", "a"],
  );
});

test("the history keeps so many entries, and the oldest goes", () => {
  const texts = Array.from({ length: historyEntriesMax }, (_, n) => `entry ${n}`);
  const full = historyOf(texts);
  assert.deepEqual([full.length, full[0]?.text], [historyEntriesMax, "entry 0"]);
  const next = remembered(full, composerOf("one more"));
  assert.deepEqual(
    [next.length, next[0]?.text, next.at(-1)?.text],
    [historyEntriesMax, "entry 1", "one more"],
  );
  assert.deepEqual([historyOf(["older", ...texts])[0]?.text], ["entry 0"]);
});

test("a text of an editor or an older history is a chip beyond so many characters", () => {
  const most = "y".repeat(inlineCharsMax);
  assert.equal(composerOf(most).text, most);
  assert.equal(composerOf(`${most}y`).text.length, 1);
  assert.equal(textOf(composerOf(`${most}y`)), `${most}y`);
  const set = afterAll(emptyComposer, paste(long), { type: "set", text: `${most}y` });
  assert.equal(textOf(set), `${most}y`);
  assert.equal(textOf(edit(set, { type: "undo" })), long);
});

test("a path is typed where it can be, and a chip with a line break", () => {
  const chosen = (path: string) =>
    edit(emptyComposer, { type: "file_ref", from: 0, to: 0, path, goesOn: false });
  for (const path of ["a\nb", 'a "b" c', "a\\ b", "a,"])
    assert.deepEqual(
      partsOf(chosen(path)).filter(({ type }) => type === "file_ref"),
      [{ type: "file_ref", path }],
    );
  assert.equal(chosen('a "b" c').text, '@"a \\"b\\" c" ');
  assert.equal(labelsOf(chosen("a\nb")).length, 1);
});

test("an input that waited comes back as what it was", () => {
  const file = (path: string): InputPart => ({ type: "file_ref", path });
  const text = (value: string): InputPart => ({ type: "text", text: value });
  const inputs: readonly (readonly [readonly InputPart[], string])[] = [
    [[text("hello")], "hello|"],
    [[text("see "), file("src/a.ts"), text(", please")], "see @src/a.ts, please|"],
    [[file("my notes.md")], '@"my notes.md"|'],
    [[text("mail @bob and a@b")], "mail \\@bob and a@b|"],
  ];
  for (const [parts, written] of inputs) {
    const composer = composerOfParts(parts);
    assert.equal(shown(composer), written);
    assert.deepEqual(partsOf(composer), parts);
  }
  // What no typing gives comes back in chips.
  for (const parts of [[file('a "b"')], [file("a"), text("b")], [text("\\@x")], [text("z".repeat(30_000))]]) {
    assert.deepEqual(partsOf(composerOfParts(parts)), parts);
  }
  assert.equal(fileRefText("my notes.md"), '@"my notes.md"');
});

test("there are so many chips and no more: what is pasted then is text", () => {
  let chips = noChips;
  for (let n = 0; n < chipsMax; n += 1)
    chips = withChip(chips, { kind: "paste", text: "x" })?.chips ?? noChips;
  assert.equal(chips.size, chipsMax);
  assert.equal(withChip(chips, { kind: "paste", text: "x" }), null);
  assert.equal(edit({ ...emptyComposer, chips }, paste(long)).text, long);
});

test("a paste of 1 MB takes no time that is noticed, and neither does typing behind it", () => {
  const big = "0123456789abcde\n".repeat(65_536);
  const question = "a question about it";
  const times = [1, 2, 3].map(() => {
    const begun = performance.now();
    const pasted = edit(emptyComposer, paste(big));
    const between = performance.now();
    const typed = [...question].reduce(
      (composer, key) => edit(composer, { type: "insert", text: key }),
      pasted,
    );
    const ended = performance.now();
    assert.equal(textOf(typed), big + question);
    return { pasteMs: between - begun, typeMs: ended - between };
  });
  // The best of three: the machine does other things too.
  const best = (key: "pasteMs" | "typeMs"): number => Math.min(...times.map((time) => time[key]));
  assert.ok(best("pasteMs") < 50, `${best("pasteMs")} ms for the paste`);
  assert.ok(best("typeMs") < 50, `${best("typeMs")} ms for ${question.length} keys`);
});
