/** Files that somebody hostile may have put there: looked at without following, waiting for or acting on what they are. */
import { constants, lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";

export type SmallFile<T> =
  | { readonly kind: "file"; readonly value: T; readonly executable: boolean }
  | { readonly kind: "link"; readonly to: string }
  | { readonly kind: "directory" }
  /** What cannot be read as a file, in words: "a FIFO", "600000 bytes, too many to look at". */
  | { readonly kind: "odd"; readonly what: string };

interface Look<T> {
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
  #before: ReadonlyMap<string, Look<T>> = new Map();
  #now = new Map<string, Look<T>>();

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
  read(path: string): SmallFile<T> | null {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return null;
      const stamp = `${stat.dev}:${stat.ino}:${stat.size}:${stat.mode}:${stat.mtimeMs}:${stat.ctimeMs}`;
      const before = this.#now.get(path) ?? this.#before.get(path);
      if (before?.stamp !== stamp && this.#read + stat.size > lookBytesMax)
        return { kind: "odd", what: `among more than ${lookBytesMax} bytes that changed` };
      const file = before?.stamp === stamp ? before.file : this.#look(path, stat);
      this.#now.set(path, { stamp, file });
      return file;
    } catch {
      return { kind: "odd", what: "something that cannot be read" };
    }
  }

  #look(path: string, stat: Stats): SmallFile<T> {
    if (stat.isSymbolicLink()) return { kind: "link", to: readlinkSync(path) };
    if (stat.isDirectory()) return { kind: "directory" };
    if (!stat.isFile())
      return { kind: "odd", what: stat.isFIFO() ? "a FIFO" : stat.isSocket() ? "a socket" : "a device" };
    if (stat.size > this.#bytesMax)
      return { kind: "odd", what: `a file of ${stat.size} bytes, too many to look at` };
    this.#read += stat.size;
    // A FIFO put in its place meanwhile must not hold the open, nor a link lead away.
    const flag = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    const value = this.#valueOf(readFileSync(path, { flag }));
    return { kind: "file", value, executable: (stat.mode & 0o111) !== 0 };
  }
}
