/** A loopback server that speaks chat completions as Ollama, llama.cpp, vLLM and OpenRouter do. */
import {
  defaultUsage,
  pieces,
  rawArguments,
  type Answer,
  type AnswerBlock,
  type Dialect,
  type Frame,
  type HttpAnswer,
  type StreamAnswer,
} from "./provider-answer.ts";
import { startProviderServer, type ProviderServer, type ProviderServerOptions } from "./provider-server.ts";

export type { Answer, StreamAnswer } from "./provider-answer.ts";
export type { ProviderServer, RecordedRequest } from "./provider-server.ts";

export function frame(event: object): Frame {
  return { text: `data: ${JSON.stringify(event)}\n\n` };
}

/** One chunk of an answer: what it adds, and why the answer ends with it. */
export function chunk(delta: object, finishReason: string | null = null): Frame {
  return frame({
    id: "chatcmpl-loopback",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "loopback",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
}

export const done: Frame = { text: "data: [DONE]\n\n" };

const content = (delta: object): Frame => ({ ...chunk(delta), delta: true });

let calls = 0;

/** `call`: the number of the call in its answer. */
function blockFrames(block: AnswerBlock, call: number, length: number | undefined): Frame[] {
  switch (block.type) {
    case "text":
      return [...pieces(block.text, length)].map((text) => content({ content: text }));
    case "reasoning":
      return [...pieces(block.text, length)].map((text) => content({ reasoning_content: text }));
    case "redacted_reasoning":
      throw new Error("a chat completion has no reasoning that cannot be read");
    case "tool_call": {
      calls += 1;
      const id = block.id ?? `call_${calls}`;
      const part = (fields: object): Frame => content({ tool_calls: [{ index: call, ...fields }] });
      return [
        part({ id, type: "function", function: { name: block.name, arguments: "" } }),
        ...[...pieces(rawArguments(block), length)].map((text) => part({ function: { arguments: text } })),
      ];
    }
  }
}

/** Only calls can be told apart by more than their order, so only they are sent in turns. */
function contentFrames({ blocks, pieceLength, interleave }: StreamAnswer): Frame[] {
  let call = -1;
  const frames = blocks.map((block) => {
    if (block.type === "tool_call") call += 1;
    return blockFrames(block, call, pieceLength);
  });
  if (interleave !== true) return frames.flat();
  const isCall = (_: unknown, index: number): boolean => blocks[index]?.type === "tool_call";
  const turns = frames.filter(isCall);
  const longest = Math.max(0, ...turns.map(({ length }) => length));
  return [
    ...frames.filter((_, index) => !isCall(_, index)).flat(),
    ...Array.from({ length: longest }, (_, turn) => turns.flatMap((of) => of.slice(turn, turn + 1))).flat(),
  ];
}

function stopOf({ blocks, ended, stop }: StreamAnswer): string {
  return stop ?? ended ?? (blocks.some(({ type }) => type === "tool_call") ? "tool_calls" : "stop");
}

export const openAiCompatibleDialect: Dialect = {
  frames(answer) {
    const { input, output, cacheRead, cacheWrite } = { ...defaultUsage, ...answer.usage };
    const prompt = input + cacheRead + cacheWrite;
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    };
    return [
      ...Array.from({ length: answer.pingsFirst ?? 0 }, () => ({ text: ": keep-alive\n\n" })),
      chunk({ role: "assistant", content: "" }),
      ...contentFrames(answer),
      { ...chunk({}, stopOf(answer)), terminal: true },
      frame({ id: "chatcmpl-loopback", object: "chat.completion.chunk", choices: [], usage }),
      done,
    ];
  },
  errorFrame: ({ type, message }) => frame({ error: { message, type, code: 503 } }),
};

/** The answer to `GET /models`. An entry is an id, or an entry with what a server tells beside it. */
export function modelList(
  models: readonly (string | { readonly id: string; readonly [field: string]: unknown })[],
): HttpAnswer {
  const data = models.map((model) => ({
    object: "model",
    ...(typeof model === "string" ? { id: model } : model),
  }));
  return { status: 200, body: { object: "list", data } };
}

export function apiError(status: number, error: object, headers?: Record<string, string>): HttpAnswer {
  const body = { error };
  return headers === undefined ? { status, body } : { status, body, headers };
}

export interface OpenAiCompatibleServerOptions extends ProviderServerOptions {
  /** What `GET /v1/models` is answered with; such a request counts as no other. Without it: as every other request. */
  readonly models?: Answer;
}

/** Starts a server on a free port of 127.0.0.1; its `url` is without `/v1`. The caller closes it. */
export function startOpenAiCompatibleServer(options: OpenAiCompatibleServerOptions): Promise<ProviderServer> {
  const { models, answers = [], handler, onRequest } = options;
  if (models === undefined) return startProviderServer(openAiCompatibleDialect, options);
  let asked = 0;
  return startProviderServer(openAiCompatibleDialect, {
    ...(onRequest !== undefined && { onRequest }),
    handler: (request, index) => {
      if (request.method === "GET" && request.path.endsWith("/models")) {
        asked += 1;
        return models;
      }
      const left = answers[index - asked];
      return handler?.(request, index - asked) ?? left ?? apiError(418, { message: "no answer is left" });
    },
  });
}
