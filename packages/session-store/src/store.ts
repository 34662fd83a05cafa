/** SessionStore: the only door to session logs and blobs. Implementations pass the suite in `./conformance`. */
import type {
  Carried,
  Entry,
  EntryBody,
  ErrorPlace,
  LogEntry,
  SegmentId,
  SegmentStart,
  SessionId,
} from "@yoi/base";
import type { FileCopies } from "./file-copies.ts";
import type { DecodedEntry, DetachedEntry } from "./log-entry.ts";

export interface SegmentRef {
  readonly session: SessionId;
  readonly segment: SegmentId;
}

/** Where a log ends: the last entry's seq and checksum. `verify --head` prints it; metadata keeps it at an orderly close. */
export interface LogHead {
  readonly seq: number;
  readonly sum: string;
}

/** An entry as it stands in the log. */
export interface RecordedEntry {
  readonly seq: number;
  readonly kind: string;
  /** Its line without the checksum, a payload that lies in a blob put back: what `jsonOfEntry` gives for the entry. */
  readonly json: string;
}

/** Repair of what an unfinished write left at the end, made once by the owner when it opens a segment. */
export interface TailRepair {
  /** completed: the line's sum verified, LF was added. cut: from the first line on that did not; the bytes went to `tornPath`. */
  readonly action: "completed" | "cut";
  /** How many bytes stood behind the last good line. */
  readonly bytes: number;
  readonly tornPath?: string;
}

/** Damage before the tail. The entries before it are good. */
export interface LogDamage extends Required<ErrorPlace> {
  readonly reason: string;
}

/** A read-only view: what an unfinished write left is ignored, damage is reported, never thrown. */
export interface SegmentView {
  readonly path: string;
  /** The good entries, from seq 0, without gap. Deeply frozen. */
  readonly entries: readonly LogEntry[];
  /** The checksum of each entry, by seq. */
  readonly sums: readonly string[];
  readonly head: LogHead | null;
  readonly damage: LogDamage | null;
  /** Bytes behind the last good line that are no damage: what an unfinished write left. */
  readonly tailBytes: number;
  /** False: a start without `segment_ready`; such a segment does not exist for a Pod. */
  readonly ready: boolean;
}

/** Some entries of a log, one behind the other. */
export interface LogPiece {
  /** Payloads that lie in blobs are not fetched. Deeply frozen. */
  readonly entries: readonly DecodedEntry[];
  /** Behind these entries; nothing comes behind it. */
  readonly damage: LogDamage | null;
}

export interface LastEntry {
  readonly entry: DecodedEntry;
  readonly sum: string;
}

/** A segment as its file shows it: nothing of it was read. */
export interface SegmentFile {
  readonly ref: SegmentRef;
  /** Of its log, payloads in blobs not among them. */
  readonly bytes: number;
  /** When it last grew, in milliseconds since the epoch. */
  readonly writtenMs: number;
}

/** Where a reading of lines begins, that line included, and how it goes on. Backwards from Infinity: from the last one. */
export interface LinesFrom {
  readonly seq: number;
  readonly direction: "onwards" | "backwards";
}

/** A line of a log, not looked into. */
export interface StoredLine {
  readonly seq: number;
  readonly sum: string;
  /** With its LF. */
  readonly bytes: number;
  /** Its JSON as it stands there, without the checksum. */
  text(): string;
  /** Null: it is no entry. */
  decode(): DecodedEntry | null;
}

/**
 * The one writer of a segment. Made by `create` or `open` under the Pod's lease. It carries what every write of it expects of the log:
 * `epoch`, the seq behind `head`, and `offset`. Each write is checked against the log first, and where one of the three is not what it
 * expects nothing is written (`log_fenced`), then or later. Files compare identity and size: every owner's first act is to append its
 * epoch, so a file that ends at `offset` has no other owner. A database compares the three in the transaction of the write.
 */
export interface SegmentWriter {
  readonly ref: SegmentRef;
  readonly epoch: number;
  readonly head: LogHead;
  /** Where the log ends, in bytes: the next write begins there. */
  readonly offset: number;
  /**
   * Appends the bodies as one batch and resolves when they are durable, in order, with the frozen entries decoded from the very
   * bytes written. Concurrent batches are grouped into one fdatasync. Failures: `disk_full` or `io_failed` of a write (the batch is cut away
   * and the writer goes on), `log_poisoned` after a failed sync or a failed cut (every later call fails too), `log_fenced` (another writer was there).
   */
  append(bodies: readonly EntryBody[]): Promise<readonly Entry[]>;
  /**
   * Reads durable entries back, from seq `from` on: as many whole ones as `bytesMax` bytes of JSON hold, none behind `head`. Where the first alone has
   * more, it is read all the same unless `orOne` is false: then nothing is, and nothing but its line is fetched. What is appended meanwhile may or may not be there. Throws `io_failed`, and `log_damaged` or `blob_damaged` where the log is not what was written.
   */
  records(from: number, bytesMax: number, orOne?: boolean): Promise<readonly RecordedEntry[]>;
  /** Waits for what was appended, then closes. Later appends are refused. */
  close(): Promise<void>;
}

export interface OpenedSegment {
  readonly writer: SegmentWriter;
  /** Every entry, `opened` of this owner included. */
  readonly entries: readonly LogEntry[];
  readonly repair: TailRepair | null;
}

export interface Opening {
  /** At least this; the epoch taken is one more than the greater of this and the last in the log. */
  readonly metadataEpoch: number;
  /** yoi's version, for the `opened` entry. */
  readonly version: string;
  /**
   * The head that the last orderly close left. A log that does not hold that entry has lost whole lines: `open` then throws `log_damaged`
   * and writes nothing.
   */
  readonly closedHead?: LogHead;
}

/** The event trace beside a segment: for people who look into timing, never read back. Neither synced nor part of any promise. */
export interface TraceFile {
  readonly path: string;
  /** Bytes of it, those of earlier owners included. */
  readonly bytes: number;
  /** Appends whole lines. A failure leaves at most a part of them behind; the owner then stops. One call at a time. */
  append(lines: string): Promise<void>;
  close(): Promise<void>;
}

/** What a new segment holds from its beginning on. */
export interface SegmentContent {
  /** Behind the start. */
  readonly carried: readonly Carried[];
  /** Behind `opened`. */
  readonly behind: readonly EntryBody[];
}

export interface SessionStore {
  /**
   * Creates a segment: start, what it carries, ready, `opened` and what stands behind that, all durable (file, then directory) on return. A crash before leaves
   * a segment that does not exist. Default: nothing is carried, and nothing stands behind.
   */
  create(
    start: Omit<SegmentStart, "kind" | "carried">,
    opening: Opening,
    content?: SegmentContent,
  ): Promise<OpenedSegment>;
  /** Takes away a segment that no pointer names and none ever named. The caller holds the lease of the Pod. */
  removeSegment(ref: SegmentRef): Promise<void>;
  /**
   * Opens a segment for writing: repairs the tail, reads everything, appends `opened`. Damage before the tail throws `log_damaged` with
   * file, line and offset, and nothing is written.
   */
  open(ref: SegmentRef, opening: Opening): Promise<OpenedSegment>;
  /** Never writes. Throws io_failed when there is no such segment. */
  read(ref: SegmentRef): Promise<SegmentView>;
  /**
   * What is durable behind the entry `seq` (-1: from the beginning), in pieces of about 1 MiB, of a segment that another process may be writing: no power cut takes
   * an entry back that somebody acts on. Changes nothing of the log. Where this store read before it goes on from there; all that it reads is held to the
   * chain. Damage is the last piece's, never thrown. Throws io_failed when there is no such segment, and where the disk does not take it.
   */
  readBehind(ref: SegmentRef, seq: number): AsyncIterable<LogPiece>;
  /** The last whole entry, as its line says it: little is read, and it is not held to the chain. Null: there is none, or no such segment. */
  readLast(ref: SegmentRef): Promise<LastEntry | null>;
  /** The `segment_start`; null: there is no such segment, or it does not begin as one. Little more than its line is read. Throws schema_newer. */
  readStart(ref: SegmentRef): Promise<DecodedEntry | null>;
  /**
   * Whole lines from any entry on, in stretches of about 256 KiB, without reading what lies before it: for who looks something up. They are neither held to the chain nor known
   * to be durable, and what is no line of a log is left out. Throws io_failed when there is no such segment.
   */
  readLines(ref: SegmentRef, from: LinesFrom): AsyncIterable<readonly StoredLine[]>;
  /** Every segment of a session, also those that no pointer names, oldest id first. Their logs are not opened. */
  listSegments(session: SessionId): Promise<readonly SegmentFile[]>;
  /** The whole entry. Throws blob_damaged when its payload is missing or another one. */
  attach(ref: SegmentRef, entry: DetachedEntry): Promise<LogEntry>;
  /** When the segment last grew, in milliseconds since the epoch; null when there is none. Its log is not opened. */
  writtenMs(ref: SegmentRef): Promise<number | null>;
  /** Opens the trace of a segment for appending, under the Pod's lease; an unfinished last line of it is ended. */
  openTrace(ref: SegmentRef): Promise<TraceFile>;
  /** Copies of the user's files that go with the session. Keeping is the owner's; anybody may read. */
  copies(session: SessionId): FileCopies;
  /** Removes a session's logs, blobs and what else lies beside them. The caller holds the lease of the Pod that owns it. */
  removeSession(session: SessionId): Promise<void>;
}
