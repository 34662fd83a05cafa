/** What a record says of touched files: itself up to its bound, then by a copy, and never what cannot be true. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { type FileCopies, readTouched, type Touched, touchedRecord } from "../../src/index.ts";
import { touchedBytesMax } from "../../src/copies/touched.ts";
import { digestOf } from "../../src/seen.ts";

const sha = "a".repeat(64);
const file = (index: number): Touched => ({ path: `/w/${1000 + index}`, before: sha, after: null });

function inMemory(): FileCopies {
  const kept = new Map<string, Uint8Array>();
  return {
    keep: async (bytes) => {
      kept.set(digestOf(bytes), bytes);
      return digestOf(bytes);
    },
    read: async (digest) => kept.get(digest) ?? null,
  };
}
const full: FileCopies = {
  keep: async () => {
    throw new YoiError("limit_exceeded", "No room.");
  },
  read: async () => null,
};

const one = JSON.stringify(file(0)).length + 1;
const most = Math.floor(touchedBytesMax / one);
const files = (count: number) => Array.from({ length: count }, (_, index) => file(index));

test("as many as have room are in the record, and one more makes a list of all of them", async () => {
  const copies = inMemory();
  assert.deepEqual(await touchedRecord([], copies, "command"), {});
  const within = await touchedRecord(files(most), copies, "command");
  assert.deepEqual(Object.keys(within), ["touched"]);
  assert.deepEqual(await readTouched(within, copies), { touched: files(most), lost: 0 });
  const beyond = await touchedRecord(files(most + 1), copies, "command");
  assert.deepEqual(Object.keys(beyond), ["touched_list", "touched_count"]);
  assert.deepEqual(await readTouched(beyond, copies), { touched: files(most + 1), lost: 0 });
  assert.deepEqual(await readTouched(beyond, full), { touched: [], lost: most + 1 });
});

test("a list that cannot be kept names the first, and says how many more there were", async () => {
  const record = await touchedRecord(files(most + 5), full, "command");
  assert.deepEqual(await readTouched(record, full), { touched: files(most), lost: 5 });
});

test("what is no such thing is none", async () => {
  const rows = [
    null,
    {},
    { path: "relative", before: null, after: null },
    { path: "/w/a", before: "x", after: null },
    { path: "/w/a", before: null, after: "not_kept" },
    { path: "/w/a", before: null },
    { path: "/w/a", before: null, after: null, mode: 0o10000 },
  ];
  for (const touched of [rows, "text", 7])
    assert.deepEqual(await readTouched({ touched }, full), { touched: [], lost: 0 });
});
