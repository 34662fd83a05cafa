/** Exchange: one HTTP request and its streamed response, as the `fetch` that an AI SDK adapter is given. */
import { request as requestHttp, type Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { WireRecord } from "@yoi/base";
import { sha256 } from "../digest.ts";
import { brokenStream, failure, networkFailure, quote, type Endpoint } from "../failure.ts";
import type { BeforeSend, ModelFailure } from "../model.ts";
import { StreamGuard, type StreamLimits } from "./stream-guard.ts";

/** Of a refused request's body this much is read: enough for any error message. */
export const errorBodyBytesMax = 64 * 1024;
/** What may still come after the terminal event before the connection is given up instead of kept. */
export const drainBytesMax = 64 * 1024;

export interface ExchangeOptions {
  readonly endpoint: Endpoint;
  readonly agent: Agent;
  readonly limits: StreamLimits;
  readonly beforeSend: BeforeSend;
  /** The headers came, or a comment line: alive, though no parser will tell. */
  readonly onAlive: () => void;
}

/** Recorded: which version of the API was spoken. Never a credential. */
const recordedHeaders = ["anthropic-version", "anthropic-beta"];

function wireRecord(url: URL, method: string, headers: Headers, body: Uint8Array): WireRecord {
  const recorded: { [name: string]: string } = {};
  for (const name of recordedHeaders) {
    const value = headers.get(name);
    if (value !== null) recorded[name] = value;
  }
  return {
    sha256: sha256(body),
    bytes: body.byteLength,
    method,
    path: url.pathname + url.search,
    headers: recorded,
  };
}

function responseHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}

export class Exchange {
  /** Given to the adapter. Sends at most once, follows no redirect, talks to no host but the one it is asked for. */
  readonly fetch: typeof globalThis.fetch;
  readonly #options: ExchangeOptions;
  #refused: { readonly thrown: unknown } | null = null;
  #fault: ModelFailure | null = null;
  #request: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #settled = false;
  #connected = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.fetch = (input, init) =>
      this.#fetch(new URL(input instanceof URL || typeof input === "string" ? input : input.url), init ?? {});
  }

  /** What `beforeSend` threw, if it did: nothing was sent. */
  get refused(): { readonly thrown: unknown } | null {
    return this.#refused;
  }

  /** What went wrong below the adapter, which wraps and renames errors as it likes. */
  get fault(): ModelFailure | null {
    return this.#fault;
  }

  /** The request was handed to the network. */
  get sent(): boolean {
    return this.#request !== null;
  }

  /** The provider may have worked for the request: there was a connection to send it over, and no status refused it. */
  get taken(): boolean {
    return this.#connected && (this.#response?.statusCode ?? 0) < 300;
  }

  /** The terminal event came: whatever little follows is drained so that the connection can be used again. */
  settle(): void {
    const response = this.#response;
    this.#settled = true;
    if (response === null || response.readableEnded || response.destroyed) return;
    let drained = 0;
    response.removeAllListeners("data");
    response.on("data", (chunk: Buffer) => {
      drained += chunk.byteLength;
      if (drained > drainBytesMax) response.destroy();
    });
    response.socket.unref();
    response.resume();
  }

  /** The answer is no longer wanted, or was not settled: the connection closes. Settled and drained ones stay for the next request. */
  close(): void {
    if (!this.#settled) this.#request?.destroy();
  }

  /** A settled response that never ended holds its connection: gives it up. */
  abandon(): void {
    if (this.#settled && this.#response?.readableEnded === false) this.#request?.destroy();
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const body = Buffer.from(typeof init.body === "string" ? init.body : "");
    const method = init.method ?? "GET";
    try {
      await this.#options.beforeSend(wireRecord(url, method, headers, body));
    } catch (thrown) {
      this.#refused = { thrown };
      throw thrown;
    }
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    const incoming = await this.#send(url, method, headers, body, signal);
    this.#response = incoming;
    this.#options.onAlive();
    this.#refuseForeign(incoming);
    const ok = (incoming.statusCode ?? 0) < 300;
    return new Response(ok ? this.#stream(incoming) : this.#errorBody(incoming), {
      status: incoming.statusCode ?? 0,
      statusText: incoming.statusMessage ?? "",
      headers: responseHeaders(incoming),
    });
  }

  #send(
    url: URL,
    method: string,
    headers: Headers,
    body: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const send = url.protocol === "https:" ? requestHttps : requestHttp;
      const request = send(url, {
        method,
        agent: this.#options.agent,
        headers: {
          ...Object.fromEntries(headers),
          "accept-encoding": "identity",
          "content-length": body.byteLength,
        },
      });
      this.#request = request;
      const abort = (): void => {
        request.destroy(new DOMException("The request was aborted.", "AbortError"));
      };
      signal?.addEventListener("abort", abort, { once: true });
      request.on("close", () => signal?.removeEventListener("abort", abort));
      request.on("socket", (socket) => {
        if (!socket.connecting) this.#connected = true;
        else socket.once(send === requestHttps ? "secureConnect" : "connect", () => (this.#connected = true));
      });
      request.on("response", resolve);
      request.on("error", (error) => {
        if (this.#response === null) this.#fault ??= networkFailure(this.#options.endpoint, error);
        reject(error);
      });
      request.end(body);
    });
  }

  /** Neither a redirect (the key stays with its host) nor a page of something that is no provider is read. */
  #refuseForeign(incoming: IncomingMessage): void {
    const { endpoint } = this.#options;
    const status = incoming.statusCode ?? 0;
    const type = incoming.headers["content-type"] ?? "nothing";
    const check = `check ${endpoint.baseUrlVariable}`;
    if (status >= 300 && status < 400) {
      const to = quote(endpoint, incoming.headers.location ?? "nowhere");
      this.#fault = failure(
        "invalid_request",
        `${endpoint.label} at ${endpoint.host} redirects to ${to}, which yoi does not follow, so that the key stays with its host; ${check}.`,
        false,
      );
    } else if (status < 300 && !type.includes("text/event-stream")) {
      this.#fault = failure(
        "invalid_request",
        `${endpoint.host} answered with ${quote(endpoint, type)} instead of an event stream, so it is no ${endpoint.label} endpoint; ${check}.`,
        false,
      );
    } else {
      return;
    }
    this.#request?.destroy();
    throw new Error(this.#fault.message);
  }

  #stream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
    const { endpoint, limits, onAlive } = this.#options;
    const guard = new StreamGuard(limits);
    let open = true;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const fail = (fault: ModelFailure): void => {
          if (!open) return;
          open = false;
          this.#fault ??= fault;
          controller.error(new Error(fault.message));
          incoming.destroy();
        };
        incoming.on("data", (chunk: Buffer) => {
          if (!open) return;
          const seen = guard.take(chunk);
          if (seen === "comment") onAlive();
          else if (seen !== null) return fail(brokenStream(endpoint, `it sent ${seen.over}`, false));
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on("end", () => {
          if (open) controller.close();
          open = false;
        });
        incoming.on("error", (error) => {
          fail(brokenStream(endpoint, quote(endpoint, `the connection was lost (${error.message})`)));
        });
      },
      pull: () => {
        incoming.resume();
      },
      cancel: () => {
        open = false;
        if (!this.#settled) incoming.destroy();
      },
    });
  }

  #errorBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
    let left = errorBodyBytesMax;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        let open = true;
        const close = (): void => {
          if (open) controller.close();
          open = false;
        };
        incoming.on("data", (chunk: Buffer) => {
          if (!open) return;
          controller.enqueue(chunk.subarray(0, left));
          left -= chunk.byteLength;
          if (left > 0) return;
          close();
          incoming.destroy();
        });
        incoming.on("end", close);
        incoming.on("error", close);
      },
    });
  }
}
