/** The pace of pieces: 250 ms or 4 KiB, at n and just below, and never after the close. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantPartial } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { Answer } from "../src/answer.ts";
import { defaultLimits } from "../src/index.ts";
import { PartialWriter } from "../src/partial-writer.ts";
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
  const answer = new Answer("p");
  const arrive = (index: number, text: string) =>
    writer.arrived(answer.apply({ type: "block_delta", index, text }), text);
  for (const index of [0, 1]) answer.apply({ type: "block_start", index, block: "text" });
  return { host, written, writer, answer, arrive };
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
