/** Commands taken apart: bounded, whatever they are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as grammar from "unbash";
import { charsOf } from "../../../src/policy/shell/part.ts";
import { hereDocsMax, readCommand } from "../../../src/policy/shell/read-command.ts";
import { matchedCharsMax, nestingMax, parsedCharsMax, partsMax } from "../../../src/policy/shell/reading.ts";

const written = (text: string): readonly string[] =>
  readCommand(text, "/w", grammar).parts.map((part) => part.written);

test("a command is as many parts as it runs programs and writes files", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["", []],
    ["x=1", []],
    ["ls", ["ls"]],
    ["A=1 ls  -l 'a b' \"$x\" >f 2>&1", ["A=1", "ls -l a b $x", "> f"]],
    ["CI=1 ls; x=1; PAGER=cat", ["ls", "PAGER=cat", "cat $@"]],
    ['"$D/bin/uv" run', ["$D/bin/uv run"]],
    ["echo $(date; id) | cat", ["echo $(date; id)", "date", "id", "cat"]],
    ["sudo env A=1 nice ls", ["sudo env A=1 nice ls", "env A=1 nice ls", "nice ls", "ls"]],
    ["bash -c 'ls; bash -c id'", ["bash -c ls; bash -c id", "ls", "bash -c id", "id"]],
    [
      "echo a >f >>g >|h &>i <>j >&k <l >/dev/null 2>&1 >&- <&3",
      ["echo a", "> f", "> g", "> h", "> i", "> j", "> k"],
    ],
    ["find . -exec ls {} ';' -exec id +", ["find . -exec ls {} ; -exec id +", "ls {}", "id"]],
    ["xargs -n 1 -I{} cp {} d", ["xargs -n 1 -I{} cp {} d", "cp {} d"]],
    ["git -c a.b=c bisect run make", ["git -c a.b=c bisect run make", "make"]],
  ];
  for (const [text, want] of table) assert.deepEqual(written(text), want, text);
});

test("what is read is bounded at each limit, and beyond it unknown", () => {
  const table: readonly (readonly [string, (n: number) => string, number, step?: number])[] = [
    ["characters", (n) => `: ${"x".repeat(n - 2)}`, parsedCharsMax],
    ["characters of texts within texts", (n) => `eval  '${"x".repeat((n - 8) / 2)}'`, parsedCharsMax, 2],
    ["parts", (n) => ":;".repeat(n), partsMax],
    ["files written", (n) => ">b ".repeat(n), partsMax],
    ["characters to match", (n) => `env ${"x".repeat((n - 4) / 2)}`, matchedCharsMax, 2],
    ["here-documents", (n) => ": <<E\nE\n".repeat(n), hereDocsMax],
    ["substitutions", (n) => `: ${"$(: ".repeat(n)}${")".repeat(n)}`, nestingMax],
    ["nesting", (n) => `${"nice ".repeat(n)}ls`, nestingMax],
  ];
  for (const [name, of, max, step = 1] of table) {
    assert.equal(readCommand(of(max), "/w", grammar).unknown, null, name);
    const beyond = readCommand(of(max + step), "/w", grammar);
    assert.match(beyond.unknown ?? "", /more than|longer than/, name);
    assert.ok(beyond.parsedChars <= parsedCharsMax && beyond.parts.length <= partsMax, name);
  }
});

test("a grammar that fails is no reading", () => {
  const failing = { ...grammar, parse: () => assert.fail("broken") };
  assert.deepEqual(readCommand("ls", "/w", failing), {
    parts: [],
    unknown: "cannot be read (broken)",
    parsedChars: 2,
    matchedChars: 0,
  });
});

const deep = 24_000;
const shapes: readonly string[] = [
  "$(".repeat(deep / 2),
  "`".repeat(deep),
  "(".repeat(deep),
  "{ ".repeat(deep / 2),
  "$((".repeat(deep / 3),
  "((".repeat(deep / 2),
  "${x:-".repeat(deep / 5),
  '"$('.repeat(deep / 3),
  "if ".repeat(deep / 3),
  "<<E ".repeat(deep / 4),
  "a[".repeat(deep / 2),
  "{a,".repeat(deep / 3),
  "sudo ".repeat(deep / 5),
  "eval ".repeat(deep / 5),
  "bash -c '".repeat(deep / 9),
  "x='$(".repeat(deep / 5),
  "a|".repeat(deep / 2),
  "\\\n".repeat(deep / 2),
  ">b ".repeat(80_000),
  "a;".repeat(partsMax - 1),
  `find . ${"-exec a \\; ".repeat(20_000)}`,
  `${"parallel ".repeat(31)}a`,
  `${"parallel ".repeat(31)}a; `.repeat(900),
  "nice ".repeat(50_000),
];

test("no shape makes it read or match more than its bound, or throw", () => {
  for (const text of shapes) {
    const { parsedChars, matchedChars, parts } = readCommand(text, "/w", grammar);
    const isWithin =
      parsedChars <= parsedCharsMax && matchedChars <= matchedCharsMax && parts.length <= partsMax;
    assert.ok(isWithin, text.slice(0, 10));
    assert.equal(
      matchedChars,
      parts.reduce((sum, part) => sum + charsOf(part), 0),
      text.slice(0, 10),
    );
  }
});

const seed = 4_072;
const numRuns = 1500;

test(`random text is read within the bound and never throws (${numRuns} cases, seed ${seed})`, () => {
  const token = fc.constantFrom(
    ..."$(` \"'\\\n;|&<>{}[]()=!#*?~a0".split(""),
    ..."$( $(( ${ <<E E\n do done if then fi case esac in for eval bash -c git env sudo xargs find -exec".split(
      " ",
    ),
  );
  const soup = fc.array(token, { maxLength: 120 }).map((tokens) => tokens.join(""));
  const bytes = fc.uint8Array({ maxLength: 400 }).map((raw) => Buffer.from(raw).toString("latin1"));
  fc.assert(
    fc.property(fc.oneof(soup, bytes, fc.string({ maxLength: 200 })), (text) => {
      const { parsedChars, parts } = readCommand(text, "/w", grammar);
      assert.ok(parsedChars <= parsedCharsMax && parts.length <= partsMax);
    }),
    { seed, numRuns },
  );
});
