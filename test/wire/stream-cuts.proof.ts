/** An answer cut at any byte is never taken for whole, and what is shown of it is what was sent. */
import assert from "node:assert/strict";
import { nodeHost } from "@yoi/host";
import { openModel } from "@yoi/model";
import type { StreamAnswer } from "../support/provider-answer.ts";
import { providerRows, startServerOf, type ProviderRow } from "../support/providers.ts";
import type { Proof } from "../support/proof.ts";
import { read, requestOf, user, type ReadAnswer } from "../../packages/model/test/support.ts";

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
/** A prime, so that the first cases are spread over it and all of them cover every byte. */
const stride = 1_009;

interface Stream {
  readonly bytes: Buffer;
  /** From so many bytes on the answer is whole. */
  readonly whole: number;
}

function streamOf({ dialect, redacts }: ProviderRow, answer: StreamAnswer): Stream {
  const blocks = answer.blocks.filter(({ type }) => redacts || type !== "redacted_reasoning");
  const frames = dialect.frames({ ...answer, blocks });
  const last = frames.findIndex(({ terminal }) => terminal);
  assert.ok(last >= 0);
  const bytesOf = (some: typeof frames): Buffer => Buffer.from(some.map(({ text }) => text).join(""));
  return { bytes: bytesOf(frames), whole: bytesOf(frames.slice(0, last + 1)).length };
}

async function answerTo(row: ProviderRow, raw: Uint8Array): Promise<ReadAnswer> {
  // Anything after the first block is passed on; before it, the retry finds the server without another answer, which ends it.
  const server = await startServerOf(row, { answers: [{ raw }] });
  const host = nodeHost();
  const ports = { ...host, timers: { ...host.timers, sleep: async () => {} } };
  const { provider, id } = row;
  const { model } = await openModel({ provider, id, apiKey: "k", baseUrl: server.url, ports });
  try {
    return await read(model, requestOf([user(1, "go")]));
  } finally {
    await model.close?.();
    await server.close();
  }
}

function cutsOf(row: ProviderRow): Proof {
  const streams = answers.map((answer) => streamOf(row, answer));
  const wholes = new Map<Stream, Promise<ReadAnswer>>();
  const wholeOf = (stream: Stream): Promise<ReadAnswer> => {
    const whole = wholes.get(stream) ?? answerTo(row, stream.bytes);
    wholes.set(stream, whole);
    return whole;
  };
  return {
    name: `an answer of ${row.provider} cut at any byte is never taken for whole`,
    cases: { test: 24, prove: streams.length * Math.max(...streams.map(({ bytes }) => bytes.length + 1)) },
    async check(index) {
      const stream = streams[index % streams.length];
      assert.ok(stream !== undefined);
      const { bytes } = stream;
      const cut = (Math.floor(index / streams.length) * stride) % (bytes.length + 1);
      const whole = await wholeOf(stream);
      assert.equal(whole.terminal.type, "finish");
      const answer = await answerTo(row, bytes.subarray(0, cut));
      const expected = cut >= stream.whole ? "finish" : "failure";
      assert.equal(
        answer.terminal.type,
        expected,
        `${cut} of ${bytes.length} bytes, whole from ${stream.whole}`,
      );
      if (expected === "finish") assert.deepEqual(answer.blocks, whole.blocks);
      for (const [at, block] of answer.blocks.entries()) {
        const full = whole.blocks[at];
        assert.ok(full !== undefined && full.block === block.block && full.name === block.name);
        assert.ok(full.streamed.startsWith(block.streamed));
        if (block.text !== null) assert.deepEqual(block, full);
      }
    },
  };
}

export const anthropicCuts = cutsOf(providerRows.anthropic);
export const openAiCuts = cutsOf(providerRows.openai);
export const googleCuts = cutsOf(providerRows.google);
export const openAiCompatibleCuts = cutsOf(providerRows.openAiCompatible);
