/** Trees at their bounds: entries, depth, and the size of an ignore file. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { ignoreFileBytesMax, treeDepthMax, type TreeOptions } from "../src/scoped-files/tree.ts";
import { type Bench, createBench } from "./support.ts";

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.close());

async function walked(options: Partial<TreeOptions> = {}) {
  const { files, unreadable, cutAt } = await bench.files.tree(bench.workspace, {
    honourIgnoreFiles: true,
    wantsFile: () => true,
    wantsDirectory: () => true,
    pause: async () => {},
    ...options,
  });
  const below = (path: string): string => path.slice(bench.workspace.length + 1);
  return { files: files.map(below), unreadable: unreadable.map(below), cutAt: cutAt && below(cutAt) };
}

test("entries: as many as the bound are looked at, and of one more it is said", async () => {
  for (const name of ["a", "b", "c"]) writeFileSync(join(bench.workspace, name), "");
  assert.deepEqual(await walked({ entriesMax: 3 }), { files: ["a", "b", "c"], unreadable: [], cutAt: null });
  const cut = await walked({ entriesMax: 2 });
  assert.equal(cut.files.length, 2);
  assert.equal(cut.cutAt, "");
});

test("where a directory below has too many entries, nothing after it is shown, and it is named", async () => {
  for (const name of ["b", "c"]) mkdirSync(join(bench.workspace, name));
  for (const name of ["a", "b/1", "b/2", "b/3", "c/1", "d"]) writeFileSync(join(bench.workspace, name), "");
  const { files, cutAt } = await walked({ entriesMax: 4 });
  assert.deepEqual([files.length, files[0], cutAt], [3, "a", "b/"]);
  assert.ok(
    files.slice(1).every((path) => path.startsWith("b/")),
    String(files),
  );
});

test("depth: a directory at the bound is looked into, and one below it is said to be left out", async () => {
  const above = bench.workspace.split("/").length - 1;
  let path = bench.workspace;
  for (let depth = above; depth < treeDepthMax; depth += 1) {
    path = join(path, "d");
    mkdirSync(path);
  }
  const deepest = "d/".repeat(treeDepthMax - above);
  writeFileSync(join(path, "in"), "");
  assert.deepEqual(await walked(), { files: [`${deepest}in`], unreadable: [], cutAt: null });
  mkdirSync(join(path, "d"));
  writeFileSync(join(path, "d", "out"), "");
  assert.deepEqual(await walked(), { files: [`${deepest}in`], unreadable: [`${deepest}d/`], cutAt: null });
});

test("an ignore file at the bound counts, and a larger one says nothing", async () => {
  writeFileSync(join(bench.workspace, "hidden"), "");
  const rules = (bytes: number): string => "hidden\n".padEnd(bytes, "#");
  for (const [bytes, files] of [
    [ignoreFileBytesMax, []],
    [ignoreFileBytesMax + 1, ["hidden"]],
  ] as const) {
    writeFileSync(join(bench.workspace, ".ignore"), rules(bytes));
    assert.deepEqual((await walked()).files, files);
  }
});
