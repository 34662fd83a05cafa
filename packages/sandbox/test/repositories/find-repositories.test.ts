/** Finding git directories in a real tree. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { RepositoryFinder } from "../../src/repositories/find-repositories.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-find-")));
after(() => rmSync(root, { recursive: true }));

function tree(name: string, ...directories: string[]): string {
  for (const directory of directories) mkdirSync(join(root, name, directory), { recursive: true });
  return join(root, name);
}
const below = (top: string, found: readonly string[]): string[] =>
  found.map((path) => path.slice(top.length + 1));

test("finds nested, bare and linked git directories, and follows no link", () => {
  const top = tree(
    "kinds",
    ".git/objects/aa/.git",
    ".git/worktrees/w",
    "a/b/.git",
    "bare/objects",
    "not-bare",
    "deep/node_modules/x/.git/modules/m/objects",
  );
  for (const path of ["bare/HEAD", ".git/worktrees/w/HEAD", ".git/worktrees/w/commondir", "not-bare/HEAD"])
    writeFileSync(join(top, path), "x");
  writeFileSync(join(top, "deep/node_modules/x/.git/modules/m/HEAD"), "x");
  symlinkSync(join(top, "a"), join(top, "link"));
  const found = new RepositoryFinder().find([top, join(top, "a")]);
  assert.deepEqual(below(top, found.directories), [
    ".git",
    "bare",
    ".git/worktrees/w",
    "a/b/.git",
    "deep/node_modules/x/.git",
    "deep/node_modules/x/.git/modules/m",
  ]);
  assert.equal(found.complete, true);
});

test("sees what came and went since the last search", () => {
  const top = tree("changes", "a", "b/.git");
  const finder = new RepositoryFinder();
  assert.deepEqual(below(top, finder.find([top]).directories), ["b/.git"]);
  tree("changes", "a/new/.git");
  rmSync(join(top, "b"), { recursive: true });
  assert.deepEqual(below(top, finder.find([top]).directories), ["a/new/.git"]);
});

test("looks at its bound of directories, nearest the root first, and says when there are more", () => {
  const top = tree("bound", "a/x/.git", "b");
  const at = (max: number) => {
    const { directories, count, complete } = new RepositoryFinder(max).find([top]);
    return { directories: below(top, directories), count, complete };
  };
  assert.deepEqual(at(5), { directories: ["a/x/.git"], count: 5, complete: true });
  assert.deepEqual(at(4), { directories: [], count: 4, complete: false });
});

test("a root that is missing or a file is passed over", () => {
  const top = tree("odd", "a");
  writeFileSync(join(top, "file"), "x");
  const { looked: _, ...found } = new RepositoryFinder().find([join(top, "missing"), join(top, "file")]);
  assert.deepEqual(found, { directories: [], gitFiles: [], closed: [], count: 0, complete: true });
});
