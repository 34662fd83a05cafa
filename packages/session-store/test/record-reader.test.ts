/** Reading back: only what is acknowledged, with few reads, and never what somebody put in its place. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSessionStore, entryBytesMax, segmentPath } from "../src/index.ts";
import { indexStrideBytes, LineIndex } from "../src/line-index.ts";
import { readBytes } from "../src/record-reader.ts";
import { memoryHost } from "@yoi/host";
import { input, opening, refOf, startOf, withCode } from "./conformance.ts";

const dataDir = "/data";

async function segment() {
  const host = memoryHost({ seed: 1 });
  const store = createSessionStore({ files: host.files, clock: host.clock, dataDir });
  const start = startOf(host.ids);
  const { writer } = await store.create(start, opening);
  return { host, store, writer, ref: refOf(start), path: segmentPath(dataDir, refOf(start)) };
}

describe("reading entries back", () => {
  test("what is not acknowledged yet is not read, however far the file goes", async () => {
    const { host, writer, path } = await segment();
    const file = await host.files.openAppend(path);
    await file.append(Buffer.from('{"seq":3,"batch":3,"ts":1,"kind":"turn_end"}\n'));
    assert.deepEqual(await writer.records(3, 1_000), []);
    assert.deepEqual(
      (await writer.records(2, 1_000)).map(({ seq }) => seq),
      [2],
    );
  });

  test("an entry that is another one now, or gone, is damage with its place", async () => {
    for (const [change, reason] of [
      [
        (log: Buffer) => Buffer.concat([log.subarray(0, -40), Buffer.alloc(39, "x"), Buffer.from("\n")]),
        "checksum",
      ],
      [(log: Buffer) => Buffer.from(log.toString().replace('"seq":3', '"seq":4')), "seq"],
      [(log: Buffer) => log.subarray(0, -1), "end"],
    ] as const) {
      const { host, writer, path } = await segment();
      await writer.append([input("x")]);
      const log = Buffer.from((await host.files.read(path)) ?? []);
      await host.files.replace(path, change(log));
      await assert.rejects(writer.records(3, 1_000), withCode("log_damaged"), reason);
      assert.equal((await writer.records(0, 1)).length, 1, "what is before it is read");
    }
  });

  test("a late entry of a long log is found with a bounded read; control: without the index all is read", async () => {
    const reads = { bytes: 0 };
    const { host, writer } = await segment();
    const { readRange } = host.files;
    host.files.readRange = async (path, from, length) => {
      const read = await readRange(path, from, length);
      reads.bytes += read.length;
      return read;
    };
    for (let batch = 0; batch < 20; batch += 1)
      await writer.append(Array.from({ length: 20 }, () => input("t".repeat(10_000))));
    const { seq } = writer.head;
    reads.bytes = 0;
    assert.equal((await writer.records(seq, 1)).length, 1);
    assert.ok(reads.bytes <= readBytes + indexStrideBytes, `${reads.bytes} bytes were read`);
    assert.ok(writer.offset > 20 * readBytes, "the log is longer than that by far");
  });

  test("a payload beside the log is fetched once, and only where its entry is given", async () => {
    const { host, writer } = await segment();
    await writer.append([input("small")]);
    const [entry] = await writer.append([input("l".repeat(2 * entryBytesMax))]);
    const large = entry?.seq ?? assert.fail();
    const fetched: string[] = [];
    const { read } = host.files;
    host.files.read = async (path) => {
      fetched.push(path);
      return read(path);
    };
    const seqs = async (from: number, bytesMax: number, orOne: boolean) =>
      (await writer.records(from, bytesMax, orOne)).map(({ seq }) => seq);
    assert.deepEqual(await seqs(large - 1, entryBytesMax, true), [large - 1]);
    assert.deepEqual(await seqs(large, entryBytesMax, false), []);
    assert.deepEqual(fetched, []);
    assert.deepEqual(await seqs(large, entryBytesMax, true), [large]);
    assert.deepEqual(await seqs(large - 1, 3 * entryBytesMax, false), [large - 1, large]);
    assert.equal(fetched.length, 2);
  });

  test("the index keeps one line for each stride, and finds the nearest one before", () => {
    const index = new LineIndex();
    const line = indexStrideBytes / 4;
    for (let seq = 0; seq < 1_000; seq += 1) index.note(seq, seq * line);
    for (const [seq, found] of [
      [0, 0],
      [3, 0],
      [4, 4],
      [7, 4],
      [999, 996],
      [5_000, 996],
    ] as const)
      assert.deepEqual(index.before(seq), { seq: found, offset: found * line });
  });
});
