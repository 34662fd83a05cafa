/** The OpenAI-compatible adapter against the conformance suite. */
import { isJsonObject, noUsage, type JsonObject } from "@yoi/base";
import type { FailureKind } from "@yoi/model";
import { apiError, openAiCompatibleDialect } from "../../../../test/support/openai-compatible-server.ts";
import type { Adapter } from "../conformance/adapter.ts";
import { adapterConformance } from "../conformance/suite.ts";
import { bench, blocksOfBody, key } from "./bench.ts";

/** As llama.cpp names them; what it has no name for is told by the status. */
const errorTypes: { readonly [kind in FailureKind]?: string } = {
  auth: "authentication_error",
  server: "server_error",
  overloaded: "unavailable_error",
  not_found: "not_found_error",
  invalid_request: "invalid_request_error",
  context_overflow: "exceed_context_size_error",
};

const adapter: Adapter = {
  name: "openai-compatible",
  key,
  dialect: openAiCompatibleDialect,
  bench,
  refusal: (status, kind, message, headers) => {
    const type = kind === null ? undefined : errorTypes[kind];
    return apiError(status, { code: status, message, ...(type !== undefined && { type }) }, headers);
  },
  overloaded: { type: "unavailable_error", message: "Loading model" },
  blocks: blocksOfBody,
  head: (body) => {
    if (!isJsonObject(body)) throw new Error("the body is no object");
    const messages = body["messages"] as readonly JsonObject[];
    return { system: messages.filter(({ role }) => role === "system"), tools: body["tools"] };
  },
  systemItem: (seq, body) => ({
    role: "user",
    type: "text",
    text: `<yoi-note id="${seq}" kind="notification" source="host">\n${body}\n</yoi-note>`,
  }),
  metadata: ({ type }) =>
    type === "reasoning" ? { "openai-compatible": { reasoning_content: true } } : undefined,
  signs: false,
  argumentsAsText: true,
  usage: ({ input, output, cacheRead, cacheWrite }) => ({
    input_tokens: input + cacheRead + cacheWrite,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: 0,
  }),
  // It comes at the end, if at all.
  usageSoFar: () => noUsage,
  garbage: ['data: {"choices":5}\n\n', 'data: {"choices":[{"delta":{"content":5}}]}\n\n'],
  unknown: [
    'event: weather\ndata: {"wind":3}\n\n',
    'data: {"choices":null,"timings":{"predicted_ms":3}}\n\n',
    'data: {"choices":[]}\n\n',
    'data: {"choices":[{"index":0,"delta":{"smell":"x"},"finish_reason":null}]}\n\n',
  ],
};

adapterConformance(adapter);
