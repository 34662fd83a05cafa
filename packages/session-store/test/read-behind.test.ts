/** Reading behind an entry: in pieces, from where it was left, durable, with what is damaged said. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, segmentId } from "@yoi/base";
import { type Files, type MemoryHost, memoryHost, noFaults } from "@yoi/host";
import {
  createSessionStore,
  type DecodedEntry,
  entryBytesMax,
  type LogPiece,
  type SegmentRef,
  type SessionStore,
} from "../src/index.ts";
import { LogMarks, markedLogsMax, markStrideBytes } from "../src/log-marks.ts";
import { pieceBytes } from "../src/open-segment.ts";
import { firstBytes } from "../src/read-behind.ts";
import { inputsOf, opening, withCode } from "./conformance.ts";
import { dataDir, read, segmentWith } from "./support/small-segment.ts";

async function piecesOf(store: SessionStore, ref: SegmentRef, seq: number): Promise<readonly LogPiece[]> {
  const pieces: LogPiece[] = [];
  for await (const piece of store.readBehind(ref, seq)) pieces.push(piece);
  return pieces;
}
const seqsOf = (pieces: readonly LogPiece[]) =>
  pieces.flatMap(({ entries }) => entries.map(({ seq }) => seq));
const big = (text: string): EntryBody => ({ kind: "run_errored", code: "c", message: text });

/** A store over the same disk that says what it reads of logs. */
function counting(host: MemoryHost) {
  const reads: number[] = [];
  const readRange: Files["readRange"] = async (path, from, length) => {
    const bytes = await host.files.readRange(path, from, length);
    reads.push(bytes.length);
    return bytes;
  };
  const files = new Proxy(host.files, {
    get: (target, name) => (name === "readRange" ? readRange : Reflect.get(target, name)),
  });
  const readBytes = () => reads.splice(0).reduce((sum, bytes) => sum + bytes, 0);
  return { store: createSessionStore({ files, clock: host.clock, dataDir }), readBytes, reads };
}

/** A segment of about `bytes`, closed, in entries of 10 kB. */
async function longSegment(bytes: number) {
  const host = memoryHost({ seed: 1 });
  const { store, ref, path } = await segmentWith(host, []);
  const { writer } = await store.open(ref, opening);
  const text = "x".repeat(10_000);
  for (let written = 0; written < bytes; written += 1_000_000)
    await writer.append(Array.from({ length: 100 }, () => big(text)));
  const last = writer.head.seq;
  return { host, ref, path, writer, last };
}

test("behind every entry: just those that follow it; behind the last one, and beyond, none", async () => {
  const host = memoryHost({ seed: 1 });
  const { store, ref } = await segmentWith(host, ["a", "b", "c"]);
  const { entries } = await store.read(ref);
  for (let seq = -1; seq <= entries.length; seq += 1) {
    const fresh = createSessionStore({ ...host, dataDir });
    for (const one of [fresh, store]) {
      const pieces = await piecesOf(one, ref, seq);
      assert.deepEqual(
        pieces.flatMap((piece) => piece.entries),
        entries.slice(seq + 1),
      );
      assert.ok(pieces.every(({ damage }) => damage === null));
    }
  }
});

test("a payload in a blob is not fetched until it is asked for, and said to be damaged then", async () => {
  const host = memoryHost({ seed: 1 });
  const { store, ref } = await segmentWith(host, ["x".repeat(entryBytesMax)]);
  const { entries } = await store.read(ref);
  const found: DecodedEntry[] = (await piecesOf(store, ref, -1)).flatMap((piece) => [...piece.entries]);
  const detached = found.find((entry) => "detached" in entry);
  assert.ok(detached !== undefined && "detached" in detached);
  assert.deepEqual(await store.attach(ref, detached), entries[detached.seq]);
  await host.files.removeTree(`${dataDir}/sessions/${ref.session}/blobs`);
  assert.equal((await piecesOf(store, ref, -1)).at(-1)?.damage, null);
  await assert.rejects(store.attach(ref, detached), withCode("blob_damaged"));
});

describe("what is read", () => {
  test("pieces of 1 MiB at most, and none that ends where the reader stops", async () => {
    const { host, ref, last } = await longSegment(5_000_000);
    const { store, reads } = counting(host);
    const pieces = await piecesOf(store, ref, -1);
    assert.deepEqual([seqsOf(pieces).length, Math.max(...reads) <= pieceBytes], [last + 1, true]);
    assert.ok(pieces.length >= 5, `${pieces.length} pieces`);
    const most = Math.max(...pieces.map(({ entries }) => entries.length));
    assert.ok(most <= 110, `${most} entries in one piece`);
    reads.length = 0;
    for await (const piece of store.readBehind(ref, -1)) {
      assert.equal(piece.entries[0]?.kind, "segment_start");
      break;
    }
    assert.deepEqual(reads, [firstBytes]);
  });

  test("on from where it was left, whoever asks, also in between; a log that ends there costs its last line", async () => {
    const { host, ref, writer, last } = await longSegment(5_000_000);
    const { store, readBytes } = counting(host);
    await piecesOf(store, ref, last - 1);
    assert.ok(readBytes() > 5_000_000);
    await piecesOf(store, ref, last);
    assert.equal(readBytes(), 0);
    await writer.append([big("new")]);
    assert.deepEqual(seqsOf(await piecesOf(store, ref, last)), [last + 1]);
    assert.ok(readBytes() < 1_000);
    assert.deepEqual(seqsOf(await piecesOf(store, ref, last - 100)).length, 101);
    assert.ok(readBytes() < 1_000_000 + 2 * markStrideBytes);
    const fresh = counting(host);
    assert.deepEqual(await piecesOf(fresh.store, ref, last + 1), []);
    assert.equal(fresh.readBytes(), firstBytes);
  });

  test("a log that is another one behind the place is read from its beginning", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["a", "b"]);
    await piecesOf(store, ref, -1);
    const lines = log.toString().split("\n");
    await host.files.replace(path, Buffer.from(`${lines.slice(0, 4).join("\n")}\n`));
    assert.deepEqual(seqsOf(await piecesOf(store, ref, 3)), []);
    const { writer } = await store.open(ref, opening);
    await writer.append([big("another"), big("and one more")]);
    const { entries } = await store.read(ref);
    const pieces = await piecesOf(store, ref, 4);
    assert.deepEqual(
      [pieces.flatMap((piece) => piece.entries), pieces.at(-1)?.damage],
      [entries.slice(5), null],
    );
  });
});

describe("damage", () => {
  const damaged = async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["first", "second", "third"]);
    const bytes = Buffer.from(log);
    bytes.write("SECOND", bytes.indexOf("second"));
    await host.files.replace(path, bytes);
    const { damage } = await store.read(ref);
    return { host, ref, path, damage, log };
  };

  test("what is good before it is given, and it is said with its place, also to who reads behind it", async () => {
    const { host, ref, damage, path, log } = await damaged();
    assert.ok(damage !== null);
    assert.deepEqual([damage.path, damage.line, damage.offset], [path, 5, log.indexOf('{"seq":4')]);
    for (const seq of [-1, 2, 3, 4]) {
      const store = createSessionStore({ ...host, dataDir });
      const pieces = await piecesOf(store, ref, seq);
      assert.deepEqual(seqsOf(pieces), [0, 1, 2, 3].slice(seq + 1));
      assert.deepEqual(pieces.at(-1)?.damage, damage);
      // From where it stopped, too.
      assert.deepEqual((await piecesOf(store, ref, seq)).at(-1)?.damage, damage);
    }
  });

  test("a line that is only passed over is held to the chain as well", async () => {
    const { host, ref, damage } = await damaged();
    const pieces = await piecesOf(createSessionStore({ ...host, dataDir }), ref, 5);
    assert.deepEqual([seqsOf(pieces), pieces.at(-1)?.damage], [[], damage]);
  });

  test("what stands behind it is not read, however much that is", async () => {
    const { host, ref, path } = await longSegment(5_000_000);
    const bytes = await read(host, path);
    bytes.write("y", bytes.indexOf("xxxx"));
    await host.files.replace(path, bytes);
    const { store, readBytes } = counting(host);
    assert.equal((await piecesOf(store, ref, -1)).at(-1)?.damage?.line, 5);
    assert.ok(readBytes() <= firstBytes);
  });

  test("a torn tail is none, and neither is a write that lost sectors", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["a", "b"]);
    await host.files.replace(path, Buffer.concat([log, Buffer.from('{"seq":5')]));
    const pieces = await piecesOf(store, ref, -1);
    assert.deepEqual([seqsOf(pieces), pieces.at(-1)?.damage], [[0, 1, 2, 3, 4], null]);
    const sectors = Buffer.alloc(4 * 512);
    log.copy(sectors);
    sectors.write("}\n", sectors.length - 2);
    await host.files.replace(path, sectors);
    const after = await piecesOf(createSessionStore({ ...host, dataDir }), ref, -1);
    const view = await store.read(ref);
    assert.deepEqual([seqsOf(after).length, after.at(-1)?.damage], [view.entries.length, view.damage]);
  });
});

test("what a reader acts on is durable: a power cut takes none of it back; control: what was only read may go", async () => {
  const lost = { read: 0, readBehind: 0 };
  for (const how of ["read", "readBehind"] as const) {
    for (let seed = 1; seed <= 20; seed += 1) {
      const host = memoryHost({ seed });
      const { store, ref, path } = await segmentWith(host, ["one"]);
      const { writer } = await store.open(ref, opening);
      // The writer's own sync has not come yet, or does nothing.
      host.disk.plan = ({ kind }) => (kind === "sync" ? "lie" : "pass");
      await writer.append([{ kind: "user_input", parts: [{ type: "text", text: "two" }] }]);
      host.disk.plan = noFaults;
      const before = await read(host, path);
      if (how === "read") await store.read(ref);
      else assert.deepEqual(seqsOf(await piecesOf(store, ref, 4)), [5]);
      assert.ok(before.equals(await read(host, path)), "nothing is written");
      host.crash("power");
      const after = createSessionStore({ ...host.restart(), dataDir });
      if (inputsOf((await after.read(ref)).entries).length < 2) lost[how] += 1;
    }
  }
  assert.equal(lost.readBehind, 0);
  assert.ok(lost.read > 0, "the control lost nothing");
});

test("a log that the disk does not take is not read as durable, and none that is not there is", async () => {
  const host = memoryHost({ seed: 1 });
  const { store, ref } = await segmentWith(host, ["one"]);
  host.disk.plan = ({ kind }) => (kind === "sync" ? "EIO" : "pass");
  await assert.rejects(piecesOf(store, ref, -1), withCode("io_failed"));
  host.disk.plan = noFaults;
  const gone = { ...ref, segment: segmentId(host.ids.uuidV7()) };
  await assert.rejects(piecesOf(store, gone, -1), withCode("io_failed"));
});

describe("the last entry", () => {
  test("with its sum, whatever stands torn behind it", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["a", "b"]);
    const { entries, head } = await store.read(ref);
    const last = { entry: entries.at(-1), sum: head?.sum };
    assert.deepEqual(await store.readLast(ref), last);
    await host.files.replace(path, Buffer.concat([log, Buffer.from('{"seq":5')]));
    assert.deepEqual(await store.readLast(ref), last);
  });

  test("of a log of one line, and of a line that is longer than what is read at first", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["x".repeat(firstBytes * 5)]);
    assert.equal((await store.readLast(ref))?.entry.seq, 3);
    await host.files.replace(path, log.subarray(0, log.indexOf("\n") + 1));
    assert.equal((await store.readLast(ref))?.entry.seq, 0);
  });

  test("none: no log, an empty one, one whose last line is no entry", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path } = await segmentWith(host, []);
    for (const text of ["", "\n", "x\n", "no end"]) {
      await host.files.replace(path, Buffer.from(text));
      assert.equal(await store.readLast(ref), null, text);
    }
    await host.files.removeFile(path);
    assert.equal(await store.readLast(ref), null);
  });
});

describe("marks", () => {
  const mark = (seq: number, offset: number) => ({ seq, offset, batch: seq, sum: "0".repeat(16) });

  test("the nearest one before, within the log; the last one gives way while the one before it is near", () => {
    const marks = new LogMarks();
    for (let n = 1; n <= 40; n += 1) marks.note("a", mark(n, (n * markStrideBytes) / 10));
    const before = (seq: number, bytes = Infinity) => marks.before("a", seq, bytes)?.seq ?? null;
    assert.deepEqual([before(0), before(9), before(11), before(25), before(40)], [null, null, 10, 20, 40]);
    assert.equal(before(40, 3.5 * markStrideBytes), 30);
    marks.note("a", mark(3, 3));
    marks.note("a", null);
    assert.equal(before(40), 40);
    marks.forget("a");
    assert.equal(before(40), null);
  });

  test(`of ${markedLogsMax} logs, those that were read last`, () => {
    const marks = new LogMarks();
    for (let n = 0; n < markedLogsMax; n += 1) marks.note(`log ${n}`, mark(1, 1));
    marks.note("log 0", mark(2, 2));
    const kept = (n: number) => marks.before(`log ${n}`, 9, 9) !== null;
    assert.deepEqual([kept(0), kept(1)], [true, true]);
    marks.note(`log ${markedLogsMax}`, mark(1, 1));
    assert.deepEqual([kept(0), kept(1), kept(2), kept(markedLogsMax)], [true, false, true, true]);
  });
});
