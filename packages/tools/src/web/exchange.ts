/** One GET to one checked address: nothing is followed, nothing is looked up again, and no more is read than was asked for. */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
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

const decoders: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  // Some servers leave out the envelope, whose first byte names the method in its lower half.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
};

/** How often a body may be packed. */
export const encodingsMax = 2;

async function bodyOf(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<{ readonly body: Buffer; readonly cut: boolean }> {
  let source: AsyncIterable<Buffer> = incoming;
  for (const decoder of decodersOf(incoming.headers["content-encoding"] ?? ""))
    source = unpacked(source, decoder);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return { body: Buffer.concat(chunks), cut: true };
  }
  return { body: Buffer.concat(chunks), cut: false };
}

/** The last one that was applied first. */
function decodersOf(header: string): ((firstByte: number) => Transform)[] {
  const encodings = header
    .split(",")
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  const found = encodings.flatMap((encoding) => decoders[encoding] ?? []);
  if (found.length < encodings.length || found.length > encodingsMax)
    throw new YoiError(
      "web_failed",
      `The answer is packed in a way that yoi does not read (it reads gzip, deflate and br, at most ${encodingsMax} of them together).`,
    );
  return found.toReversed();
}

async function* unpacked(
  source: AsyncIterable<Buffer>,
  decoderFor: (firstByte: number) => Transform,
): AsyncGenerator<Buffer> {
  const packed = source[Symbol.asyncIterator]();
  const first = await packed.next();
  if (first.done === true) return;
  const decoder = decoderFor(first.value[0] ?? 0);
  const whole = async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => packed };
  };
  // A failure of the connection ends the reading as one of the decoder does.
  pipeline(whole, decoder, () => {});
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } finally {
    decoder.destroy();
  }
}

function headersOf({ headers }: IncomingMessage): Reply["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}
