/** One GET to one checked address: nothing is followed, nothing is looked up again, and no more is read than was asked for. */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Readable, Transform } from "node:stream";
import { messageOf, YoiError } from "@yoi/base";
import { addressFamily } from "./address.ts";
import { hostOf, type Target } from "./target.ts";

export interface Reply {
  readonly status: number;
  /** Lower-case names; of a repeated one the first. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** True when there was more than `bytesMax`. */
  readonly cut: boolean;
}

export interface ExchangeOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, decompressed. */
  readonly bytesMax: number;
  /** Ends the exchange: the caller's cancel and its time limit. */
  readonly signal: AbortSignal;
}

/** Throws `web_failed` for whatever the network does, and the signal's reason when it aborts. */
export async function exchange(target: Target, options: ExchangeOptions): Promise<Reply> {
  try {
    const incoming = await send(target, options);
    try {
      const { body, cut } = await bodyOf(incoming, options.bytesMax);
      return { status: incoming.statusCode ?? 0, headers: headersOf(incoming), body, cut };
    } finally {
      incoming.destroy();
    }
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (thrown instanceof YoiError) throw thrown;
    throw new YoiError(
      "web_failed",
      `${target.url.host} could not be read (${messageOf(thrown)}): try again, or another address.`,
      {
        cause: thrown,
      },
    );
  }
}

function send(target: Target, { headers, signal }: ExchangeOptions): Promise<IncomingMessage> {
  const { url, address } = target;
  const host = hostOf(url);
  const family = addressFamily(address);
  // Called for names only; a literal is connected to as it is, and it is the address that was checked.
  const lookup: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method: "GET",
      agent: false,
      lookup,
      signal,
      headers: { "accept-encoding": "gzip, deflate, br", ...headers },
      ...(addressFamily(host) === 0 ? { servername: host } : {}),
    });
    request.once("error", reject);
    request.once("response", resolve);
    request.end();
  });
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

async function bodyOf(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<{ readonly body: Buffer; readonly cut: boolean }> {
  const encoding = (incoming.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const decoder = encoding === "identity" || encoding === "" ? null : decoders[encoding]?.();
  if (decoder === undefined)
    throw new YoiError(
      "web_failed",
      `The answer is encoded as ${JSON.stringify(encoding.slice(0, 40))}, which yoi does not read.`,
    );
  // A failure of the connection ends the reading as one of the decoder does.
  if (decoder !== null) incoming.once("error", (error) => decoder.destroy(error));
  const source: Readable = decoder === null ? incoming : incoming.pipe(decoder);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return { body: Buffer.concat(chunks), cut: true };
  }
  return { body: Buffer.concat(chunks), cut: false };
}

function headersOf({ headers }: IncomingMessage): Reply["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}
