/** SegmentWriter over one file: batches wait in a queue, and each turn writes all that wait as one buffer with one fdatasync. */
import { messageOf, YoiError, type Clock, type Entry, type EntryBody } from "@yoi/base";
import type { AppendFile } from "@yoi/host";
import { encodeEntry, type Encoding } from "./encode-entry.ts";
import type { LineIndex } from "./line-index.ts";
import type { LogHead, RecordedEntry, SegmentRef, SegmentWriter } from "./store.ts";
import type { Durable, ReadRange } from "./record-reader.ts";

/** A group takes no further batch once it holds this much. */
export const groupBytesMax = 8 * 1024 * 1024;

interface Batch {
  readonly bodies: readonly EntryBody[];
  readonly resolve: (entries: readonly Entry[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Encoded {
  readonly batch: Batch;
  readonly entries: readonly Entry[];
}

/** Lines that are written and synced together, and where the log ends with them. */
interface Group {
  /** The seq of its first line. */
  readonly first: number;
  readonly batches: Encoded[];
  readonly lines: Uint8Array[];
  bytes: number;
  head: LogHead;
}

export interface WriterOptions {
  readonly ref: SegmentRef;
  readonly path: string;
  readonly file: AppendFile;
  /** Identity of the file that was opened. */
  readonly inode: number;
  readonly clock: Clock;
  readonly encoding: Encoding;
  readonly epoch: number;
  readonly head: LogHead;
  /** Of the lines that are there; those that are written are added. */
  readonly index: LineIndex;
  readonly read: SegmentRead;
}

/** Reads entries back from `from` on, as far as byte `end`, where entry `lastSeq` ends. */
export type SegmentRead = (wanted: ReadRange, durable: Durable) => Promise<readonly RecordedEntry[]>;

export class FileSegmentWriter implements SegmentWriter {
  readonly ref: SegmentRef;
  readonly epoch: number;
  readonly #options: WriterOptions;
  readonly #queue: Batch[] = [];
  #head: LogHead;
  #offset: number;
  #working: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  /** Why nothing is written any more. */
  #stopped: YoiError | null = null;

  constructor(options: WriterOptions) {
    this.ref = options.ref;
    this.epoch = options.epoch;
    this.#options = options;
    this.#head = options.head;
    this.#offset = options.file.bytes;
  }

  get head(): LogHead {
    return this.#head;
  }

  get offset(): number {
    return this.#offset;
  }

  append(bodies: readonly EntryBody[]): Promise<readonly Entry[]> {
    if (this.#stopped !== null) return Promise.reject(this.#stopped);
    if (this.#closing !== null) return Promise.reject(this.#closed());
    return new Promise((resolve, reject) => {
      this.#queue.push({ bodies, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  records(from: number, bytesMax: number, orOne = true): Promise<readonly RecordedEntry[]> {
    return this.#options.read({ from, bytesMax, orOne }, { end: this.#offset, lastSeq: this.#head.seq });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#working;
      await this.#options.file.close();
    })();
    return this.#closing;
  }

  async #work(): Promise<void> {
    // Everybody who appends in this turn of the event loop shares the first group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      try {
        await this.#checkExpectation();
        const group = await this.#collect();
        if (group.batches.length > 0) await this.#commit(group);
      } catch (error) {
        for (const batch of this.#queue.splice(0)) batch.reject(error);
      }
    }
    this.#working = null;
  }

  /**
   * The log must be what this writer expects: the path still names its file, and that ends at its offset. Whoever takes a later epoch
   * begins by appending to the file, so one that ends here also has this writer's epoch and next seq.
   */
  async #checkExpectation(): Promise<void> {
    if (this.#stopped !== null) throw this.#stopped;
    const { file, inode, path } = this.#options;
    const found = await file.stat();
    if (found !== null && found.inode === inode && found.bytes === this.#offset) return;
    const seen =
      found === null
        ? "is gone"
        : found.inode !== inode
          ? "is another file now"
          : `has ${found.bytes} bytes where this process left ${this.#offset}`;
    this.#stopped = new YoiError(
      "log_fenced",
      `The session log ${path} ${seen}: another writer was there, so this process writes nothing more to it; end it and look who else runs this Pod.`,
      { place: { path, offset: this.#offset } },
    );
    throw this.#stopped;
  }

  /** Encodes waiting batches onto the end of the log. A batch that cannot be encoded is refused alone. */
  async #collect(): Promise<Group> {
    const group: Group = { first: this.#head.seq + 1, batches: [], lines: [], bytes: 0, head: this.#head };
    const ts = Math.floor(this.#options.clock.now());
    while (group.bytes < groupBytesMax) {
      const batch = this.#queue.shift();
      if (batch === undefined) break;
      try {
        await this.#encode(batch, ts, group);
      } catch (error) {
        batch.reject(error);
      }
    }
    return group;
  }

  async #encode(batch: Batch, ts: number, group: Group): Promise<void> {
    const entries: Entry[] = [];
    const lines: Uint8Array[] = [];
    let { head } = group;
    for (const body of batch.bodies) {
      const place = { seq: head.seq + 1, batch: group.first, ts, previousSum: head.sum };
      const encoded = await encodeEntry(place, body, this.#options.encoding);
      head = { seq: place.seq, sum: encoded.sum };
      entries.push(encoded.entry);
      lines.push(encoded.bytes);
    }
    group.head = head;
    group.lines.push(...lines);
    group.bytes += lines.reduce((total, line) => total + line.length, 0);
    group.batches.push({ batch, entries });
  }

  /** Settles every batch of the group: all of them are durable, or none is acknowledged. */
  async #commit(group: Group): Promise<void> {
    const { file } = this.#options;
    try {
      if (group.bytes > 0) await this.#write(Buffer.concat(group.lines, group.bytes));
    } catch (error) {
      for (const { batch } of group.batches) batch.reject(error);
      return;
    }
    const { index } = this.#options;
    let offset = this.#offset;
    for (const [nth, line] of group.lines.entries()) {
      index.note(group.first + nth, offset);
      offset += line.length;
    }
    this.#head = group.head;
    this.#offset = file.bytes;
    for (const { batch, entries } of group.batches) batch.resolve(entries);
  }

  async #write(data: Uint8Array): Promise<void> {
    const { file } = this.#options;
    try {
      await file.append(data);
    } catch (writeError) {
      // Cut back to the last committed line, and durably so: a batch that was refused must not come back after a power cut.
      try {
        await file.truncate(this.#offset);
        await file.sync();
      } catch (cutError) {
        throw this.#poison(cutError);
      }
      throw writeError;
    }
    try {
      await file.sync();
    } catch (syncError) {
      const poison = this.#poison(syncError);
      // Pages that a failed sync marked clean would look durable to the next opener, and are not: take them out of its sight.
      // Should that fail too there is nothing left to do here; the writer is dead either way.
      await file.truncate(this.#offset).catch(() => {});
      throw poison;
    }
  }

  #poison(cause: unknown): YoiError {
    const { path } = this.#options;
    this.#stopped = new YoiError(
      "log_poisoned",
      `The session log ${path} cannot be made durable, so this process writes nothing more to it: check the disk, then start the Pod again, which reads and verifies the log anew. (${messageOf(cause)})`,
      { cause, place: { path, offset: this.#offset } },
    );
    return this.#stopped;
  }

  #closed(): YoiError {
    const { path } = this.#options;
    return new YoiError(
      "log_fenced",
      `The session log ${path} was closed by this process: open it again to write.`,
      { place: { path, offset: this.#offset } },
    );
  }
}
