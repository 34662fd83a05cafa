/** The events that a described answer becomes on an Anthropic server. */
import {
  defaultUsage,
  pieces,
  rawArguments,
  type AnswerBlock,
  type Dialect,
  type HttpAnswer,
  type StreamAnswer,
} from "./provider-answer.ts";

export type { AnswerBlock, StreamAnswer } from "./provider-answer.ts";

export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function sseFrame(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
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

function blockDeltas(index: number, block: AnswerBlock, length: number | undefined): WireEvent[] {
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
  const length = answer.pieceLength;
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

function stopOf({ blocks, ended, stop }: StreamAnswer): string {
  if (stop !== undefined) return stop;
  if (ended !== undefined) return ended === "length" ? "max_tokens" : "refusal";
  return blocks.some((block) => block.type === "tool_call") ? "tool_use" : "end_turn";
}

/** The events of an answer without its fault, in order. */
export function answerEvents(answer: StreamAnswer, model = "claude-test"): WireEvent[] {
  const usage = { ...defaultUsage, ...answer.usage };
  const input = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
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
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: "message_stop" },
  ];
}

export const anthropicDialect: Dialect = {
  frames: (answer) =>
    answerEvents(answer).map((event) => ({
      text: sseFrame(event),
      delta: event.type === "content_block_delta",
      terminal: event.type === "message_stop",
    })),
  errorFrame: (error) => ({ text: sseFrame({ type: "error", error }) }),
};

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
