/** Answers of an Anthropic server, described neutrally, and the SSE events that they become. */

export type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string }
  | { readonly type: "redacted_reasoning"; readonly data: string }
  | {
      readonly type: "tool_call";
      readonly name: string;
      /** An object is sent as its JSON; a string is sent as it is. */
      readonly arguments: object | string;
      /** Default: a fresh id for each call. */
      readonly id?: string;
    };

/** As the provider counts: `input` is the part that was neither read from the cache nor written to it. */
export interface ServerUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** `after` counts SSE events, `message_start` is the first; a fault takes the place of what would have come then. */
export type StreamFault =
  | { readonly type: "end"; readonly after: number }
  | { readonly type: "reset"; readonly after: number }
  | { readonly type: "stall"; readonly after: number }
  /** The raw text is sent, then the stream goes on. */
  | { readonly type: "inject"; readonly after: number; readonly raw: string }
  | { readonly type: "error"; readonly after: number; readonly error: { type: string; message: string } };

export interface StreamAnswer {
  readonly blocks: readonly AnswerBlock[];
  readonly usage?: Partial<ServerUsage>;
  /** The provider's own stop reason. Default: `tool_use` when there is a tool call, else `end_turn`. */
  readonly stop?: string;
  readonly fault?: StreamFault;
  /** Characters a delta. Default 16. */
  readonly pieceLength?: number;
  /** Deltas of all blocks are sent in turns, each block open until the last one is through. */
  readonly interleave?: boolean;
  /** Ping events right after the headers, before `message_start`. */
  readonly pingsFirst?: number;
  /** Bytes a write of the response; each is flushed on its own. Default: all events at once. */
  readonly chunkBytes?: number;
  /** Wait before the headers. */
  readonly headersDelayMs?: number;
  /** Wait between two events. */
  readonly eventDelayMs?: number;
}

/** A plain HTTP answer. An object body is sent as JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: object | string;
}

/** The exact bytes of an event stream. `hold`: the connection stays open after them. */
export interface RawAnswer {
  readonly raw: string | Uint8Array;
  readonly hold?: boolean;
}

/** `silence`: the request is read and nothing is ever answered. `hang_up`: the connection is reset instead. */
export type Answer = StreamAnswer | HttpAnswer | RawAnswer | "silence" | "hang_up";

export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function sseFrame(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function* pieces(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

function rawArguments(block: { readonly arguments: object | string }): string {
  return typeof block.arguments === "string" ? block.arguments : JSON.stringify(block.arguments);
}

let calls = 0;

function blockStart(index: number, block: AnswerBlock): WireEvent {
  const start = (content: object): WireEvent => ({
    type: "content_block_start",
    index,
    content_block: content,
  });
  switch (block.type) {
    case "text":
      return start({ type: "text", text: "" });
    case "reasoning":
      return start({ type: "thinking", thinking: "", signature: "" });
    case "redacted_reasoning":
      return start({ type: "redacted_thinking", data: block.data });
    case "tool_call":
      calls += 1;
      return start({ type: "tool_use", id: block.id ?? `toolu_${calls}`, name: block.name, input: {} });
  }
}

function blockDeltas(index: number, block: AnswerBlock, length: number): WireEvent[] {
  const delta = (fields: object): WireEvent => ({ type: "content_block_delta", index, delta: fields });
  switch (block.type) {
    case "text":
      return [...pieces(block.text, length)].map((text) => delta({ type: "text_delta", text }));
    case "reasoning": {
      const deltas = [...pieces(block.text, length)].map((thinking) =>
        delta({ type: "thinking_delta", thinking }),
      );
      if (block.signature !== undefined)
        deltas.push(delta({ type: "signature_delta", signature: block.signature }));
      return deltas;
    }
    case "redacted_reasoning":
      return [];
    case "tool_call":
      return ["", ...pieces(rawArguments(block), length)].map((json) =>
        delta({ type: "input_json_delta", partial_json: json }),
      );
  }
}

function blockEvents(answer: StreamAnswer): WireEvent[] {
  const length = answer.pieceLength ?? 16;
  const stop = (index: number): WireEvent => ({ type: "content_block_stop", index });
  if (answer.interleave !== true) {
    return answer.blocks.flatMap((block, index) => [
      blockStart(index, block),
      ...blockDeltas(index, block, length),
      stop(index),
    ]);
  }
  const events = answer.blocks.map((block, index) => blockStart(index, block));
  const deltas = answer.blocks.map((block, index) => blockDeltas(index, block, length));
  for (let turn = 0; deltas.some((of) => turn < of.length); turn += 1) {
    for (const of of deltas) {
      const event = of[turn];
      if (event !== undefined) events.push(event);
    }
  }
  return [...events, ...answer.blocks.map((_, index) => stop(index))];
}

/** The events of an answer without its fault, in order. */
export function answerEvents(answer: StreamAnswer, model = "claude-test"): WireEvent[] {
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, ...answer.usage };
  const input = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
  const hasCall = answer.blocks.some((block) => block.type === "tool_call");
  const message = { id: "msg_loopback", type: "message", role: "assistant", model, content: [] };
  return [
    ...Array.from({ length: answer.pingsFirst ?? 0 }, () => ({ type: "ping" })),
    {
      type: "message_start",
      message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...input, output_tokens: 1 } },
    },
    ...blockEvents(answer),
    {
      type: "message_delta",
      delta: { stop_reason: answer.stop ?? (hasCall ? "tool_use" : "end_turn"), stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: "message_stop" },
  ];
}

/** What the provider answers to a request that it refuses. */
export function apiError(
  status: number,
  type: string,
  message: string,
  headers?: Record<string, string>,
): HttpAnswer {
  const body = { type: "error", error: { type, message } };
  return headers === undefined ? { status, body } : { status, body, headers };
}
