/** What waits for a client: joined, bounded in lines and bytes, thrown away when it is too much. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost } from "@yoi/host";
import { clientBytesMax, clientEventsMax, type Connection, untakenMs } from "@yoi/protocol";
import { Outbox, pieceBytesMax, writeBytesMax } from "../../src/serve/outbox.ts";
import type { StreamLine } from "../../src/serve/stream-line.ts";

const lineOf = (bytes: number, seq: number | null = null): StreamLine => ({
  bytes: Buffer.alloc(bytes, "x"),
  place: seq === null ? null : { segment: "s", seq },
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
  const host = memoryHost({ seed: 1 });
  const outbox = new Outbox(connection, host.timers, () => (drops.count += 1));
  const taken = async (write: number) => {
    writes[write]?.done.resolve();
    for (let i = 0; i < 6; i += 1) await Promise.resolve();
  };
  return { outbox, drops, writes, host, taken };
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
    const { outbox, drops, taken } = stalled();
    for (const size of [1, clientBytesMax + 1, 1, clientBytesMax - 1]) outbox.push(lineOf(size));
    assert.equal(drops.count, 0);
    await taken(0);
    outbox.push(lineOf(clientBytesMax + 1));
    assert.equal(drops.count, 0, "the first one has left");
    outbox.push(lineOf(clientBytesMax + 1));
    assert.equal(drops.count, 1);
  });

  test(`a client that takes nothing for ${untakenMs / 1000} s is too slow; each piece of a large line that it takes counts`, async () => {
    const { outbox, drops, writes, host, taken } = stalled();
    outbox.push(lineOf(pieceBytesMax + 1));
    outbox.push(lineOf(1));
    for (let write = 0; write < 3; write += 1) {
      await host.advance(untakenMs - 1);
      assert.deepEqual([writes.length, drops.count], [write + 1, 0]);
      if (write < 2) await taken(write);
    }
    await host.advance(1);
    assert.equal(drops.count, 1);
    await taken(2);
    await host.advance(2 * untakenMs);
    assert.deepEqual(
      [writes.map(({ bytes }) => bytes), drops.count],
      [[pieceBytesMax, 1, 1], 1],
      "nothing waits: nobody is too slow",
    );
  });

  test("tells each line's sender once that it was taken, or thrown away, or came too late", async () => {
    const { outbox, taken } = stalled();
    const left: number[] = [];
    for (const line of [0, 1, 2]) outbox.push({ ...lineOf(writeBytesMax), left: () => left.push(line) });
    await taken(0);
    assert.deepEqual(left, [0]);
    outbox.endWith(lineOf(1));
    outbox.push({ ...lineOf(1), left: () => left.push(3) });
    assert.deepEqual(left, [0, 2, 3]);
    await taken(1);
    assert.deepEqual(left, [0, 2, 3, 1]);
  });

  test("ends with a line in place of what waits, and knows the last entry that it gave away", async () => {
    const { outbox, writes } = stalled();
    outbox.push(lineOf(1, 7));
    outbox.push(lineOf(2, 8));
    outbox.endWith(lineOf(5));
    outbox.push(lineOf(9));
    assert.deepEqual(outbox.place, { segment: "s", seq: 7 });
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
