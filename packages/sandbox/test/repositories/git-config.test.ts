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
  ["a comment that ends in a backslash", "[core]\n# note \\\nhooksPath = h", ["core.hookspath=h"]],
  ["a comment with a CR in it", "[core]\nhooksPath = h # \r x\n", ["core.hookspath=h"]],
  ["a comment with a line separator in it", "[core]\nhooksPath = h # \u2028 x\n", ["core.hookspath=h"]],
  ["a subsection with escapes and a bracket", '[filter "a\\"]b"]\nclean = x', ['filter.a"]b.clean=x']],
  ["a value in quotation marks with a comment sign", '[core]\neditor = "a # b" ; c', ["core.editor=a # b"]],
  ["an archive format", '[tar "tar.gz"]\ncommand = x', ["tar.tar.gz.command=x"]],
  ["a remote that is a command", '[remote "o"]\nurl = ext::sh -c x', ["remote.o.url=ext::sh -c x"]],
  ["a transfer of git-lfs", '[lfs "customtransfer.mine"]\npath = x', ["lfs.customtransfer.mine.path=x"]],
  ["a byte order mark", "\ufeff[core]\neditor = x", ["core.editor=x"]],
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

for (const piece of ["[", "[a", '["', '["\\', "[a]", '[a "b"', "a=\\\n", 'a="', "[a\n", "\\"]) {
  test(`256 KiB of ${JSON.stringify(piece)} are read in one pass`, () => {
    const text = piece.repeat(Math.floor((256 * 1024) / piece.length));
    assert.deepEqual(runningSettings(`${text}\n[core]\neditor = x`).slice(1), []);
  });
}
