/** Stored lines: any stretch of a log, from either side, with little read that is not wanted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type EntryBody, segmentId, sessionId } from "@yoi/base";
import { type Files, memoryHost } from "@yoi/host";
import {
  createSessionStore,
  entryBytesMax,
  type LinesFrom,
  type SegmentRef,
  type SessionStore,
} from "../src/index.ts";
import { firstBytes } from "../src/read-behind.ts";
import { opening, withCode } from "./conformance.ts";
import { dataDir, read, segmentWith } from "./support/small-segment.ts";

const message = (text: string): EntryBody => ({ kind: "run_errored", code: "c", message: text });

async function linesOf(store: SessionStore, ref: SegmentRef, from: LinesFrom) {
  const lines = [];
  for await (const stretch of store.readLines(ref, from)) lines.push(...stretch);
  return lines;
}
const seqsOf = async (store: SessionStore, ref: SegmentRef, from: LinesFrom) =>
  (await linesOf(store, ref, from)).map(({ seq }) => seq);
const range = (from: number, to: number) =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
    : Array.from({ length: from - to + 1 }, (_, index) => from - index);

/** Lines of very different lengths, so that reads end in any place of one; a long one comes in the middle. */
async function unevenSegment() {
  const host = memoryHost({ seed: 1 });
  const { store, ref, path } = await segmentWith(host, []);
  const { writer } = await store.open(ref, opening);
  for (let index = 0; index < 120; index += 1) {
    const bytes = index === 60 ? entryBytesMax - 1_000 : (index * 7919) % 30_000;
    await writer.append([message("x".repeat(bytes))]);
  }
  await writer.close();
  return { host, store, ref, path, last: writer.head.seq };
}

test("from every entry, onwards and backwards: just what lies there, as it was written", async () => {
  const { host, store, ref, path, last } = await unevenSegment();
  const { entries, sums } = await store.read(ref);
  const all = await linesOf(store, ref, { seq: 0, direction: "onwards" });
  assert.deepEqual(
    all.map((line) => line.decode()),
    entries,
  );
  assert.deepEqual(
    all.map(({ sum }) => sum),
    sums,
  );
  assert.equal(
    all.reduce((total, { bytes }) => total + bytes, 0),
    (await read(host, path)).length,
  );
  for (const seq of [0, 1, 2, 3, 40, 62, 63, 64, 65, last - 1, last]) {
    assert.deepEqual(await seqsOf(store, ref, { seq, direction: "onwards" }), range(seq, last));
    assert.deepEqual(await seqsOf(store, ref, { seq, direction: "backwards" }), range(seq, 0));
  }
  assert.deepEqual(await seqsOf(store, ref, { seq: last + 1, direction: "onwards" }), []);
  for (const seq of [last + 1, Infinity])
    assert.deepEqual(await seqsOf(store, ref, { seq, direction: "backwards" }), range(last, 0));
});

test("what an unfinished write left, and a damaged line, are no lines; those around them are found", async () => {
  const { host, store, ref, path, last } = await unevenSegment();
  const log = await read(host, path);
  const lines = log.toString("latin1").split("\n").slice(0, -1);
  lines[50] = "damaged";
  await host.files.replace(path, Buffer.from(`${lines.join("\n")}\n{"seq":${last + 1},"ba`, "latin1"));
  const rest = range(last, 0).filter((seq) => seq !== 50);
  assert.deepEqual(await seqsOf(store, ref, { seq: Infinity, direction: "backwards" }), rest);
  assert.deepEqual(await seqsOf(store, ref, { seq: 49, direction: "onwards" }), [49, ...range(51, last)]);
  assert.deepEqual(await seqsOf(store, ref, { seq: 50, direction: "onwards" }), range(51, last));
});

test("little is read of a long log: where an entry is, is found by halves, and its start is one read", async () => {
  const { host, ref, last, path } = await unevenSegment();
  let bytes = 0;
  const readRange: Files["readRange"] = async (...args) => {
    const found = await host.files.readRange(...args);
    bytes += found.length;
    return found;
  };
  const files = new Proxy(host.files, {
    get: (target, name) => (name === "readRange" ? readRange : Reflect.get(target, name)),
  });
  const store = createSessionStore({ files, clock: host.clock, dataDir });
  const whole = (await read(host, path)).length;
  for (const direction of ["onwards", "backwards"] as const) {
    bytes = 0;
    for await (const [first] of store.readLines(ref, { seq: last - 5, direction })) {
      assert.equal(first?.seq, last - 5);
      break;
    }
    assert.ok(bytes < whole / 2, `${bytes} bytes read of ${whole}`);
  }
  bytes = 0;
  const start = await store.readStart(ref);
  assert.ok(bytes <= firstBytes, `${bytes} bytes read`);
  assert.deepEqual(start, (await store.read(ref)).entries[0]);
});

test("a start is read alone, also with a prompt in a blob; none where there is no segment or it does not begin as one", async () => {
  const host = memoryHost({ seed: 1 });
  const { store, ref, path, log } = await segmentWith(host, ["a"]);
  assert.deepEqual(await store.readStart(ref), (await store.read(ref)).entries[0]);
  const other: SegmentRef = { ...ref, segment: segmentId(host.ids.uuidV7()) };
  assert.equal(await store.readStart(other), null);
  await assert.rejects(linesOf(store, other, { seq: 0, direction: "onwards" }), withCode("io_failed"));
  await host.files.replace(path, log.subarray(log.indexOf("\n") + 1));
  assert.equal(await store.readStart(ref), null);
  await host.files.replace(path, log.subarray(0, 40));
  assert.equal(await store.readStart(ref), null);
});

test("a session's segments are listed by their files alone", async () => {
  const host = memoryHost({ seed: 1 });
  const { store, ref, path, log } = await segmentWith(host, []);
  const second = { ...ref, segment: segmentId(host.ids.uuidV7()) };
  const directory = path.slice(0, path.lastIndexOf("/"));
  await host.files.replace(`${directory}/${second.segment}.jsonl`, log);
  for (const name of [`${ref.segment}.torn`, `${ref.segment}.trace.jsonl`, "notes.jsonl"])
    await host.files.replace(`${directory}/${name}`, log);
  const writtenMs = (await store.writtenMs(ref)) ?? 0;
  assert.deepEqual(
    (await store.listSegments(ref.session)).map((one) => ({ ...one, writtenMs })),
    [ref, second].map((one) => ({ ref: one, bytes: log.length, writtenMs })),
  );
  assert.deepEqual(await store.listSegments(sessionId(host.ids.uuidV7())), []);
});
