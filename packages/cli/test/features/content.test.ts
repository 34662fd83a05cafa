/** What a feature consists of: every regular file counts, anything else is refused with a reason, and every bound holds at n and n+1. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import {
  featureBytesMax,
  featureDepthMax,
  filesBelow,
  readFile,
  readFolder,
} from "../../src/features/content.ts";
import { place } from "./place.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const invalid = (reason: RegExp) => (error: unknown) =>
  error instanceof YoiError && error.code === "feature_invalid" && reason.test(error.message);

test("the digest is that of the canonical list of paths, lengths and contents", async () => {
  using at = place();
  at.plant("w/p/b.ts", "two");
  at.plant("w/p/a/é.ts", "one");
  at.plant("w/p/node_modules/x/index.js", "not ours");
  at.plant("w/p/a/node_modules/x/index.js", "not ours");
  const list = [
    { path: "a/é.ts", bytes: 3, sha256: sha256("one") },
    { path: "b.ts", bytes: 3, sha256: sha256("two") },
  ];
  const canonical = list
    .map((f) => `{"bytes":${f.bytes},"path":"${f.path}","sha256":"${f.sha256}"}`)
    .join(",");
  const { files, bytes, digest } = await readFolder(filesBelow(at.workspace), join(at.workspace, "p"));
  assert.deepEqual(
    files.map(({ path, sha256: sum, content }) => [path, sum, content.toString()]),
    [
      ["a/é.ts", sha256("one"), "one"],
      ["b.ts", sha256("two"), "two"],
    ],
  );
  assert.deepEqual([bytes, digest], [6, sha256(`{"files":[${canonical}],"format":1}`)]);
  const one = await readFile(filesBelow(at.workspace), join(at.workspace, "p"), "b.ts");
  const { path, bytes: length, sha256: sum } = list[1] ?? { path: "", bytes: 0, sha256: "" };
  const single = `{"bytes":${length},"path":"${path}","sha256":"${sum}"}`;
  assert.equal(one.digest, sha256(`{"files":[${single}],"format":1}`));
});

test("anything that changes in a feature changes its digest", async () => {
  const digests = new Set<string>();
  const changes: readonly (readonly [string, string])[][] = [
    [["a.ts", "x"]],
    [["a.ts", "y"]],
    [["b.ts", "x"]],
    [
      ["a.ts", "x"],
      ["b.ts", ""],
    ],
    [["d/a.ts", "x"]],
    [],
  ];
  for (const files of changes) {
    using at = place();
    mkdirSync(join(at.workspace, "p"));
    for (const [path, text] of files) at.plant(`w/p/${path}`, text);
    digests.add((await readFolder(filesBelow(at.workspace), join(at.workspace, "p"))).digest);
  }
  assert.equal(digests.size, changes.length);
});

test("links, FIFOs and names that are no text are refused, at once and with a reason", async () => {
  const table: readonly (readonly [(folder: string) => void, RegExp])[] = [
    [(p) => symlinkSync("a.ts", join(p, "l.ts")), /^"l\.ts" is a link$/],
    [(p) => symlinkSync("/etc/passwd", join(p, "l.ts")), /^"l\.ts" is a link$/],
    [(p) => symlinkSync("..", join(p, "up")), /^"up" is a link$/],
    [(p) => execFileSync("mkfifo", [join(p, "f.ts")]), /^"f\.ts" is not a regular file$/],
    [(p) => writeFileSync(Buffer.from(`${p}/\xff.ts`, "latin1"), ""), /names that are not UTF-8$/],
  ];
  for (const [prepare, reason] of table) {
    using at = place();
    at.plant("w/p/a.ts", "x");
    prepare(join(at.workspace, "p"));
    await assert.rejects(readFolder(filesBelow(at.workspace), join(at.workspace, "p")), invalid(reason));
  }
});

test("a link that takes a file's place between listing and reading leads nowhere else", async () => {
  using at = place();
  at.plant("w/p/a.ts", "x");
  at.plant("outside", "secret");
  symlinkSync(join(at.root, "outside"), join(at.workspace, "p/l.ts"));
  symlinkSync("a.ts", join(at.workspace, "p/inside.ts"));
  execFileSync("mkfifo", [join(at.workspace, "p/f.ts")]);
  const files = filesBelow(at.workspace);
  for (const [name, reason] of [
    ["l.ts", /not a regular file, or leads elsewhere$/],
    ["f.ts", /not a regular file, or leads elsewhere$/],
    ["inside.ts", /became a link/],
    ["gone.ts", /cannot be read/],
  ] as const)
    await assert.rejects(readFile(files, join(at.workspace, "p"), name), invalid(reason), name);
  linkSync(join(at.workspace, "p/a.ts"), join(at.workspace, "p/again.ts"));
  assert.equal((await readFile(files, join(at.workspace, "p"), "again.ts")).bytes, 1);
});

test("as many bytes as the limit, over two files, and one more", async () => {
  using at = place();
  const folder = join(at.workspace, "p");
  at.plant("w/p/a", "x");
  truncateSync(at.plant("w/p/b", ""), featureBytesMax - 1);
  const files = filesBelow(at.workspace);
  assert.equal((await readFolder(files, folder)).bytes, featureBytesMax);
  truncateSync(join(folder, "b"), featureBytesMax);
  await assert.rejects(readFolder(files, folder), invalid(/more than 16777216 bytes$/));
  truncateSync(join(folder, "b"), featureBytesMax + 1);
  await assert.rejects(readFile(files, folder, "b"), invalid(/more than 16777216 bytes$/));
});

test("as many folders in folders as the limit, and one more", async () => {
  using at = place();
  const folder = join(at.workspace, "p");
  const deep = Array.from({ length: featureDepthMax }, () => "d").join("/");
  at.plant(`w/p/${deep}/a.ts`, "x");
  const files = filesBelow(at.workspace);
  assert.equal((await readFolder(files, folder)).files.length, 1);
  at.plant(`w/p/${deep}/d/a.ts`, "x");
  await assert.rejects(readFolder(files, folder), invalid(/more than 16 folders in folders$/));
});
