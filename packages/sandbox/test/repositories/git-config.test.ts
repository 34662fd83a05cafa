/** Which settings of a git configuration run something. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runningSettings, settingsMax } from "../../src/repositories/git-config.ts";

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "an ordinary one",
    '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://x/y\n\tfetch = +refs/*\n',
    [],
  ],
  ["hooksPath in any case", "[CORE]\n hooksPATH = ../evil", ["core.hookspath=../evil"]],
  ["on the line of its section", "[core] fsmonitor = ./run", ["core.fsmonitor=./run"]],
  ["without a value", "[core]\nfsmonitor", ["core.fsmonitor=true"]],
  ["an alias", '[alias]\n st = "!sh -c \\"x\\"" # comment', ['alias.st=!sh -c "x"']],
  ["the old form of a subsection", "[alias.x]\n y = z", ["alias.x.y=z"]],
  ["an include", "[include]\npath = a\npath = b ; why", ["include.path=a", "include.path=b"]],
  ["a conditional one", '[includeIf "gitdir:~/x/"]\n\tpath = y', ["includeif.gitdir:~/x/.path=y"]],
  ["a filter", '[filter "a b"]\nclean = x\nrequired = true', ["filter.a b.clean=x"]],
  ["a line that goes on", "[core]\nhooksPath = a\\\nb", ["core.hookspath=ab"]],
  ["a line that goes on, with CR", "[core]\r\nhooksPath = a\\\r\nb\r\n", ["core.hookspath=ab"]],
  ["twice the same", "[core]\neditor = x\n[core]\neditor = x", ["core.editor=x"]],
  ["a key of another section", "[user]\neditor = x\n", []],
  ["a comment", "# [core] editor = x\n[core]\n; editor = x", []],
  ["nothing", "", []],
  ["garbage", "\0\0[[[\n]]=\n[core\neditor = x", []],
];

for (const [name, text, expected] of cases) {
  test(`settings that run something: ${name}`, () => assert.deepEqual(runningSettings(text), expected));
}

test("the number of settings is bounded", () => {
  const of = (count: number): string =>
    `[alias]\n${Array.from({ length: count }, (_, index) => `a${index} = x`).join("\n")}`;
  assert.equal(runningSettings(of(settingsMax)).length, settingsMax);
  const over = runningSettings(of(settingsMax + 1));
  assert.deepEqual([over.length, over.at(-1)], [settingsMax + 1, "and 1 more"]);
});
