/** A model in a process of its own that answers at once: a shell call a step, then `done`. It alone takes the times, on one clock. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the parent asks for and is told, over IPC. Times are CLOCK_MONOTONIC in ms, the same in every process of the machine. */
export type ToServer = { readonly type: "reset"; readonly steps: number } | { readonly type: "report" };
export type FromServer =
  | { readonly type: "listening"; readonly url: string }
  | { readonly type: "ready" }
  | { readonly type: "report"; readonly report: ServerReport };

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

/** The events of one answer. Ids differ, as a real provider's do. */
function answer(step: number, last: boolean): string {
  const message = {
    id: `msg_${step}`,
    type: "message",
    role: "assistant",
    model: "bench",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const block = last
    ? { type: "text", text: "" }
    : { type: "tool_use", id: `toolu_${step}`, name: "Bash", input: {} };
  const delta = last
    ? { type: "text_delta", text: "done" }
    : { type: "input_json_delta", partial_json: '{"command":"true"}' };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: last ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: "message_stop" },
  ]
    .map(frame)
    .join("");
}

let steps = 0;
let arrivedMs: number[] = [];
let answeredMs: number[] = [];
let bodyBytes: number[] = [];

function reply(response: ServerResponse, index: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(answer(index, index >= steps), () => {
    answeredMs[index] = nowMs();
  });
}

const server = createServer((request, response) => {
  const index = arrivedMs.push(nowMs()) - 1;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on("end", () => {
    bodyBytes[index] = bytes;
    reply(response, index);
  });
});

process.on("message", (message: ToServer) => {
  if (message.type === "report") {
    send({ type: "report", report: { arrivedMs, answeredMs, bodyBytes } });
    return;
  }
  steps = message.steps;
  arrivedMs = [];
  answeredMs = [];
  bodyBytes = [];
  send({ type: "ready" });
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  send({ type: "listening", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
