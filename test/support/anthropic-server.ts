/** A loopback server that speaks the Anthropic Messages API with real SSE: answers and faults are described, requests are recorded. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

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

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** The parsed body; null when it is not JSON. */
  readonly body: unknown;
  /** `performance.now()` when the body had been read whole. */
  readonly arrivedMs: number;
  /** Settles when the connection of this request is gone or the answer is complete: true when the client closed it early. */
  readonly closedEarly: Promise<boolean>;
}

export interface AnthropicServer {
  /** `http://127.0.0.1:<port>`, without `/v1`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** TCP connections accepted so far. */
  readonly connections: () => number;
  /** Resolves when `count` requests have been read whole. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface AnthropicServerOptions {
  /** One answer a request, in order; a request beyond them gets status 418, which nothing retries. */
  readonly answers?: readonly Answer[];
  readonly handler?: (request: RecordedRequest, index: number) => Answer | Promise<Answer>;
  /** Called when a request has been read whole, before it is answered. */
  readonly onRequest?: (request: RecordedRequest, index: number) => void;
}

interface WireEvent {
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

async function write(response: ServerResponse, text: string, chunkBytes: number): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) =>
      response.write(bytes.subarray(at, at + chunkBytes), () => resolve()),
    );
  }
}

async function play(response: ServerResponse, answer: StreamAnswer): Promise<void> {
  if (answer.headersDelayMs !== undefined) await delay(answer.headersDelayMs);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
  const { fault, eventDelayMs } = answer;
  const chunkBytes = answer.chunkBytes ?? Infinity;
  const events = answerEvents(answer);
  const count = fault === undefined ? events.length : Math.min(fault.after, events.length);
  const send = async (some: readonly WireEvent[]): Promise<void> => {
    if (eventDelayMs === undefined) return write(response, some.map(sseFrame).join(""), chunkBytes);
    for (const event of some) {
      await delay(eventDelayMs);
      await write(response, sseFrame(event), chunkBytes);
    }
  };
  await send(events.slice(0, count));
  switch (fault?.type) {
    case undefined:
    case "end":
      break;
    case "stall":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "inject":
      await write(response, fault.raw, chunkBytes);
      await send(events.slice(count));
      break;
    case "error":
      await send([{ type: "error", error: fault.error }]);
      break;
  }
  response.end();
}

async function respond(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer === "silence") return;
  if (answer === "hang_up") {
    response.socket?.resetAndDestroy();
  } else if ("status" in answer) {
    const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(body);
  } else if ("raw" in answer) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(answer.raw);
    if (answer.hold !== true) response.end();
  } else {
    await play(response, answer);
  }
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

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString("utf8"));
  } catch {
    return null;
  }
}

const exhausted = apiError(418, "no_answer_left", "the loopback server has no answer left for this request");

/** Starts a server on a free port of 127.0.0.1. The caller closes it. */
export async function startAnthropicServer(options: AnthropicServerOptions): Promise<AnthropicServer> {
  const requests: RecordedRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  const server: Server = createServer((incoming, response) => {
    response.on("error", () => {});
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const raw = Buffer.concat(chunks);
      const request: RecordedRequest = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        raw,
        body: parseJson(raw),
        arrivedMs: performance.now(),
        closedEarly: new Promise((resolve) =>
          response.on("close", () => resolve(!response.writableFinished)),
        ),
      };
      const index = requests.push(request) - 1;
      options.onRequest?.(request, index);
      for (const wait of waiting) if (requests.length >= wait.count) wait.resolve();
      const answer = options.handler?.(request, index) ?? options.answers?.[index] ?? exhausted;
      Promise.resolve(answer)
        .then((settled) => respond(response, settled))
        .catch((error: unknown) =>
          response.destroy(error instanceof Error ? error : new Error(String(error))),
        );
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
