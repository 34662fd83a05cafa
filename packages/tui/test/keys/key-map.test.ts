/** Every key and what it does, and what becomes of keys that a user binds. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  type Action,
  actions,
  actionSpecs,
  type KeyContext,
  keyContexts,
  typingContexts,
} from "../../src/keys/actions.ts";
import type { KeyEvent } from "../../src/keys/key-event.ts";
import { actionOf, defaultKeys, essential, keyMapOf, keysOf } from "../../src/keys/key-map.ts";
import { keySequenceOf, shownKey } from "../../src/keys/key-name.ts";

const press = (key: string): KeyEvent => ({ type: "key", key, text: null });
const type = (character: string): KeyEvent => ({
  type: "key",
  key: character === " " ? "space" : character,
  text: character,
});

/** The keys that people expect, by where they are pressed. */
const expected: readonly (readonly [KeyContext, string, Action])[] = [
  ["composer", "enter", "submit"],
  ["composer", "shift+enter", "newline"],
  ["composer", "ctrl+j", "newline"],
  ["composer", "alt+enter", "submit_after_run"],
  ["composer", "escape", "interrupt"],
  ["composer", "ctrl+c", "cancel"],
  ["empty", "ctrl+c", "cancel"],
  ["empty", "ctrl+d", "leave"],
  ["composer", "ctrl+d", "delete_right"],
  ["composer", "ctrl+r", "history_search"],
  ["composer", "up", "up"],
  ["composer", "down", "down"],
  ["composer", "ctrl+o", "transcript"],
  ["composer", "ctrl+t", "tasks"],
  ["composer", "ctrl+b", "background"],
  ["composer", "ctrl+z", "suspend"],
  ["composer", "ctrl+l", "redraw"],
  ["composer", "ctrl+g", "editor"],
  ["composer", "shift+tab", "permission_mode"],
  ["composer", "tab", "complete"],
  ["composer", "alt+up", "queue_edit"],
  ["composer", "alt+p", "pods"],
  ["composer", "alt+n", "next_needy_pod"],
  ["composer", "ctrl+a", "line_start"],
  ["composer", "ctrl+e", "line_end"],
  ["composer", "ctrl+k", "kill_line_right"],
  ["composer", "ctrl+u", "kill_line_left"],
  ["composer", "ctrl+w", "kill_word_left"],
  ["composer", "ctrl+y", "yank"],
  ["composer", "alt+y", "yank_older"],
  ["composer", "alt+b", "word_left"],
  ["composer", "alt+f", "word_right"],
  ["composer", "alt+d", "kill_word_right"],
  ["composer", "ctrl+left", "word_left"],
  ["composer", "ctrl+right", "word_right"],
  ["composer", "ctrl+_", "undo"],
  ["composer", "ctrl+p", "history_previous"],
  ["composer", "ctrl+n", "history_next"],
  ["empty", "enter", "submit"],
  ["completion", "tab", "completion_accept"],
  ["completion", "enter", "submit"],
  ["completion", "down", "completion_next"],
  ["completion", "escape", "completion_close"],
  ["completion", "ctrl+w", "kill_word_left"],
  ["search", "ctrl+r", "search_older"],
  ["search", "enter", "search_accept"],
  ["search", "escape", "search_cancel"],
  ["search", "ctrl+e", "line_end"],
  ["list", "enter", "list_choose"],
  ["list", "escape", "list_close"],
  ["pager", "q", "pager_close"],
  ["pager", "space", "pager_page_down"],
  ["choice", "enter", "choice_take"],
  ["choice", "escape", "choice_close"],
];

test("the keys that people expect", () => {
  for (const [context, key, action] of expected) {
    assert.equal(actionOf(defaultKeys, context, press(key)), action, `${context} ${key}`);
  }
  assert.equal(actionOf(defaultKeys, "list", press("ctrl+w")), null);
});

test("two keys in a row", () => {
  assert.equal(actionOf(defaultKeys, "composer", press("escape"), "escape"), "rewind");
  assert.equal(actionOf(defaultKeys, "empty", press("ctrl+c"), "ctrl+c"), "leave");
  assert.equal(actionOf(defaultKeys, "composer", press("escape"), "ctrl+c"), "interrupt");
  // What is open is closed first.
  assert.equal(actionOf(defaultKeys, "completion", press("escape"), "escape"), "completion_close");
});

test("every character that can be typed inserts itself wherever text is typed", () => {
  const printable = Array.from({ length: 0x7f - 0x20 }, (_, n) => String.fromCharCode(0x20 + n));
  for (const context of typingContexts) {
    for (const character of [...printable, "é", "ß", "я", "漢", "한", "😀", "\u0301"]) {
      assert.equal(actionOf(defaultKeys, context, type(character)), null, `${context} ${character}`);
    }
  }
});

test("no configuration takes a character from those who type", () => {
  const bindings = fc.dictionary(
    fc.constantFrom(...actions),
    fc.array(
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 2 }),
        fc.constantFrom("space", "shift+a", "a b", "esc x"),
      ),
      {
        maxLength: 3,
      },
    ),
  );
  fc.assert(
    fc.property(
      bindings,
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
      (config, character) => {
        const { map } = keyMapOf(config);
        for (const context of typingContexts) {
          assert.equal(actionOf(map, context, type(character)), null);
        }
      },
    ),
    { seed: 20_261_122, numRuns: 60 },
  );
});

test("every action has a key or is made of one, a sentence, and no key means two things in one place", () => {
  for (const action of actions) {
    assert.match(actionSpecs[action].help, /^[A-Z].*\.$/, action);
    assert.notDeepEqual(keysOf(defaultKeys, action), [], action);
  }
  const all = actions.flatMap((action) =>
    keyContexts.flatMap((context) =>
      (actionSpecs[action].keys[context] ?? []).map((key) => `${context} ${key}`),
    ),
  );
  assert.deepEqual(
    all.filter((key, index) => all.indexOf(key) !== index),
    [],
  );
  // Written as a KeyEvent has them.
  for (const key of all.map((bound) => bound.slice(bound.indexOf(" ") + 1)))
    assert.equal(keySequenceOf(key), key);
});

test("keys as people write them", () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ["ctrl+x", "ctrl+x"],
    ["Ctrl+X", "ctrl+x"],
    ["Control-X", "ctrl+x"],
    ["c-x", "ctrl+x"],
    ["C-x C-e", "ctrl+x ctrl+e"],
    ["^X", "ctrl+x"],
    ["^", "^"],
    ["meta+shift+F2", "alt+shift+f2"],
    ["shift+ctrl+left", "ctrl+shift+left"],
    ["Esc Esc", "escape escape"],
    ["PgDn", "pagedown"],
    ["shift+a", "A"],
    ["A", "A"],
    ["ctrl++", "ctrl++"],
    ["ctrl+-", "ctrl+-"],
    ["ctrl+_", "ctrl+_"],
    ["?", "?"],
    ["漢", "漢"],
    ["", null],
    ["ctrl+", null],
    ["hyper+x", null],
    ["enterr", null],
    ["a b c", null],
    ["ctrl+ab", null],
    ["\u0007", null],
  ];
  for (const [written, key] of rows) assert.equal(keySequenceOf(written), key, written);
  assert.deepEqual(
    ["ctrl+x ctrl+e", "alt+pageup", "escape escape", "?", "ctrl++", "shift+f2", "G"].map(shownKey),
    ["Ctrl+X Ctrl+E", "Alt+PageUp", "Esc Esc", "?", "Ctrl++", "Shift+F2", "G"],
  );
});

test("a user's keys take the place of the defaults, in each context of the action", () => {
  const { map, problems } = keyMapOf({
    pods: ["ctrl+x p", "F4"],
    tasks: [],
    "history-search": ["ctrl+t"],
    redraw: ["alt+v"],
  });
  assert.deepEqual(problems, []);
  assert.equal(actionOf(map, "composer", press("p"), "ctrl+x"), "pods");
  assert.equal(actionOf(map, "composer", type("p")), null);
  assert.equal(actionOf(map, "empty", press("f4")), "pods");
  assert.equal(actionOf(map, "composer", press("f2")), null);
  assert.equal(actionOf(map, "composer", press("ctrl+t")), "history_search");
  assert.deepEqual(keysOf(map, "tasks"), []);
  assert.deepEqual(keysOf(map, "pods"), ["Ctrl+X p", "F4"]);
  assert.deepEqual(
    ["composer", "pager"].map((context) => actionOf(map, context as KeyContext, press("alt+v"))),
    ["redraw", "redraw"],
  );
});

test("what is wrong is said in one sentence each, and the rest counts", () => {
  const problemsOf = (config: Parameters<typeof keyMapOf>[0]) => keyMapOf(config).problems;
  const rows: readonly (readonly [Parameters<typeof keyMapOf>[0], readonly string[]])[] = [
    [{ submitt: ["enter"] }, ["terminal.keys.submitt is not an action: did you mean submit."]],
    [{ zzzzzz: ["enter"] }, ["terminal.keys.zzzzzz is not an action: /keys shows those that there are."]],
    [
      { "a\u001b[31m": ["enter"] },
      ["terminal.keys.a\\u001b[31m is not an action: /keys shows those that there are."],
    ],
    [{ pods: ["ctrl+entr"] }, ['terminal.keys.pods: "ctrl+entr" is not a key: did you mean enter.']],
    [
      { pods: ["hyper+q"] },
      ['terminal.keys.pods: "hyper+q" is not a key: write it as ctrl+x, alt+enter, f2 or escape.'],
    ],
    [
      { pods: ["p"] },
      [
        'terminal.keys.pods: "p" cannot be bound, as it could not be typed any more: take one with Ctrl or Alt.',
      ],
    ],
    [
      { pods: ["ctrl+q"], tree: ["ctrl+q"] },
      ['terminal.keys.tree: "Ctrl+Q" is bound to pods too: it is tree now.'],
    ],
    // In other places it is another key.
    [{ pods: ["ctrl+q"], pager_close: ["ctrl+q", "x"] }, []],
    [{ submit: [] }, ["terminal.keys.submit cannot be without a key: it keeps Enter."]],
  ];
  for (const [config, problems] of rows) assert.deepEqual(problemsOf(config), problems);
  const { map } = keyMapOf({ pods: ["p", "ctrl+q", "x+y"], tree: ["ctrl+q"] });
  assert.equal(actionOf(map, "composer", press("ctrl+q")), "tree");
  for (const keys of [["hyper+q"], ["p"]]) {
    assert.equal(actionOf(keyMapOf({ pods: keys }).map, "composer", press("f2")), "pods");
  }
  // A character where nothing is typed.
  const own = keyMapOf({ redraw: ["v"] });
  assert.deepEqual(
    [
      own.problems,
      ...(["composer", "pager"] as const).map((context) => actionOf(own.map, context, type("v"))),
    ],
    [[], null, "redraw"],
  );
});

test("no single binding takes away a key without which nothing is sent or left", () => {
  const all = [...new Set(actions.flatMap((action) => Object.values(actionSpecs[action].keys).flat()))];
  let given = 0;
  for (const action of actions)
    for (const key of [...all, "f5", "enter enter"]) {
      const { map, problems } = keyMapOf({ [action]: [key] });
      for (const needed of essential) {
        for (const context of keyContexts) {
          if (actionSpecs[needed].keys[context] === undefined) continue;
          assert.ok([...map.bound[context].values()].includes(needed), `${action} = ${key}: ${needed}`);
        }
      }
      if (problems.some((problem) => problem.includes("cannot be without a key"))) given += 1;
    }
  assert.ok(given > 5, `${given}`);
  const { map, problems } = keyMapOf({ pods: ["enter"] });
  assert.equal(actionOf(map, "composer", press("enter")), "submit");
  assert.deepEqual(problems, ['terminal.keys.pods: submit cannot be without a key: "Enter" stays its own.']);
  const moved = keyMapOf({ pods: ["enter"], submit: ["ctrl+s"] });
  assert.deepEqual([moved.problems, actionOf(moved.map, "composer", press("ctrl+s"))], [[], "submit"]);
});
