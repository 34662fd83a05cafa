/** A loopback server that answers as a provider would, with real SSE: answers and faults are described, requests are recorded. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { framesBefore, type Answer, type Dialect, type Frame, type StreamAnswer } from "./provider-answer.ts";

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

export interface ProviderServer {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** TCP connections accepted so far. */
  readonly connections: () => number;
  /** Resolves when `count` requests have been read whole. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface ProviderServerOptions {
  /** One answer a request, in order; a request beyond them gets status 418, which nothing retries. */
  readonly answers?: readonly Answer[];
  readonly handler?: (request: RecordedRequest, index: number) => Answer | Promise<Answer>;
  /** Called when a request has been read whole, before it is answered. */
  readonly onRequest?: (request: RecordedRequest, index: number) => void;
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

async function play(dialect: Dialect, response: ServerResponse, answer: StreamAnswer): Promise<void> {
  if (answer.headersDelayMs !== undefined) await delay(answer.headersDelayMs);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
  const { fault, eventDelayMs } = answer;
  const chunkBytes = answer.chunkBytes ?? Infinity;
  const frames = dialect.frames(answer);
  const count = fault === undefined ? frames.length : framesBefore(frames, fault.after);
  const send = async (some: readonly Frame[]): Promise<void> => {
    if (eventDelayMs === undefined) return write(response, some.map(({ text }) => text).join(""), chunkBytes);
    for (const { text } of some) {
      await delay(eventDelayMs);
      await write(response, text, chunkBytes);
    }
  };
  await send(frames.slice(0, count));
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
      await send(frames.slice(count));
      break;
    case "error":
      await send([dialect.errorFrame(fault.error)]);
      break;
  }
  response.end();
}

async function respond(dialect: Dialect, response: ServerResponse, answer: Answer): Promise<void> {
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
    await play(dialect, response, answer);
  }
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString("utf8"));
  } catch {
    return null;
  }
}

const exhausted: Answer = {
  status: 418,
  body: {
    type: "error",
    error: {
      type: "no_answer_left",
      message: "the loopback server has no answer left for this request",
    },
  },
};

/** Starts a server on a free port of 127.0.0.1. The caller closes it. */
export async function startProviderServer(
  dialect: Dialect,
  options: ProviderServerOptions,
): Promise<ProviderServer> {
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
        .then((settled) => respond(dialect, response, settled))
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
