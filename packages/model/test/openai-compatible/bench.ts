/** An OpenAI-compatible model that talks to a loopback server, and what it showed the server. */
import type { JsonObject } from "@yoi/base";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { startOpenAiCompatibleServer } from "../../../../test/support/openai-compatible-server.ts";
import type { AdapterOptions } from "../../src/adapter-options.ts";
import { openOpenAiCompatible } from "../../src/openai-compatible/adapter.ts";
import type { Bench } from "../conformance/adapter.ts";

export const key = "sk-test-0123456789";
const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0 };

/** `path`: of the base URL. */
export async function bench(
  answers: readonly Answer[],
  body: (bench: Bench) => Promise<void>,
  { path = "/v1", ...over }: Partial<AdapterOptions> & { path?: string } = {},
): Promise<void> {
  const server = await startOpenAiCompatibleServer({ answers });
  const id = "qwen3-coder";
  const model = openOpenAiCompatible({
    provider: "openai-compatible",
    id,
    apiKey: key,
    baseUrl: new URL(`${server.url}${path}`),
    limits: { contextWindow: 32_768, outputTokensMax: null },
    capabilities: { images: true, midSystem: false },
    price: null,
    endpoint: {
      label: "OpenAI-compatible server",
      host: new URL(server.url).host,
      model: id,
      keyVariable: "the key of openai-compatible",
      baseUrlVariable: "--base-url",
      secret: key,
    },
    clock,
    ...over,
  });
  try {
    await body({ ...server, model });
  } finally {
    await model.close?.();
    await server.close();
  }
}

interface Message extends JsonObject {
  readonly role: string;
  readonly content: string | readonly JsonObject[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly JsonObject[];
}

/** The parts of a request's messages, in order, each with its role; the system prompt left out. */
export function blocksOfBody(body: unknown): JsonObject[] {
  const { messages } = body as { readonly messages: readonly Message[] };
  return messages.slice(1).flatMap(({ role, content, reasoning_content, tool_calls = [], ...rest }) => {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    return [
      ...(reasoning_content === undefined ? [] : [{ role, type: "reasoning", text: reasoning_content }]),
      ...parts.map((part) => ({ role, ...rest, ...part })),
      ...tool_calls.map((call) => ({ role, ...call })),
    ];
  });
}
