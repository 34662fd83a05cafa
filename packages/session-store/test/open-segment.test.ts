/** A log is read in pieces, and comes out as if it had been read at once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost } from "@yoi/host";
import { decodeLog } from "../src/index.ts";
import { pieceBytes, readSegment } from "../src/open-segment.ts";
import { dataDir, segmentWith } from "./support/small-segment.ts";

const host = memoryHost({ seed: 1 });
/** Lines of very different lengths, over three pieces and a bit; one of two-byte characters, so that pieces end inside them. */
const texts = Array.from({ length: 61 }, (_, index) =>
  (index % 3 === 0 ? "é" : "x").repeat(index % 2 === 0 ? 90_000 : 10 + index),
);
const { ref, path, log } = await segmentWith(host, texts);
/** Where lines end, LF included. */
const ends = [...log.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
const lastLine = ends.at(-2) ?? 0;

async function assertSame(bytes: Buffer, what: string): Promise<void> {
  await host.files.replace(path, bytes);
  const read = await readSegment({ files: host.files, dataDir, ref });
  const whole = decodeLog(bytes, { path, ref });
  assert.deepEqual(read.log, whole, what);
  assert.ok(read.rest.equals(bytes.subarray(whole.goodBytes)), what);
}

describe("a log of several pieces", () => {
  test("has more of them than one, and none begins with a line", () => {
    assert.ok(log.length > 3 * pieceBytes);
    for (let at = pieceBytes; at < log.length; at += pieceBytes) assert.ok(!ends.includes(at));
  });

  test("is read to its end", async () => {
    await assertSame(log, "whole");
    await assertSame(Buffer.alloc(0), "empty");
    assert.equal(decodeLog(log, { path, ref }).entries.length, texts.length + 3);
  });

  test("that ends with a piece, next to one, or in the middle of a line", async () => {
    const cuts = [1, 2].flatMap((piece) => [-1, 0, 1].map((by) => piece * pieceBytes + by));
    for (const cut of [...cuts, ...ends.slice(-3), lastLine - 1, lastLine + 1, log.length - 1])
      await assertSame(log.subarray(0, cut), `cut at ${cut}`);
    for (const length of [pieceBytes - 1, pieceBytes, pieceBytes + 1]) {
      const end = ends.findLast((at) => at <= length) ?? 0;
      const filler = Buffer.alloc(length - end, "?");
      await assertSame(Buffer.concat([log.subarray(0, end), filler]), `filled up to ${length}`);
    }
  });

  test("with a damaged byte in any piece", async () => {
    for (const at of [200, pieceBytes - 1, pieceBytes, pieceBytes + 5000, 2 * pieceBytes + 7, lastLine - 2]) {
      const damaged = Buffer.from(log);
      damaged[at] = 0xff;
      await assertSame(damaged, `byte ${at}`);
    }
  });

  test("with sectors lost in a late piece, some of them where the file has none", async () => {
    for (const [from, to] of [
      [512 * 6000, 512 * 6001],
      [512 * 6000 + 1, 512 * 6001],
      [lastLine, Math.ceil(lastLine / 512) * 512],
      [lastLine, log.length],
    ] as const) {
      const holed = Buffer.from(log).fill(0, from, to);
      await assertSame(holed, `zeros from ${from} to ${to}`);
    }
    // The very last write alone may be torn, and it is: sectors count from the start of the file, not of a piece.
    await host.files.replace(path, Buffer.from(log).fill(0, lastLine, Math.ceil(lastLine / 512) * 512));
    const { log: torn } = await readSegment({ files: host.files, dataDir, ref });
    assert.deepEqual([torn.damage, torn.tail.state, torn.goodBytes], [null, "torn", lastLine]);
  });

  test("with a long stretch that no line ends", async () => {
    await assertSame(Buffer.concat([log, Buffer.alloc(3 * pieceBytes + 1, "y")]), "at the end");
    await assertSame(Buffer.alloc(2 * pieceBytes, "y"), "all of it");
  });
});
