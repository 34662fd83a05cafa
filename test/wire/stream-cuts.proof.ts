/** An answer cut at any byte is never taken for whole, and what is shown of it is what was sent. */
import assert from "node:assert/strict";
import { nodeHost } from "@yoi/host";
import { openModel, type ModelRequest } from "@yoi/model";
import {
  answerEvents,
  sseFrame,
  startAnthropicServer,
  type StreamAnswer,
} from "../support/anthropic-server.ts";
import type { Proof } from "../support/proof.ts";
import { read, type ReadBlock } from "../../packages/model/test/support.ts";

const answers: readonly StreamAnswer[] = [
  { blocks: [{ type: "text", text: "Grüße aus 東京, all is well. 👋" }] },
  {
    blocks: [
      { type: "reasoning", text: "Which file is it?", signature: "c2lnbmF0dXJl" },
      { type: "text", text: "Looking." },
      { type: "tool_call", name: "read", arguments: { path: "a\né.txt" }, id: "toolu_1" },
    ],
    usage: { cacheRead: 1000 },
  },
  {
    blocks: [
      { type: "tool_call", name: "read", arguments: '{ "path" : "a" }', id: "toolu_1" },
      { type: "redacted_reasoning", data: "b3BhcXVl" },
      { type: "tool_call", name: "read", arguments: { path: "b" }, id: "toolu_1" },
    ],
    pieceLength: 3,
    interleave: true,
  },
];
const streams = answers.map((answer) => Buffer.from(answerEvents(answer).map(sseFrame).join("")));
/** A prime, so that the first cases are spread over it and all of them cover every byte. */
const stride = 1_009;

const request: ModelRequest = {
  head: { system: "s", tools: [], config: { model: "anthropic/claude-opus-5-5", max_output_tokens: 100 } },
  items: [{ seq: 1, item: { type: "user_message", parts: [{ type: "text", text: "go" }] } }],
  projection: { prune_before: null },
};

async function answerTo(raw: Uint8Array) {
  // Anything after the first block is passed on; before it, the retry finds the server without another answer, which ends it.
  const server = await startAnthropicServer({ answers: [{ raw }] });
  const host = nodeHost();
  const ports = { ...host, timers: { ...host.timers, sleep: async () => {} } };
  const { model } = await openModel({
    provider: "anthropic",
    id: "claude-opus-5-5",
    apiKey: "k",
    baseUrl: server.url,
    ports,
  });
  try {
    return await read(model, request);
  } finally {
    await model.close?.();
    await server.close();
  }
}

const wholes = streams.map((stream) => {
  let whole: ReturnType<typeof answerTo> | null = null;
  return () => (whole ??= answerTo(stream));
});

export const streamCuts: Proof = {
  name: "an answer cut at any byte is never taken for whole",
  cases: { test: 30, prove: streams.length * Math.max(...streams.map(({ length }) => length + 1)) },
  async check(index) {
    const stream = streams[index % streams.length] ?? Buffer.alloc(0);
    const cut = (Math.floor(index / streams.length) * stride) % (stream.length + 1);
    const whole = await wholes[index % streams.length]?.();
    const answer = await answerTo(stream.subarray(0, cut));
    assert.ok(whole !== undefined);
    assert.equal(whole.terminal.type, "finish");
    assert.equal(
      answer.terminal.type,
      cut === stream.length ? "finish" : "failure",
      `${cut} of ${stream.length} bytes`,
    );
    for (const [at, block] of answer.blocks.entries()) {
      const full: ReadBlock | undefined = whole.blocks[at];
      assert.ok(full !== undefined && full.block === block.block && full.name === block.name);
      assert.ok(full.streamed.startsWith(block.streamed));
      if (block.text !== null) assert.deepEqual(block, full);
    }
  },
};
