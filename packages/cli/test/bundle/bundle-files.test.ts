/** The files of a bundle: what stores may ask of them, and that nothing can be written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bundleFiles } from "../../src/bundle/bundle-files.ts";

const root = "/home/a/b.tar";
const files = bundleFiles(
  root,
  new Map([
    ["pods/p/metadata.json", Buffer.from("abcdef")],
    ["sessions/s/1.jsonl", Buffer.from("")],
    ["sessions/s/blobs/ab/x", Buffer.from("x")],
  ]),
);
const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());

test("reads what is there, and nothing beside it", async () => {
  assert.equal(text(await files.read(`${root}/pods/p/metadata.json`)), "abcdef");
  assert.equal(text(await files.read(`${root}/sessions/s/1.jsonl`)), "");
  for (const path of [`${root}/pods`, `${root}/nothing`, "/etc/passwd", "pods/p/metadata.json", root])
    assert.equal(await files.read(path), null, path);
  assert.equal(text(await files.readRange(`${root}/pods/p/metadata.json`, 2, 3)), "cde");
  assert.equal(text(await files.readRange(`${root}/pods/p/metadata.json`, 4, 30)), "ef");
  await assert.rejects(files.readRange("/etc/passwd", 0, 1), { code: "io_failed" });
});

test("knows its directories", async () => {
  assert.deepEqual(await files.list(root), ["pods", "sessions"]);
  assert.deepEqual(await files.list(`${root}/sessions/s`), ["1.jsonl", "blobs"]);
  assert.deepEqual(await files.list("/etc"), []);
  const kinds = [root, `${root}/sessions`, `${root}/sessions/s/1.jsonl`, `${root}/sess`, "/etc"].map(
    async (path) => (await files.stat(path))?.kind ?? null,
  );
  assert.deepEqual(await Promise.all(kinds), ["directory", "directory", "file", null, null]);
});

test("refuses to write", async () => {
  const path = `${root}/pods/p/metadata.json`;
  for (const write of [
    files.replace(path, new Uint8Array()),
    files.removeFile(path),
    files.removeTree(root),
    files.makeDirectory(`${root}/x`),
    files.createAppend(`${root}/x`),
    files.openAppend(path),
    files.syncDirectory(root),
  ])
    await assert.rejects(write, { code: "permission_denied" });
});
