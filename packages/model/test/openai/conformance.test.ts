/** The OpenAI adapter against the conformance suite, and what is OpenAI's own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { VERSION } from "@ai-sdk/openai";
import { noUsage, type JsonObject } from "@yoi/base";
import type { FailureKind } from "@yoi/model";
import { openAiAdapter } from "../../src/openai/adapter.ts";
import { itemId, openAiDialect, openAiError } from "../../../../test/support/openai-server.ts";
import type { Adapter } from "../conformance/adapter.ts";
import { adapterConformance } from "../conformance/suite.ts";
import { bench, key } from "./bench.ts";

interface Body {
  readonly input: readonly JsonObject[];
  readonly [field: string]: unknown;
}

/** Its names for errors; what has none is told by the status. */
const errorCodes: { readonly [kind in FailureKind]?: string } = {
  auth: "invalid_api_key",
  rate_limit: "rate_limit_exceeded",
  overloaded: "server_is_overloaded",
  server: "server_error",
  not_found: "model_not_found",
  context_overflow: "context_length_exceeded",
};

const adapter: Adapter = {
  name: "openai",
  key,
  dialect: openAiDialect,
  bench,
  refusal: (status, kind, message, headers) =>
    openAiError(status, kind === null ? null : (errorCodes[kind] ?? null), message, headers),
  overloaded: { type: "server_is_overloaded", message: "Overloaded" },
  blocks: (body) =>
    (body as Body).input.slice(1).flatMap((item): JsonObject[] => {
      const { role, content } = item;
      if (!Array.isArray(content)) return [item];
      return (content as readonly JsonObject[]).map((part) => ({ role, ...part }));
    }),
  head: (body) => {
    const { input, ...rest } = body as Body;
    return [input[0], rest];
  },
  systemItem: (_seq, content) => ({ role: "developer", content }),
  metadata: (block, index) => {
    if (block.type !== "reasoning" || block.signature === undefined) return undefined;
    return { openai: { itemId: itemId(block, index), reasoningEncryptedContent: block.signature } };
  },
  signs: true,
  argumentsAsText: true,
  usage: ({ input, output, cacheRead, cacheWrite }) => ({
    input_tokens: input + cacheRead + cacheWrite,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: 0,
  }),
  usageSoFar: () => noUsage,
  garbage: [
    'data: {"type":"response.output_text.delta","delta":1}\n\n',
    'data: {"type":"response.output_item.added","output_index":9,"item":{"type":"function_call"}}\n\n',
  ],
  unknown: [
    'event: weather\ndata: {"type":"weather","wind":3}\n\n',
    'data: {"type":"keepalive","sequence_number":3}\n\n',
    'data: {"type":"response.output_item.added","output_index":7,"item":{"id":"h_1","type":"hologram"}}\n\ndata: {"type":"response.hologram.delta","output_index":7,"delta":"x"}\n\ndata: {"type":"response.output_item.done","output_index":7,"item":{"id":"h_1","type":"hologram"}}\n\n',
    'data: {"type":"response.output_text.delta","item_id":"msg_99","output_index":99,"content_index":0,"delta":"x","logprobs":[]}\n\n',
  ],
};

adapterConformance(adapter);

test("the version that requests are recorded with is the one installed", () => {
  assert.equal(openAiAdapter.version, VERSION);
});
