/** Putting a file back as it was, at the very path that it had: no link is followed, and nothing changed meanwhile is lost. */
import { lstat, unlink } from "node:fs/promises";
import { YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { below, codeOf, failure, pathNow } from "./descriptor.ts";
import { type FileIdentity, identityOf, moved, readWalked, sameIdentity } from "./read.ts";
import { changed, checkReplaceable, replaceWalked, syncDirectory } from "./replace.ts";
import type { Rules } from "./rules.ts";
import type { Walked } from "./walk.ts";

/** A file that may be written. */
export interface HeldFile {
  readonly bytes: Buffer;
  readonly identity: FileIdentity;
  /** Permission bits. */
  readonly mode: number;
}

const modeBits = 0o777;

/** Null: nothing is there. Throws out_of_scope for what is reached by a link, has other names, or is no regular file. */
export async function inspectWalked(
  walked: Walked,
  asked: string,
  bytesMax: number,
): Promise<HeldFile | null> {
  requireReal(walked, asked);
  const { entry, path } = walked;
  if (entry === null) return null;
  checkReplaceable(entry.stat, path);
  const { bytes, identity } = await readWalked(walked, bytesMax);
  return { bytes, identity, mode: Number(entry.stat.mode) & modeBits };
}

/** What is to be there: these bytes with these permission bits, or (null) nothing. `held`: what was inspected, and must still be there. */
export interface WantedFile {
  readonly data: Uint8Array | null;
  readonly mode?: number;
  readonly held: Pick<HeldFile, "identity"> | null;
}

export async function putBackWalked(
  walked: Walked,
  asked: string,
  { data, mode, held }: WantedFile,
  rules: Rules,
): Promise<void> {
  requireReal(walked, asked);
  if (data !== null) {
    const expected =
      held === null ? ({ kind: "missing" } as const) : ({ kind: "same", identity: held.identity } as const);
    await replaceWalked(walked, data, expected, rules, mode === undefined ? null : mode & modeBits);
    return;
  }
  if (held !== null) await removeWalked(walked, held.identity);
}

async function removeWalked(
  { entry, parent, parentPath, path }: Walked,
  identity: FileIdentity,
): Promise<void> {
  if (entry === null || !sameIdentity(identityOf(entry.stat), identity)) throw changed(path);
  checkReplaceable(entry.stat, path);
  const at = below(parent.fd, path.slice(path.lastIndexOf("/") + 1));
  if (pathNow(parent.fd) !== parentPath) throw moved(parentPath);
  try {
    if (!sameIdentity(identityOf(await lstat(at, { bigint: true })), identity)) throw changed(path);
    await unlink(at);
  } catch (cause) {
    if (cause instanceof YoiError) throw cause;
    throw codeOf(cause) === "ENOENT" ? changed(path) : failure("remove", path, cause);
  }
  await syncDirectory(parent, parentPath);
}

function requireReal({ path }: Walked, asked: string): void {
  if (path === asked) return;
  throw new YoiError(
    "out_of_scope",
    `${quotePath(asked)} is reached by a link now, which leads to ${quotePath(path)}: it is left alone.`,
    { place: { path: asked } },
  );
}
