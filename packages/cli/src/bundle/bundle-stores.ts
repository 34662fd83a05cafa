/** The stores over a bundle: the same readers as for a data directory, so that they say the same. */
import { readFile, stat } from "node:fs/promises";
import { constants } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type Clock, messageOf, YoiError } from "@yoi/base";
import type { DiscoveryStores, VerifyStores } from "@yoi/pod";
import { createPodStore } from "@yoi/pod-store";
import { createSessionStore } from "@yoi/session-store";
import { bundleFiles } from "./bundle-files.ts";
import { bundleBytesMax } from "./bundle-format.ts";
import { unpackBundle } from "./unpack-bundle.ts";

export interface BundleStores extends Pick<DiscoveryStores, "lease" | "pods">, VerifyStores {
  readonly pod: string;
}

export interface BundleSource {
  /** As the user typed it; -: standard input. */
  readonly path: string;
  /** What the path is relative to. */
  readonly directory: () => string;
  readonly stdin: AsyncIterable<Uint8Array>;
}

/** Reads the whole bundle into memory, compressed with gzip or not. */
export async function openBundle(source: BundleSource, clock: Clock): Promise<BundleStores> {
  const fromStdin = source.path === "-";
  if (source.path === "")
    throw new YoiError("usage", "--bundle needs the name of a file, or - for standard input.");
  const name = fromStdin ? "/standard input" : resolve(source.directory(), source.path);
  const read = fromStdin ? await readStream(source.stdin) : await readBundle(name);
  const { manifest, files: held } = await unpackBundle(await gunzipped(read, name), name);
  const files = bundleFiles(name, held);
  return {
    pod: manifest.pod,
    sessions: createSessionStore({ files, clock, dataDir: name }),
    pods: createPodStore({ files, clock, dataDir: name }),
    // Nobody holds what is only a copy.
    lease: { owner: async () => null },
  };
}

async function readBundle(path: string): Promise<Uint8Array> {
  const refuse = refusing(path);
  try {
    const found = await stat(path);
    if (!found.isFile()) throw refuse("is not a regular file: name one that `yoi pod export` wrote");
    if (found.size > bundleBytesMax) throw refuse(tooMuch);
    // A FIFO put in its place meanwhile would hold the open.
    return await readFile(path, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch (error) {
    if (error instanceof YoiError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
    throw refuse(`cannot be read (${code}): look at its name and permissions`);
  }
}

async function readStream(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > bundleBytesMax) throw refusing("on standard input")(tooMuch);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** As it is, unless it begins as gzip does. What comes out of that is bounded like any bundle. */
async function gunzipped(bytes: Uint8Array, path: string): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const { gunzip } = await import("node:zlib");
  const refuse = refusing(path);
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: bundleBytesMax });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE") throw refuse(tooMuch);
    throw refuse(`is compressed with gzip, and cannot be unpacked (${messageOf(error)}): copy it again`);
  }
}

const tooMuch = `has more than ${bundleBytesMax} bytes`;

function refusing(path: string): (what: string) => YoiError {
  return (what) => new YoiError("bundle_invalid", `The bundle ${path} ${what}.`, { place: { path } });
}
