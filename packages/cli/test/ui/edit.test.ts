/** Which editor is started, and into which words its variable is split: as a shell would, expanding nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { editorOf, wordsOf } from "../../src/ui/edit.ts";

test("words", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["", []],
    ["  \t", []],
    ["vi", ["vi"]],
    ["code --wait", ["code", "--wait"]],
    ["'/opt/my editor/ed' -w", ["/opt/my editor/ed", "-w"]],
    ['"/opt/my editor/ed" -w', ["/opt/my editor/ed", "-w"]],
    ["/opt/my\\ editor/ed", ["/opt/my editor/ed"]],
    ["a\"b c\"'d e'f", ["ab cd ef"]],
    ['"a \\"b\\" \\x"', ['a "b" \\x']],
    ["''", [""]],
    ["$HOME `id` $(id) ; x", ["$HOME", "`id`", "$(id)", ";", "x"]],
    ["'open", ["open"]],
    ['"open', ["open"]],
  ];
  for (const [text, words] of cases) assert.deepEqual(wordsOf(text), words, text);
});

test("VISUAL comes before EDITOR, an empty one is not set, and vi is there where none is", () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
    [{}, ["vi"]],
    [{ EDITOR: "nano -w" }, ["nano", "-w"]],
    [{ EDITOR: "nano", VISUAL: "code --wait" }, ["code", "--wait"]],
    [{ EDITOR: "nano", VISUAL: " " }, ["nano"]],
  ];
  for (const [variables, editor] of cases) assert.deepEqual(editorOf({ variables }), editor);
});
