/** A loopback server that speaks the OpenAI Responses API. */
import {
  defaultUsage,
  pieces,
  rawArguments,
  type AnswerBlock,
  type Dialect,
  type Frame,
  type HttpAnswer,
  type StreamAnswer,
  type StreamError,
} from "./provider-answer.ts";
import { startProviderServer, type ProviderServer, type ProviderServerOptions } from "./provider-server.ts";

/** Starts a server on a free port of 127.0.0.1; its `url` is without `/v1`. The caller closes it. */
export function startOpenAiServer(options: ProviderServerOptions): Promise<ProviderServer> {
  return startProviderServer(openAiDialect, options);
}

export interface ResponsesEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Marked {
  readonly event: ResponsesEvent;
  readonly delta?: boolean;
}

export function responsesFrame(event: ResponsesEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The id of an output item. */
export function itemId(block: AnswerBlock, index: number): string {
  return `${{ text: "msg", reasoning: "rs", redacted_reasoning: "rs", tool_call: "fc" }[block.type]}_${index}`;
}

let calls = 0;

/** The item of a block as it stands when it begins and when it ends. */
function items(block: AnswerBlock, index: number, cut: boolean): { begun: object; done: object } {
  const status = cut ? "incomplete" : "completed";
  const id = itemId(block, index);
  switch (block.type) {
    case "text": {
      const item = { id, type: "message", role: "assistant" };
      const content = [{ type: "output_text", annotations: [], text: block.text }];
      return {
        begun: { ...item, status: "in_progress", content: [] },
        done: { ...item, status, content },
      };
    }
    case "reasoning":
    case "redacted_reasoning": {
      const encrypted = block.type === "reasoning" ? block.signature : block.data;
      const summary = block.type === "reasoning" ? [{ type: "summary_text", text: block.text }] : [];
      // The real API begins with content that is not the whole yet.
      return {
        begun: { id, type: "reasoning", encrypted_content: encrypted && `begun ${encrypted}`, summary: [] },
        done: { id, type: "reasoning", encrypted_content: encrypted, summary },
      };
    }
    case "tool_call": {
      calls += 1;
      const item = { id, type: "function_call", call_id: block.id ?? `call_${calls}`, name: block.name };
      return {
        begun: { ...item, status: "in_progress", arguments: "" },
        done: { ...item, status, arguments: rawArguments(block) },
      };
    }
  }
}

function deltas(block: AnswerBlock, output_index: number, length: number | undefined): Marked[] {
  const at = { item_id: itemId(block, output_index), output_index };
  switch (block.type) {
    case "text":
      return [...pieces(block.text, length)].map((delta) => ({
        event: { type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] },
        delta: true,
      }));
    case "reasoning":
      return [...pieces(block.text, length)].map((delta) => ({
        event: { type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta },
        delta: true,
      }));
    case "redacted_reasoning":
      return [];
    case "tool_call":
      return [...pieces(rawArguments(block), length)].map((delta) => ({
        event: { type: "response.function_call_arguments.delta", ...at, delta },
        delta: true,
      }));
  }
}

/** What comes between the begin of an item and its first delta, and between the last one and its end. */
function around(
  block: AnswerBlock,
  output_index: number,
): { before: ResponsesEvent[]; after: ResponsesEvent[] } {
  const at = { item_id: itemId(block, output_index), output_index };
  switch (block.type) {
    case "text": {
      const part = { type: "output_text", annotations: [], text: "" };
      return {
        before: [{ type: "response.content_part.added", ...at, content_index: 0, part }],
        after: [
          { type: "response.output_text.done", ...at, content_index: 0, text: block.text, logprobs: [] },
          {
            type: "response.content_part.done",
            ...at,
            content_index: 0,
            part: { ...part, text: block.text },
          },
        ],
      };
    }
    case "reasoning": {
      const part = { type: "summary_text", text: block.text };
      const summary = { ...at, summary_index: 0 };
      return {
        before: [{ type: "response.reasoning_summary_part.added", ...summary, part: { ...part, text: "" } }],
        after: [
          { type: "response.reasoning_summary_text.done", ...summary, text: block.text },
          { type: "response.reasoning_summary_part.done", ...summary, part },
        ],
      };
    }
    case "redacted_reasoning":
      return { before: [], after: [] };
    case "tool_call":
      return {
        before: [],
        after: [{ type: "response.function_call_arguments.done", ...at, arguments: rawArguments(block) }],
      };
  }
}

function blockEvents(answer: StreamAnswer): Marked[] {
  const last = answer.blocks.length - 1;
  const parts = answer.blocks.map((block, index) => {
    const { begun, done } = items(block, index, index === last && answer.ended === "length");
    const { before, after } = around(block, index);
    const begin: ResponsesEvent = { type: "response.output_item.added", output_index: index, item: begun };
    const end: ResponsesEvent = { type: "response.output_item.done", output_index: index, item: done };
    return {
      begin: [begin, ...before].map((event): Marked => ({ event })),
      deltas: deltas(block, index, answer.pieceLength),
      end: [...after, end].map((event): Marked => ({ event })),
    };
  });
  if (answer.interleave !== true)
    return parts.flatMap((part) => [...part.begin, ...part.deltas, ...part.end]);
  const turns = Math.max(0, ...parts.map((part) => part.deltas.length));
  const inTurns = Array.from({ length: turns }, (_, turn) =>
    parts.flatMap((part) => part.deltas.slice(turn, turn + 1)),
  );
  return [...parts.flatMap(({ begin }) => begin), ...inTurns.flat(), ...parts.flatMap(({ end }) => end)];
}

const incompleteReasons = { length: "max_output_tokens", content_filter: "content_filter" } as const;

function lastEvent(response: object, answer: StreamAnswer): ResponsesEvent {
  const { input, output, cacheRead, cacheWrite } = { ...defaultUsage, ...answer.usage };
  const usage = {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cacheRead + cacheWrite + output,
  };
  const reason = answer.stop ?? (answer.ended === undefined ? undefined : incompleteReasons[answer.ended]);
  return reason === undefined
    ? {
        type: "response.completed",
        response: { ...response, status: "completed", incomplete_details: null, usage },
      }
    : {
        type: "response.incomplete",
        response: { ...response, status: "incomplete", incomplete_details: { reason }, usage },
      };
}

/** The events of an answer without its fault, in order, numbered as they are on the wire. */
export function responsesEvents(answer: StreamAnswer): readonly Marked[] {
  const response = { id: "resp_loopback", object: "response", created_at: 1_700_000_000, model: "gpt-test" };
  const pings = Array.from({ length: answer.pingsFirst ?? 0 }, () => ({ event: { type: "keepalive" } }));
  const events: Marked[] = [
    ...pings,
    { event: { type: "response.created", response: { ...response, status: "in_progress", usage: null } } },
    {
      event: { type: "response.in_progress", response: { ...response, status: "in_progress", usage: null } },
    },
    ...blockEvents(answer),
    { event: lastEvent(response, answer) },
  ];
  return events.map(({ event, ...mark }, sequence_number) => ({
    event: { ...event, sequence_number },
    ...mark,
  }));
}

export const openAiDialect: Dialect = {
  frames: (answer) =>
    responsesEvents(answer).map(({ event, delta }): Frame => ({
      text: responsesFrame(event),
      delta: delta === true,
      terminal: event.type === "response.completed" || event.type === "response.incomplete",
    })),
  errorFrame: (error: StreamError) => ({
    text: responsesFrame({
      type: "error",
      sequence_number: 9,
      code: error.type,
      message: error.message,
      param: null,
    }),
  }),
};

/** What the provider answers to a request that it refuses. `code` is what it calls the error. */
export function openAiError(
  status: number,
  code: string | null,
  message: string,
  headers?: Record<string, string>,
): HttpAnswer {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  const body = { error: { message, type, param: null, code } };
  return headers === undefined ? { status, body } : { status, body, headers };
}
