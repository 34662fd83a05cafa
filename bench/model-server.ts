/** A model in a process of its own that answers at once: a tool call a step, then `done`. It alone takes the times, on one clock. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ToolCall } from "./subject.ts";

/** What the parent asks for and is told, over IPC. Times are CLOCK_MONOTONIC in ms, the same in every process of the machine. */
export type ToServer =
  | { readonly type: "reset"; readonly steps: number; readonly tool: ToolCall }
  | { readonly type: "report" };
export type FromServer =
  | { readonly type: "listening"; readonly url: string }
  | { readonly type: "ready" }
  | { readonly type: "report"; readonly report: ServerReport };

/** Of requests that offer tools, but for those of who compacts: others (a title, a summary) are a runtime's own, are answered, and are no steps. */
export interface ServerReport {
  /** When each request arrived: its head, not yet its body. */
  readonly arrivedMs: readonly number[];
  /** When each answer had been handed to the kernel. */
  readonly answeredMs: readonly number[];
  readonly bodyBytes: readonly number[];
}

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

function send(message: FromServer): void {
  process.send?.(message);
}

function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const bytesOfToken = 4;
/** What a runtime of ours that makes its history smaller asks for. */
const summaryCall: ToolCall = {
  name: "write_summary",
  arguments: { summary: "The work went on.", constraints: [], current_work: "", files: [] },
};

/** The events of one answer. Ids differ, as a real provider's do, and what was sent is counted by its bytes. */
function answer(step: number, call: ToolCall | null, bytes: number): string {
  const message = {
    id: `msg_${step}`,
    type: "message",
    role: "assistant",
    model: "bench",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: Math.ceil(bytes / bytesOfToken), output_tokens: 1 },
  };
  const block =
    call === null
      ? { type: "text", text: "" }
      : { type: "tool_use", id: `toolu_${step}`, name: call.name, input: {} };
  const delta =
    call === null
      ? { type: "text_delta", text: "done" }
      : { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call === null ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: "message_stop" },
  ]
    .map(frame)
    .join("");
}

let steps = 0;
let tool: ToolCall | null = null;
let arrivedMs: number[] = [];
let answeredMs: number[] = [];
let bodyBytes: number[] = [];

/** Looked for as text: parsing a long history would be measured too. */
function offersTools(body: Buffer): boolean {
  return body.includes('"tools":[{') || body.includes('"tools": [');
}

function reply(response: ServerResponse, text: string, answered: () => void): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(text, answered);
}

const server = createServer((request, response) => {
  const arrived = nowMs();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.method !== "POST" || !/^\/v1\/messages(\?|$)/.test(request.url ?? "")) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const body = Buffer.concat(chunks);
    if (!offersTools(body)) {
      reply(response, answer(0, null, body.length), () => undefined);
      return;
    }
    if (body.includes(`"name":"${summaryCall.name}"`)) {
      reply(response, answer(0, summaryCall, body.length), () => undefined);
      return;
    }
    const index = arrivedMs.push(arrived) - 1;
    bodyBytes[index] = body.length;
    reply(response, answer(index, index < steps ? tool : null, body.length), () => {
      answeredMs[index] = nowMs();
    });
  });
});

process.on("message", (message: ToServer) => {
  if (message.type === "report") {
    send({ type: "report", report: { arrivedMs, answeredMs, bodyBytes } });
    return;
  }
  steps = message.steps;
  tool = message.tool;
  arrivedMs = [];
  answeredMs = [];
  bodyBytes = [];
  send({ type: "ready" });
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  send({ type: "listening", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
