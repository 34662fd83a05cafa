/** What is completed where, and what becomes of the list. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  accepted,
  answered,
  chosen,
  closed,
  type Completable,
  completableAt,
  type Completion,
  enterMeans,
  isOpen,
  refreshed,
} from "../../src/composer/completion.ts";
import { edit, partsOf } from "../../src/composer/composer.ts";
import { pathSuggestions, wordSuggestions } from "../../src/composer/suggestion.ts";
import { shown, written } from "./written.ts";

const path = (prefix: string, from: number, to: number): Completable => ({
  kind: "path",
  as: "reference",
  prefix,
  from,
  to,
});
const command = (prefix: string): Completable => ({
  kind: "command",
  prefix,
  from: 0,
  to: prefix.length + 1,
});
const argument = (name: string, prefix: string, from: number): Completable => ({
  kind: "argument",
  command: name,
  prefix,
  from,
  to: from + prefix.length,
});

const places: readonly (readonly [string, Completable | null])[] = [
  ["|", null],
  ["hello|", null],
  ["@|", path("", 0, 1)],
  ["@src/a|", path("src/a", 0, 6)],
  ["see @src/a| now", path("src/a", 4, 10)],
  ["see\n@a|", path("a", 4, 6)],
  ["mail me@host|", null],
  ["\\@a|", null],
  ["see @a |", null],
  ['@"my di|', path("my di", 0, 7)],
  ['@"my di|"', path("my di", 0, 8)],
  ['@"my di"|', null],
  ["/|", command("")],
  [":|", command("")],
  ["/he|", command("he")],
  ["/he|lp", command("he")],
  [" /he|", null],
  ["a /he|", null],
  ["/usr/bi|", null],
  ["/open |", argument("open", "", 6)],
  ["/open fo|", argument("open", "fo", 6)],
  [":open fo|", argument("open", "fo", 6)],
  ["/send foo hello|", null],
  ["/send foo @a|", path("a", 10, 12)],
  ["/btw @a|", path("a", 5, 7)],
  ["!cat @a|", path("a", 5, 7)],
];

test("each place", () => {
  for (const [text, what] of places) assert.deepEqual(completableAt(written(text)), what, text);
});

test("words of a command for the shell are completed by hand, and on into directories", () => {
  const asks: readonly (readonly [string, string | null])[] = [
    ["!cat src/a|", "src/a"],
    ["!|", ""],
    ["!ls |", ""],
    ["!make && ./bu|", "./bu"],
    ["!cat <in|", "in"],
    ["!x=a|", "a"],
    ["!x=$HOME/a|", null],
    ["!cat 'a b|", null],
    ["!cat 'a b' c|", "c"],
    ["!cat $|", null],
    ["cat src/a|", null],
  ];
  for (const [text, prefix] of asks) {
    const { completion, ask } = refreshed(null, written(text), 1, true);
    assert.deepEqual([ask, completion?.what.prefix ?? null], [prefix !== null, prefix], text);
    assert.deepEqual(refreshed(null, written(text), 1), { completion: null, ask: false });
  }
  const first = answered(refreshed(null, written("!ls s|"), 1, true).completion, 1, answerOf("src/", "my s"));
  assert.ok(first !== null);
  const into = accepted(first, written("!ls s|"));
  assert.equal(shown(into), "!ls src/|");
  const second = refreshed(first, into, 2);
  assert.deepEqual([second.ask, second.completion?.what.prefix], [true, "src/"]);
  const quoted = accepted(chosen(first, 1), written("!ls s|"));
  assert.equal(shown(quoted), "!ls 'my s' |");
  // The next word is another one.
  assert.deepEqual(refreshed(first, quoted, 2), { completion: null, ask: false });
  const apostrophe = answered(first, 1, answerOf("it's"));
  assert.ok(apostrophe !== null);
  assert.equal(shown(accepted(apostrophe, written("!ls s|"))), "!ls 'it'\\''s' |");
});

const answerOf = (...paths: readonly string[]) =>
  pathSuggestions({
    entries: paths.map((name) => ({ path: name, kind: name.endsWith("/") ? "directory" : "file" })),
    more: false,
  });

function asked(text: string, ticket = 1): Completion {
  const { completion, ask } = refreshed(null, written(text), ticket);
  assert.ok(completion !== null && ask, text);
  return completion;
}

test("a late answer is dropped, and what was there is shown as far as it fits", () => {
  const first = asked("@s|", 1);
  const shownFirst = answered(first, 1, answerOf("src/", "spec.md", "a/s"));
  const second = refreshed(shownFirst, written("@sr|"), 2);
  assert.deepEqual([second.ask, second.completion?.ticket], [true, 2]);
  assert.deepEqual(
    second.completion?.items.map(({ label }) => label),
    ["src/"],
  );
  const late = answered(second.completion, 1, answerOf("spec.md"));
  assert.equal(late, second.completion);
  const onTime = answered(second.completion, 2, answerOf("src/", "srv/"));
  assert.deepEqual(
    onTime?.items.map(({ label }) => label),
    ["src/", "srv/"],
  );
  // Nothing is asked where only the cursor came and went.
  assert.equal(refreshed(onTime, written("@sr|"), 3).ask, false);
  assert.deepEqual(refreshed(onTime, written("@sr |"), 3), { completion: null, ask: false });
  // A new one never takes an answer to what was asked before it.
  const third = refreshed(null, written("@x|"), 3);
  assert.equal(answered(third.completion, 1, answerOf("spec.md")), third.completion);
});

test("a list that was closed stays closed at its place, and opens at another one", () => {
  const list = answered(asked("@s|"), 1, answerOf("src/"));
  assert.ok(isOpen(list));
  const shut = closed(list);
  assert.equal(isOpen(shut), false);
  const typed = refreshed(shut, written("@sr|"), 2);
  assert.deepEqual([typed.ask, isOpen(typed.completion)], [false, false]);
  assert.equal(refreshed(shut, written("@s @t|"), 2).ask, true);
});

test("the choice goes around the ends", () => {
  const list = answered(asked("@|"), 1, answerOf("a", "b", "c"));
  assert.ok(list !== null);
  const steps = [1, 1, 1, -1] as const;
  let at = list;
  assert.deepEqual(
    steps.map((step) => (at = chosen(at, step)).selected),
    [1, 2, 0, 2],
  );
  assert.equal(chosen({ ...list, items: [] }, 1).selected, 0);
});

const acceptances: readonly (readonly [string, string, string])[] = [
  ["@s|", "src/", "@src/|"],
  ["@src/a|", "src/a.ts", "@src/a.ts |"],
  ["see @src/a| now", "src/a.ts", "see @src/a.ts |now"],
  ["@m|", "my dir/", '@"my dir/|"'],
  ['@"my dir/|"', "my dir/a.ts", '@"my dir/a.ts" |'],
  ['@"my|', "my dir/a b", '@"my dir/a b" |'],
];

test("what is taken stands in place of what was typed, and refers to what was chosen", () => {
  for (const [before, name, after] of acceptances) {
    const composer = written(before);
    const list = answered(asked(before), 1, answerOf(name));
    assert.ok(list !== null);
    const next = accepted(list, composer);
    assert.equal(shown(next), after);
    const paths = partsOf(next).flatMap((part) => (part.type === "file_ref" ? [part.path] : []));
    assert.deepEqual(paths, [name]);
  }
});

test("commands are completed at once, by their names before their aliases", () => {
  const { completion, ask } = refreshed(null, written("/re|"), 1);
  assert.equal(ask, false);
  assert.deepEqual(
    completion?.items.map(({ insert }) => insert),
    ["/rewind", "/review", "/resume", "/restore", "/revoke", "/title", "/tree", "/screen"],
  );
  assert.ok(completion !== null);
  assert.equal(shown(accepted(completion, written("/re|"))), "/rewind |");
  const colon = refreshed(null, written(":rewi|"), 1).completion;
  assert.deepEqual(
    colon?.items.map(({ insert, label }) => [insert, label]),
    [[":rewind", ":rewind"]],
  );
});

test("words that an argument may be", () => {
  const words = ["beta", "alphabet", "gamma"].map((word) => ({ word, detail: "" }));
  assert.deepEqual(
    wordSuggestions("BET", words).map(({ insert }) => insert),
    ["beta", "alphabet"],
  );
  const list = answered(asked("/open b|"), 1, wordSuggestions("b", words));
  assert.ok(list !== null);
  assert.equal(shown(accepted(list, written("/open b|"))), "/open beta |");
});

test("what Enter does while the list is shown", () => {
  const paths = (text: string, ...names: readonly string[]) => answered(asked(text), 1, answerOf(...names));
  const commands = (text: string) => refreshed(null, written(text), 1).completion;
  const down = (list: Completion | null) => (list === null ? null : chosen(list, 1));
  const rows: readonly (readonly [Completion | null, string])[] = [
    [null, "submit"],
    [paths("@sr|"), "submit"],
    [paths("@sr|", "src/"), "accept"],
    // It is all there already.
    [paths("@src|", "src", "src.ts"), "submit"],
    [down(paths("@src|", "src", "src.ts")), "accept"],
    [commands("/help|"), "submit"],
    [commands("/docto|"), "accept_and_submit"],
    [commands("/re|"), "accept"],
    [down(commands("/co|")), "accept_and_submit"],
    // It takes something behind it.
    [commands("/queu|"), "accept"],
    [commands("/xyz|"), "submit"],
  ];
  for (const [index, [list, means]] of rows.entries()) assert.equal(enterMeans(list), means, `row ${index}`);
  const list = paths("@sr|", "src/");
  assert.equal(enterMeans(list === null ? null : closed(list)), "submit");
});

test("completing a directory goes on into it", () => {
  const list = answered(asked("@s|"), 1, answerOf("src/"));
  assert.ok(list !== null);
  const next = refreshed(list, accepted(list, written("@s|")), 2);
  assert.deepEqual([next.ask, next.completion?.what.prefix], [true, "src/"]);
  const typed = edit(accepted(list, written("@s|")), { type: "insert", text: "a" });
  assert.equal(shown(typed), "@src/a|");
});
