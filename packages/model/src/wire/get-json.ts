/** getJson: one small request whose answer is JSON, bounded in time and bytes. */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { Timers } from "@yoi/base";

export interface GetOptions {
  readonly headers: { readonly [name: string]: string };
  readonly timers: Timers;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

/** `body`: undefined when it is not JSON, or more than the limit. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Follows no redirect, keeps no connection. Rejects when there is no whole answer in time. */
export async function getJson(url: URL, options: GetOptions): Promise<JsonAnswer> {
  const { timers, timeoutMs, bytesMax, headers, signal } = options;
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, {
    agent: false,
    headers: { accept: "application/json", ...headers },
    ...(signal === undefined ? {} : { signal }),
  });
  const cancel = timers.after(timeoutMs, () =>
    request.destroy(new Error(`no whole answer within ${timeoutMs / 1000} s`)),
  );
  try {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on("response", resolve).on("error", reject).end();
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return { status: incoming.statusCode ?? 0, body: undefined };
      chunks.push(chunk);
    }
    return { status: incoming.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString("utf8")) };
  } finally {
    cancel();
    request.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
