/** What waits for a client: joined, bounded in lines and bytes, thrown away when it is too much. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientBytesMax, clientEventsMax, type Connection } from "@yoi/protocol";
import { Outbox, writeBytesMax } from "../../src/serve/outbox.ts";
import type { StreamLine } from "../../src/serve/stream-line.ts";

const lineOf = (bytes: number, seq: number | null = null): StreamLine => ({
  bytes: Buffer.alloc(bytes, "x"),
  seq,
});

/** A connection whose writes go on until they are let go. */
function stalled() {
  const writes: { readonly bytes: number; readonly done: PromiseWithResolvers<void> }[] = [];
  const connection: Pick<Connection, "write"> = {
    write: (bytes) => {
      const done = Promise.withResolvers<void>();
      writes.push({ bytes: bytes.length, done });
      return done.promise;
    },
  };
  const drops = { count: 0 };
  const outbox = new Outbox(connection, () => (drops.count += 1));
  return { outbox, drops, writes };
}

describe("an outbox", () => {
  test("writes at once, and joins what waits meanwhile up to 64 KiB", async () => {
    const { outbox, writes } = stalled();
    for (const size of [10, 20, 30, writeBytesMax - 50, 1, writeBytesMax + 1]) outbox.push(lineOf(size));
    let isDrained = false;
    const drained = outbox.drained().then(() => (isDrained = true));
    for (let taken = 0; taken < 4; taken += 1) {
      assert.equal(isDrained, false);
      writes[taken]?.done.resolve();
      for (let i = 0; i < 4; i += 1) await Promise.resolve();
    }
    await drained;
    assert.deepEqual(
      writes.map(({ bytes }) => bytes),
      [10, writeBytesMax, 1, writeBytesMax + 1],
    );
  });

  test("takes 4,096 lines that wait, and not one more", () => {
    const { outbox, drops } = stalled();
    for (let line = 0; line <= clientEventsMax; line += 1) outbox.push(lineOf(1));
    assert.equal(drops.count, 0, "one is being written, and as many wait as may");
    outbox.push(lineOf(1));
    assert.equal(drops.count, 1);
  });

  test("takes 8 MiB that wait, and not one byte more", () => {
    const { outbox, drops } = stalled();
    outbox.push(lineOf(1));
    for (let piece = 0; piece < 8; piece += 1) outbox.push(lineOf(clientBytesMax / 8));
    assert.equal(drops.count, 0);
    outbox.push(lineOf(1));
    assert.equal(drops.count, 1);
  });

  test("one line may be larger than all that may wait, and no second one beside it", async () => {
    const { outbox, drops, writes } = stalled();
    for (const size of [1, clientBytesMax + 1, 1, clientBytesMax - 1]) outbox.push(lineOf(size));
    assert.equal(drops.count, 0);
    for (const write of [0, 1]) {
      writes[write]?.done.resolve();
      for (let i = 0; i < 4; i += 1) await Promise.resolve();
    }
    outbox.push(lineOf(clientBytesMax + 1));
    assert.equal(drops.count, 0, "the first one has left");
    outbox.push(lineOf(clientBytesMax + 1));
    assert.equal(drops.count, 1);
  });

  test("ends with a line in place of what waits, and knows the last entry that it gave away", async () => {
    const { outbox, writes } = stalled();
    outbox.push(lineOf(1, 7));
    outbox.push(lineOf(2, 8));
    outbox.endWith(lineOf(5));
    outbox.push(lineOf(9));
    assert.equal(outbox.seq, 7);
    writes[0]?.done.resolve();
    for (let i = 0; i < 4; i += 1) await Promise.resolve();
    writes[1]?.done.resolve();
    await outbox.drained();
    assert.deepEqual(
      writes.map(({ bytes }) => bytes),
      [1, 5],
    );
  });

  test("a connection that is over takes what waits with it", async () => {
    const { outbox, writes } = stalled();
    outbox.push(lineOf(1));
    outbox.push(lineOf(1));
    writes[0]?.done.reject(new Error("the connection is over"));
    await outbox.drained();
    outbox.push(lineOf(1));
    assert.deepEqual([outbox.isOver, writes.length], [true, 1]);
  });
});
