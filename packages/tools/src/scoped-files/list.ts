/** Listing a walked directory: the names in it that the rules let be read, and no more of them than the limit. */
import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { YoiError } from "@yoi/base";
import { childOf, quotePath } from "@yoi/scope";
import { failure, itself, pathNow } from "./descriptor.ts";
import { moved } from "./read.ts";
import type { Rules } from "./rules.ts";
import type { Walked } from "./walk.ts";

/** Most names of one directory that are looked at. */
export const listedEntriesMax = 10_000;

export interface ListedEntry {
  readonly name: string;
  readonly kind: "directory" | "file" | "link" | "other";
}

export interface ListedDirectory {
  /** The real path. */
  readonly path: string;
  /** By the bytes of their names. Of a link it is only said that it is one. */
  readonly entries: readonly ListedEntry[];
  /** How many names are no UTF-8, so that no path can name them: they are left out. */
  readonly unnameable: number;
  /** True when the directory has more than `listedEntriesMax` names: the others were not looked at. */
  readonly isCut: boolean;
}

export async function listWalked(walked: Walked, rules: Rules): Promise<ListedDirectory> {
  const { entry, path } = walked;
  if (entry === null)
    throw new YoiError("io_failed", `${quotePath(path)} does not exist.`, { place: { path } });
  if (!entry.stat.isDirectory()) throw new YoiError("usage", `${quotePath(path)} is not a directory.`);
  const { found, isCut } = await namesIn(entry.fd, path);
  if (pathNow(entry.fd) !== path) throw moved(path);
  const named = found.filter(({ bytes }) => isUtf8(bytes));
  const entries = named
    .map(({ bytes, kind }) => ({ name: bytes.toString("utf8"), kind }))
    .filter(({ name }) => rules.permission(childOf(path, name)) !== "none");
  return { path, entries, unnameable: found.length - named.length, isCut };
}

interface Found {
  readonly bytes: Buffer;
  readonly kind: ListedEntry["kind"];
}

async function namesIn(fd: number, path: string): Promise<{ found: Found[]; isCut: boolean }> {
  const found: Found[] = [];
  try {
    // One character a byte: names need not be UTF-8.
    for await (const dirent of await opendir(itself(fd), { encoding: "latin1", bufferSize: 256 })) {
      if (found.length === listedEntriesMax) return { found: inOrder(found), isCut: true };
      found.push({ bytes: Buffer.from(dirent.name, "latin1"), kind: kindOf(dirent) });
    }
  } catch (cause) {
    throw failure("list", path, cause);
  }
  return { found: inOrder(found), isCut: false };
}

function inOrder(found: readonly Found[]): Found[] {
  return found.toSorted((a, b) => Buffer.compare(a.bytes, b.bytes));
}

function kindOf(dirent: Dirent): ListedEntry["kind"] {
  if (dirent.isDirectory()) return "directory";
  if (dirent.isFile()) return "file";
  return dirent.isSymbolicLink() ? "link" : "other";
}
