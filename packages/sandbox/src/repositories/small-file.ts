/** Files that somebody hostile may have put there: looked at without following, waiting for or acting on what they are. */
import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { closePlace, openInPlace } from "./in-place.ts";

export type SmallFile<T> =
  | { readonly kind: "file"; readonly value: T; readonly executable: boolean }
  | { readonly kind: "link"; readonly to: string }
  | { readonly kind: "directory" }
  /** What is no file, in words: "a FIFO". */
  | { readonly kind: "odd"; readonly what: string }
  /** What may be a file like any other, and why it was not read. */
  | { readonly kind: "unread"; readonly why: string };

export interface LookedAt<T> {
  /** Changes with the file; nobody can put `ctime` back. */
  readonly stamp: string;
  readonly file: SmallFile<T>;
}

/** Most bytes that one look reads of one kind of file: what did not change is not read again. */
export const lookBytesMax = 8 * 1024 * 1024;

/** Reads files and keeps what is wanted of them: one that did not change since the last look costs an lstat. */
export class SmallFiles<T> {
  readonly #bytesMax: number;
  /** Bytes that this look has read. */
  #read = 0;
  readonly #valueOf: (bytes: Buffer) => T;
  #before: ReadonlyMap<string, LookedAt<T>> = new Map();
  #now = new Map<string, LookedAt<T>>();

  constructor(bytesMax: number, valueOf: (bytes: Buffer) => T) {
    this.#bytesMax = bytesMax;
    this.#valueOf = valueOf;
  }

  /** Begins a look: what is not read in it is forgotten at the next. */
  begin(): void {
    this.#before = this.#now;
    this.#now = new Map();
    this.#read = 0;
  }

  /** Null: nothing is there. */
  read(path: string): LookedAt<T> | null {
    let stamp = "cannot be looked at";
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return null;
      stamp = `${stat.dev}:${stat.ino}:${stat.size}:${stat.mode}:${stat.mtimeMs}:${stat.ctimeMs}`;
      const before = this.#now.get(path) ?? this.#before.get(path);
      const looked = before?.stamp === stamp ? before : { stamp, file: this.#look(path, stat) };
      // What a full look left out is read by a later one.
      if (looked.file.kind !== "unread") this.#now.set(path, looked);
      return looked;
    } catch {
      return { stamp, file: { kind: "unread", why: "something that cannot be read" } };
    }
  }

  #look(path: string, stat: Stats): SmallFile<T> {
    if (stat.isSymbolicLink()) return { kind: "link", to: readlinkSync(path) };
    if (stat.isDirectory()) return { kind: "directory" };
    if (!stat.isFile())
      return { kind: "odd", what: stat.isFIFO() ? "a FIFO" : stat.isSocket() ? "a socket" : "a device" };
    if (stat.size > this.#bytesMax)
      return { kind: "unread", why: `a file of ${stat.size} bytes, too many to look at` };
    if (this.#read + stat.size > lookBytesMax)
      return { kind: "unread", why: `among more than ${lookBytesMax} bytes that changed` };
    this.#read += stat.size;
    const fd = openInPlace(path, "file");
    if (fd === null) return { kind: "unread", why: "something that is not in its place any more" };
    try {
      return { kind: "file", value: this.#valueOf(readFileSync(fd)), executable: (stat.mode & 0o111) !== 0 };
    } finally {
      closePlace(fd);
    }
  }
}
