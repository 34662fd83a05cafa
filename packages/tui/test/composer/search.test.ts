/** The search in the history, step by step. */
import assert from "node:assert/strict";
import test from "node:test";
import { composerOf, edit, emptyComposer, textOf } from "../../src/composer/composer.ts";
import { historyOf, remembered } from "../../src/composer/history.ts";
import { beginSearch, searched, searchShown, type SearchStep } from "../../src/composer/search.ts";
import { shown } from "./written.ts";

const history = historyOf(["make it fast", "fix the test", "Fix the build", "fix the test", "done"]);
const type = (text: string): SearchStep => ({ type: "type", text });
const older: SearchStep = { type: "older" };
const newer: SearchStep = { type: "newer" };
const erase: SearchStep = { type: "erase" };

/** Steps, and after them: what is asked for, which entry is shown, whether there was none. */
const rows: readonly (readonly [readonly SearchStep[], string, number | null, boolean])[] = [
  [[], "", null, false],
  [[older], "", null, false],
  [[type("f"), type("ix")], "fix", 3, false],
  // In any case of letters, and the same text only once.
  [[type("fix"), older], "fix", 2, false],
  [[type("fix"), older, older], "fix", 1, false],
  [[type("fix"), older, older, older], "fix", 1, true],
  [[type("fix"), older, older, newer], "fix", 2, false],
  [[type("fix"), older, newer, newer], "fix", 3, true],
  // What is shown stays as long as it fits.
  [[type("fix"), older, type(" the b")], "fix the b", 2, false],
  [[type("fix"), type("zz")], "fixzz", 3, true],
  [[type("fixzz"), erase, erase], "fix", 3, false],
  [[type("zz")], "zz", null, true],
  [[type("make"), erase, erase, erase, erase], "", null, false],
  [[type("e\u0301"), erase], "", null, false],
  [[type("a\nb")], "a b", null, true],
];

test("each step finds what it should", () => {
  for (const [steps, query, match, isFailed] of rows) {
    const end = steps.reduce(
      (search, step) => searched(search, history, step),
      beginSearch(composerOf("draft")),
    );
    assert.deepEqual(
      { ...end, before: null },
      { query, match, isFailed, before: null },
      JSON.stringify(steps),
    );
  }
});

test("a match is the composer's, with the draft behind it in the history; given up, the draft is as it was", () => {
  const before = edit(composerOf("my draft"), { type: "move", to: "word_left" });
  const search = searched(beginSearch(before), history, type("make"));
  const taken = searchShown(search, history);
  assert.equal(shown(taken), "make it fast|");
  assert.equal(shown(edit(taken, { type: "undo" })), "my |draft");
  assert.equal(shown(edit(taken, { type: "history_next", history })), "fix the test|");
  assert.equal(search.before, before);
  assert.equal(searchShown(beginSearch(before), history), before);
});

test("a chip is found with the text around it, and comes back whole", () => {
  const long = "paste\n".repeat(20);
  const sent = edit(edit(emptyComposer, { type: "insert", text: "explain " }), { type: "paste", text: long });
  const more = remembered(history, sent);
  const found = searched(beginSearch(emptyComposer), more, type("expl"));
  assert.equal(textOf(searchShown(found, more)), `explain ${long}`);
});
