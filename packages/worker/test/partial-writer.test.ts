/** Pieces of an open answer: their pace, at n and just below, their size, at n and one more, and none after the close. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AssistantPartial, utf8Length } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { Answer } from "../src/answer.ts";
import { defaultLimits } from "../src/index.ts";
import { PartialWriter, pieceUnitsMax } from "../src/partial-writer.ts";
import { gate } from "./support/bench-worker.ts";
import { LogHistory } from "./support/log-history.ts";

function setUp() {
  const host = memoryHost({ seed: 1 });
  const written: [atMs: number, piece: Pick<AssistantPartial, "index" | "from" | "text">][] = [];
  const history = new LogHistory();
  history.onAppend = (bodies) => {
    for (const body of bodies) {
      if (body.kind !== "assistant_partial") continue;
      written.push([host.clock.monotonic(), { index: body.index, from: body.from, text: body.text }]);
    }
  };
  const writer = new PartialWriter(7, {
    history,
    timers: host.timers,
    limits: defaultLimits,
    failed: (error) => assert.fail(String(error)),
  });
  const answer = new Answer({ provider: "p", id: "m" }, 0);
  const arrive = (index: number, text: string) =>
    writer.arrived(answer.apply({ type: "block_delta", index, text }), text);
  for (const index of [0, 1]) answer.apply({ type: "block_start", index, block: "text" });
  return { host, history, written, writer, answer, arrive };
}

test("a piece is written 250 ms after the first text that waits", async () => {
  const { host, written, writer, arrive } = setUp();
  arrive(0, "a");
  await host.advance(249);
  assert.deepEqual(written, []);
  arrive(1, "b");
  await host.advance(1);
  assert.deepEqual(written, [
    [250, { index: 0, from: 0, text: "a" }],
    [250, { index: 1, from: 0, text: "b" }],
  ]);
  arrive(0, "cd");
  await host.advance(250);
  assert.deepEqual(written.slice(2), [[500, { index: 0, from: 1, text: "cd" }]]);
  await writer.close();
});

test("4,096 bytes are written at once, 4,095 wait", async () => {
  const { host, written, writer, arrive } = setUp();
  arrive(0, "x".repeat(4095));
  await host.advance(0);
  assert.equal(written.length, 0);
  arrive(1, "y");
  await host.advance(0);
  assert.deepEqual(
    written.map(([at, { index, text }]) => [at, index, text.length]),
    [
      [0, 0, 4095],
      [0, 1, 1],
    ],
  );
  await writer.close();
});

test("the rest of a block that has ended is still written while the answer is open", async () => {
  const { host, written, writer, answer, arrive } = setUp();
  arrive(0, "whole text");
  answer.apply({ type: "block_end", index: 0, text: "whole text" });
  await host.advance(250);
  assert.deepEqual(written, [[250, { index: 0, from: 0, text: "whole text" }]]);
  await writer.close();
});

test("nothing is written after the close", async () => {
  const { host, written, writer, arrive } = setUp();
  arrive(0, "a");
  await writer.close();
  arrive(0, "b");
  await host.advance(10_000);
  assert.deepEqual(written, []);
});

test("a piece has at most 10,000 units, and no surrogate pair is split", async () => {
  const cases: readonly (readonly [text: string, lengths: readonly number[]])[] = [
    ["x".repeat(pieceUnitsMax), [10_000]],
    ["x".repeat(pieceUnitsMax + 1), [10_000, 1]],
    [`${"x".repeat(pieceUnitsMax - 1)}😀y`, [9_999, 3]],
    ["\ud83d".repeat(pieceUnitsMax + 1), [10_000, 1]],
  ];
  for (const [text, lengths] of cases) {
    const { host, written, writer, arrive } = setUp();
    arrive(0, text);
    await host.advance(0);
    assert.deepEqual(
      written.map(([, piece]) => piece.text.length),
      lengths,
    );
    await writer.close();
  }
});

test("however much arrives at once or behind a slow sync, pieces are in order, whole, and at most 64 KiB of JSON", async () => {
  const texts = ["x".repeat(1_500_000), "\u0001".repeat(300_000), '"\\é世😀'.repeat(20_000)];
  for (const text of texts) {
    for (const slow of [false, true]) {
      const { host, history, written, writer, arrive } = setUp();
      const synced = gate();
      const record = history.onAppend;
      history.onAppend = async (bodies) => {
        for (const body of bodies) assert.ok(utf8Length(JSON.stringify(body)) <= 64 * 1024);
        record(bodies);
        if (slow) await synced.promise;
      };
      // Behind a slow sync the rest waits until it is over.
      const delta = slow ? 4096 : text.length;
      for (let from = 0; from < text.length; from += delta) arrive(0, text.slice(from, from + delta));
      await host.advance(1_000);
      if (slow) assert.equal(written.length, 1);
      synced.open();
      await host.advance(1_000);
      await writer.close();
      assert.equal(written.map(([, piece]) => piece.text).join(""), text);
      let end = 0;
      for (const [, { from, text: piece }] of written) {
        assert.equal(from, end);
        end += piece.length;
      }
    }
  }
});

test("pieces are of what arrived, also where the block ends with other text: that may hold what was taken out of the pieces", async () => {
  const { host, written, writer, answer, arrive } = setUp();
  arrive(0, "my key is [redacted]");
  answer.apply({ type: "block_end", index: 0, text: "my key is sk-canary-0123456789, and more" });
  await host.advance(250);
  assert.deepEqual(written, [[250, { index: 0, from: 0, text: "my key is [redacted]" }]]);
  assert.deepEqual(
    answer.complete(7, false).entries.map(({ item }) => item.type === "assistant_message" && item.text),
    ["my key is sk-canary-0123456789, and more"],
  );
  await writer.close();
});
