/**
 * What the user typed, workspace by workspace, to be found again: one file of lines for each. Several processes add to one file: each line is one
 * write at its end, and a file that has grown too long is replaced whole.
 */
import { createHash } from "node:crypto";
import { join } from "node:path/posix";
import { type Clock, isJsonObject } from "@yoi/base";
import type { AppendFile, Files } from "@yoi/host";
import { removeOldLeftovers } from "./leftovers.ts";
import type { InspectPath } from "./ports.ts";
import { arePrivate, isPrivate } from "./private-path.ts";

/** What is given back, and what is left of a file that is made shorter. */
export const historyEntriesMax = 1_000;
/** So many lines more may stand in a file before it is made shorter: not at each line that is added. */
export const historySlackEntries = 200;
/** Of a file; a larger one is made shorter. */
export const historyFileBytesMax = 1024 * 1024;
/** What of it stays then, at most. */
const keptBytesMax = (historyFileBytesMax / 4) * 3;
/** Of one text in UTF-8: a longer one is a document that was pasted, and is not kept. */
export const historyTextBytesMax = 32 * 1024;
/** What is read of a file that somebody else made longer than this store does. */
const readBytesMax = 2 * historyFileBytesMax;

const lineFeed = 0x0a;
const words = {
  rule: "what you typed is kept only where nobody else can read it",
  afterwards: "know that others may have read it",
};

export interface InputHistoryOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute. */
  readonly dataDir: string;
  readonly inspect: InspectPath;
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
}

/** Both throw `permission_denied` where a directory or the file is not the user's alone, and what `Files` throws. */
export interface InputHistory {
  /** Oldest first, at most `historyEntriesMax`, none twice in a row. Lines that are damaged are passed over. */
  load(): Promise<readonly string[]>;
  /**
   * Durable on return. Nothing is added for white space, for what stands there last, and for more than `historyTextBytesMax` bytes. While another process
   * makes the file shorter, one line can get lost.
   */
  add(text: string): Promise<void>;
}

/** Gives the history of a workspace, by its canonical path. */
export function createInputHistory(options: InputHistoryOptions): (workspace: string) => InputHistory {
  return (workspace) => new FileHistory(options, workspace);
}

class FileHistory implements InputHistory {
  readonly #options: InputHistoryOptions;
  readonly #directories: readonly [keep: string, history: string];
  readonly #path: string;
  readonly #look: { readonly inspect: InspectPath; readonly words: typeof words };
  /** Calls of one process come one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: InputHistoryOptions, workspace: string) {
    this.#options = options;
    const keep = join(options.dataDir, "keep");
    const directory = join(keep, "history");
    this.#directories = [keep, directory];
    this.#path = join(directory, `${createHash("sha256").update(workspace).digest("hex")}.jsonl`);
    this.#look = { inspect: options.inspect, words };
  }

  load(): Promise<readonly string[]> {
    return this.#next(async () => (await this.#read()).texts.slice(-historyEntriesMax));
  }

  add(text: string): Promise<void> {
    return this.#next(async () => {
      const { files, clock, redact } = this.#options;
      const kept = redact(text.trimEnd());
      if (kept.trim() === "" || Buffer.byteLength(kept) > historyTextBytesMax) return;
      const before = await this.#read();
      if (before.texts.at(-1) === kept) return;
      const line = lineOf(kept);
      if (
        before.lines >= historyEntriesMax + historySlackEntries ||
        before.bytes + line.length > historyFileBytesMax
      ) {
        await removeOldLeftovers(files, clock, this.#directories[1]);
        await files.replace(this.#path, Buffer.concat(newest([...before.texts.map(lineOf), line])));
        return;
      }
      await this.#append(before.isUnended ? Buffer.concat([Buffer.of(lineFeed), line]) : line);
    });
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #read(): Promise<FoundLines> {
    const { files } = this.#options;
    const isThere =
      (await arePrivate(this.#directories, this.#look)) && (await isPrivate(this.#path, "file", this.#look));
    const stat = isThere ? await files.stat(this.#path) : null;
    if (stat === null) return { texts: [], lines: 0, bytes: 0, isUnended: false };
    const from = Math.max(0, stat.bytes - readBytesMax);
    const bytes = await files.readRange(this.#path, from, stat.bytes - from);
    const lines = Buffer.from(bytes)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
    const all = lines.flatMap((line) => textOf(line) ?? []);
    return {
      texts: all.filter((text, index) => text !== all[index - 1]),
      lines: lines.length,
      bytes: stat.bytes,
      isUnended: bytes.length > 0 && bytes.at(-1) !== lineFeed,
    };
  }

  /** Made where there is none: by one process, however many want it. */
  async #opened(): Promise<AppendFile> {
    const { files } = this.#options;
    if ((await files.stat(this.#path)) !== null) return await files.openAppend(this.#path);
    let made: AppendFile;
    try {
      made = await files.createAppend(this.#path);
    } catch (error) {
      if ((await files.stat(this.#path)) === null) throw error;
      return await files.openAppend(this.#path);
    }
    await files.syncDirectory(this.#directories[1]);
    return made;
  }

  async #append(line: Uint8Array): Promise<void> {
    const { files } = this.#options;
    await files.makeDirectory(this.#directories[1]);
    // Others may have been quicker.
    await arePrivate(this.#directories, this.#look);
    const file = await this.#opened();
    try {
      const isInPlace = await appended(file, line);
      if (isInPlace) return;
    } finally {
      await file.close();
    }
    // Another process has made it shorter meanwhile, and may not have seen the line.
    const now = await files.openAppend(this.#path);
    try {
      await appended(now, line);
    } finally {
      await now.close();
    }
  }
}

/** False: another file has its name now. */
async function appended(file: AppendFile, line: Uint8Array): Promise<boolean> {
  const before = await file.stat();
  await file.append(line);
  await file.sync();
  const after = await file.stat();
  return before !== null && after?.inode === before.inode;
}

interface FoundLines {
  readonly texts: readonly string[];
  /** Also those that are damaged. */
  readonly lines: number;
  readonly bytes: number;
  /** The last line was broken off. */
  readonly isUnended: boolean;
}

function lineOf(text: string): Buffer {
  return Buffer.from(`${JSON.stringify({ text })}\n`);
}

/** Null: it is no line of a history. */
function textOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && typeof value["text"] === "string" ? value["text"] : null;
  } catch {
    return null;
  }
}

/** The last ones that fit. */
function newest(lines: readonly Buffer[]): readonly Buffer[] {
  let bytes = 0;
  const fits = lines.toReversed().findIndex((line, index) => {
    bytes += line.length;
    return index === historyEntriesMax || bytes > keptBytesMax;
  });
  return fits === -1 ? lines : lines.slice(lines.length - fits);
}
