/** An OpenAI-compatible model that talks to a loopback server, and what it showed the server. */
import type { JsonObject } from "@yoi/base";
import type { Answer, Frame } from "../../../../test/support/provider-answer.ts";
import { chunk, startOpenAiCompatibleServer } from "../../../../test/support/openai-compatible-server.ts";
import type { AdapterOptions } from "../../src/adapter-options.ts";
import { openOpenAiCompatible } from "../../src/openai-compatible/adapter.ts";
import type { Bench } from "../conformance/adapter.ts";
import { onServer } from "../conformance/on-server.ts";
import { requestOf, user } from "../support.ts";

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
    price: () => null,
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
  await onServer(server, model, body);
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

/** An answer of exactly these frames. */
export const raw = (frames: readonly Frame[]): Answer => ({ raw: frames.map(({ text }) => text).join("") });
export const text = (content: string): Frame => chunk({ content });
export const toolCalls = (...calls: readonly object[]): Frame => chunk({ tool_calls: calls });
/** A piece of the call of a number. */
export const part = (
  index: number | null,
  args: unknown,
  more: { id?: string; name?: string } = {},
): object => ({
  ...(index !== null && { index }),
  ...(more.id !== undefined && { id: more.id }),
  function: { ...(more.name !== undefined && { name: more.name }), arguments: args },
});
export const stop = chunk({}, "stop");
export const callsMade = chunk({}, "tool_calls");
export const readCall = (args: string) => ({ block: "tool_call", name: "read", text: args });
export const go = requestOf([user(1, "go")]);
