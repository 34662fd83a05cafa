/** The stores over a bundle: the same readers as for a data directory, so that they say the same. */
import { readFile, stat } from "node:fs/promises";
import { constants } from "node:fs";
import { resolve } from "node:path";
import { type Clock, messageOf, YoiError } from "@yoi/base";
import type { DiscoveryStores } from "@yoi/pod";
import { createPodStore } from "@yoi/pod-store";
import { createSessionStore } from "@yoi/session-store";
import { bundleFiles } from "./bundle-files.ts";
import { bundleBytesMax } from "./bundle-format.ts";
import { unpackBundle } from "./unpack-bundle.ts";

export interface BundleStores extends DiscoveryStores {
  readonly pod: string;
}

/** Reads the whole bundle into memory. `path`: as the user typed it, from `directory`. */
export async function openBundle(path: string, directory: string, clock: Clock): Promise<BundleStores> {
  const dataDir = resolve(directory, path);
  const { manifest, files: held } = await unpackBundle(await readBundle(dataDir), dataDir);
  const files = bundleFiles(dataDir, held);
  return {
    pod: manifest.pod,
    sessions: createSessionStore({ files, clock, dataDir }),
    pods: createPodStore({ files, clock, dataDir }),
    // Nobody holds what is only a copy.
    lease: { owner: async () => null },
  };
}

async function readBundle(path: string): Promise<Uint8Array> {
  const refuse = (what: string): YoiError =>
    new YoiError("bundle_invalid", `The bundle ${path} ${what}.`, { place: { path } });
  try {
    const found = await stat(path);
    if (!found.isFile()) throw refuse("is not a regular file: name one that `yoi pod export` wrote");
    if (found.size > bundleBytesMax) throw refuse(`has more than ${bundleBytesMax} bytes`);
    // A FIFO put in its place meanwhile would hold the open.
    return await readFile(path, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch (error) {
    if (error instanceof YoiError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
    throw refuse(`cannot be read (${code}): look at its name and permissions`);
  }
}
