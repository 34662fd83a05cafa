/** Reading a walked file: the very file that the walk found, regular, and no more of it than the limit. */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { failure, itself, pathNow } from "./descriptor.ts";
import type { Walked } from "./walk.ts";

/** Says that a file is still the one that was read: content may only differ where all of these are forged. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly bytes: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

export interface ReadFile {
  /** The real path. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly identity: FileIdentity;
}

export function identityOf(stat: BigIntStats): FileIdentity {
  return {
    device: stat.dev,
    inode: stat.ino,
    bytes: stat.size,
    modifiedNs: stat.mtimeNs,
    changedNs: stat.ctimeNs,
  };
}

export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return (
    a.device === b.device &&
    a.inode === b.inode &&
    a.bytes === b.bytes &&
    a.modifiedNs === b.modifiedNs &&
    a.changedNs === b.changedNs
  );
}

/** Throws for what is not a regular file: a FIFO would hang, a device may act, a directory has no text. */
export function mustBeFile(stat: BigIntStats, path: string): void {
  if (stat.isFile()) return;
  if (stat.isDirectory())
    throw new YoiError(
      "usage",
      `${quotePath(path)} is a directory: find what is in it with Glob, or name a file in it.`,
    );
  const kind = stat.isFIFO() ? "a FIFO" : stat.isSocket() ? "a socket" : "a device";
  throw new YoiError(
    "out_of_scope",
    `${quotePath(path)} is ${kind}, not a regular file: the file tools do not touch it.`,
  );
}

export async function readWalked(walked: Walked, bytesMax: number): Promise<ReadFile> {
  const { entry, path } = walked;
  if (entry === null)
    throw new YoiError("io_failed", `${quotePath(path)} does not exist.`, { place: { path } });
  mustBeFile(entry.stat, path);
  if (entry.stat.size > BigInt(bytesMax)) throw tooLarge(path, Number(entry.stat.size), bytesMax);
  const file = await openAgain(entry.fd, path);
  try {
    const before = await file.stat({ bigint: true });
    if (pathNow(file.fd) !== path) throw moved(path);
    const bytes = await readAll(file, bytesMax, path);
    return { path, bytes, identity: identityOf(before) };
  } catch (cause) {
    throw cause instanceof YoiError ? cause : failure("read", path, cause);
  } finally {
    await file.close();
  }
}

async function openAgain(fd: number, path: string): Promise<FileHandle> {
  try {
    return await open(itself(fd), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw failure("read", path, cause);
  }
}

async function readAll(file: FileHandle, bytesMax: number, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(
      Buffer.allocUnsafe(Math.min(bytesMax + 1 - length, 256 * 1024)),
      0,
      null,
      null,
    );
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > bytesMax) throw tooLarge(path, length, bytesMax);
  }
}

export function moved(path: string): YoiError {
  return new YoiError(
    "out_of_scope",
    `${quotePath(path)} was moved while it was used: nothing was done; look where it is now.`,
  );
}

function tooLarge(path: string, bytes: number, bytesMax: number): YoiError {
  return new YoiError(
    "limit_exceeded",
    `${quotePath(path)} has ${bytes} bytes or more and the file tools take ${bytesMax}: look at a part of it with the Bash tool (head, tail, sed -n, grep).`,
  );
}
