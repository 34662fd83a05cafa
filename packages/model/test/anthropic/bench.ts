/** The Anthropic adapter on a loopback server, and what the conformance suite has to know of it. */
import { isJsonObject, type JsonObject } from "@yoi/base";
import type { FailureKind } from "@yoi/model";
import { openAnthropic } from "../../src/anthropic/adapter.ts";
import { anthropicDialect, apiError } from "../../../../test/support/anthropic-answer.ts";
import { startAnthropicServer, type Answer } from "../../../../test/support/anthropic-server.ts";
import type { Adapter, Bench } from "../conformance/adapter.ts";
import { onServer } from "../conformance/on-server.ts";

export const key = "sk-ant-test-0123456789";
const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0 };

export async function bench(
  answers: readonly Answer[],
  body: (bench: Bench) => Promise<void>,
  midSystem = false,
): Promise<void> {
  const server = await startAnthropicServer({ answers });
  const id = "claude-opus-5-5";
  const model = openAnthropic({
    provider: "anthropic",
    id,
    apiKey: key,
    baseUrl: new URL(`${server.url}/v1`),
    limits: { contextWindow: 200_000, outputTokensMax: 32_000 },
    capabilities: { images: true, midSystem },
    price: () => null,
    endpoint: {
      label: "Anthropic",
      host: new URL(server.url).host,
      model: id,
      keyVariable: "ANTHROPIC_API_KEY",
      baseUrlVariable: "ANTHROPIC_BASE_URL",
      secret: key,
    },
    clock,
  });
  await onServer(server, model, body);
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      name === "cache_control" ? [] : [[name, unmarked(field)]],
    ),
  );
}

interface Body {
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly { readonly role: string; readonly content: readonly JsonObject[] }[];
}

/** Its names for errors; those of refused credentials differ by status. */
const errorTypes: { readonly [kind in FailureKind]?: string } = {
  auth: "authentication_error",
  rate_limit: "rate_limit_error",
  overloaded: "overloaded_error",
  server: "api_error",
  timeout: "timeout_error",
  not_found: "not_found_error",
  invalid_request: "invalid_request_error",
  context_overflow: "request_too_large",
};
const credentialErrors: { readonly [status: number]: string } = {
  402: "billing_error",
  403: "permission_error",
};

export const adapter: Adapter = {
  name: "anthropic",
  key,
  dialect: anthropicDialect,
  bench,
  refusal: (status, kind, message, headers) => {
    const type = kind === null ? "" : (credentialErrors[status] ?? errorTypes[kind] ?? "");
    return apiError(status, type, message, headers);
  },
  overloaded: { type: "overloaded_error", message: "Overloaded" },
  blocks: (body) =>
    (unmarked(body) as Body).messages.flatMap(({ role, content }) =>
      content.map((block) => ({ role, ...block })),
    ),
  head: (body) => {
    const { system, tools } = unmarked(body) as Body;
    return { system, tools };
  },
  systemItem: (seq, body) => ({
    role: "user",
    type: "text",
    text: `<yoi-note id="${seq}" kind="notification" source="host">\n${body}\n</yoi-note>`,
  }),
  metadata: (block) => {
    if (block.type === "redacted_reasoning") return { anthropic: { redactedData: block.data } };
    if (block.type !== "reasoning" || block.signature === undefined) return undefined;
    return { anthropic: { signature: block.signature } };
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
  usageSoFar: (usage) => adapter.usage({ ...usage, output: 1 }),
  garbage: ['data: {"type":"content_block_delta"}\n\n'],
  unknown: [
    'event: weather\ndata: {"type":"weather","wind":3}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'data: {"type":"content_block_start","index":7,"content_block":{"type":"hologram"}}\n\ndata: {"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}\n\ndata: {"type":"content_block_stop","index":7}\n\n',
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"smell_delta","smell":"x"}}\n\n',
  ],
};
