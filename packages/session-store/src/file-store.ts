/** SessionStore over files. */
import {
  continuedLogSchema,
  YoiError,
  type Clock,
  type EntryBody,
  type LogEntry,
  type SegmentStart,
  type SessionId,
} from "@yoi/base";
import { sweepTemporaries, type AppendFile, type Files } from "@yoi/host";
import { Blobs } from "./blobs.ts";
import { encodeEntry, type Encoding } from "./encode-entry.ts";
import { noSum } from "./line.ts";
import { LineIndex } from "./line-index.ts";
import { type FileCopies, SessionFileCopies } from "./file-copies.ts";
import type { DecodedEntry, DetachedEntry } from "./log-entry.ts";
import { LogMarks } from "./log-marks.ts";
import type { Redact } from "./redact-entry.ts";
import {
  attachAll,
  checkClosedHead,
  headOf,
  isReady,
  readSegment,
  readSound,
  repairTail,
  type SegmentPlace,
} from "./open-segment.ts";
import { lastEntry, readBehind, startEntry } from "./read-behind.ts";
import { readRecords } from "./record-reader.ts";
import {
  segmentOfFile,
  segmentPath,
  sessionDirectory,
  sessionsDirectory,
  tracePath,
} from "./segment-path.ts";
import { FileSegmentWriter } from "./segment-writer.ts";
import type {
  LastEntry,
  LinesFrom,
  LogDamage,
  LogHead,
  LogPiece,
  OpenedSegment,
  Opening,
  SegmentContent,
  SegmentFile,
  SegmentRef,
  SegmentView,
  SessionStore,
  StoredLine,
  TraceFile,
} from "./store.ts";
import { readLines } from "./stored-lines.ts";
import { openTraceFile } from "./trace-file.ts";

export interface SessionStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute; made when it is missing. */
  readonly dataDir: string;
  /** Takes credentials out of every entry and trace line before it is written; what comes back from the log is without them. Default: nothing. */
  readonly redact?: Redact;
}

export function createSessionStore(options: SessionStoreOptions): SessionStore {
  return new FileSessionStore(options);
}

class FileSessionStore implements SessionStore {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #dataDir: string;
  readonly #redact: Redact | null;
  readonly #marks = new LogMarks();
  /** One a session: two writers of it (a compactor beside the Pod) never sweep what the other is writing. */
  readonly #blobs = new Map<SessionId, Blobs>();

  constructor(options: SessionStoreOptions) {
    this.#files = options.files;
    this.#clock = options.clock;
    this.#dataDir = options.dataDir;
    this.#redact = options.redact ?? null;
  }

  async create(
    start: Omit<SegmentStart, "kind" | "carried">,
    opening: Opening,
    { carried, behind }: SegmentContent = { carried: [], behind: [] },
  ): Promise<OpenedSegment> {
    if (carried.length > 0 && start.schema < continuedLogSchema)
      throw new TypeError(`format ${start.schema} knows nothing that is carried`);
    const ref: SegmentRef = { session: start.session_id, segment: start.segment_id };
    const path = segmentPath(this.#dataDir, ref);
    const epoch = opening.metadataEpoch + 1;
    const origin = start.forked_from ?? start.compacted_from;
    const encoding = this.#encodingOf(ref);
    const ts = Math.floor(this.#clock.now());
    const entries: LogEntry[] = [];
    const lines: Uint8Array[] = [];
    const index = new LineIndex();
    let head: LogHead = { seq: -1, sum: origin?.sum ?? noSum };
    let bytes = 0;
    const bodies: readonly EntryBody[] = [
      { ...start, kind: "segment_start", carried: carried.length },
      ...carried,
      { kind: "segment_ready" },
      { kind: "opened", epoch, version: opening.version },
      ...behind,
    ];
    for (const body of bodies) {
      const place = { seq: head.seq + 1, batch: 0, ts, previousSum: head.sum };
      const encoded = await encodeEntry(place, body, encoding);
      entries.push(encoded.entry);
      index.note(place.seq, bytes);
      lines.push(encoded.bytes);
      bytes += encoded.bytes.length;
      head = { seq: place.seq, sum: encoded.sum };
    }

    const directory = sessionDirectory(this.#dataDir, ref.session);
    await this.#files.makeDirectory(directory);
    const file = await this.#files.createAppend(path);
    try {
      await file.append(Buffer.concat(lines));
      await file.sync();
      await this.#files.syncDirectory(directory);
      const writer = await this.#writer(ref, file, { epoch, head, index });
      return { writer, entries, repair: null };
    } catch (error) {
      await this.#abandon(file, path);
      throw error;
    }
  }

  async open(ref: SegmentRef, opening: Opening): Promise<OpenedSegment> {
    const place: SegmentPlace = { files: this.#files, dataDir: this.#dataDir, ref };
    // Another owner may have been killed since.
    this.#blobs.delete(ref.session);
    // Payloads first: a segment whose blobs are damaged is refused before a byte of it changes.
    const before = await readSound(place);
    if (opening.closedHead !== undefined) checkClosedHead(place, before, opening.closedHead);
    const blobs = this.#blobsOf(ref);
    const sound = await attachAll(before.log.entries, blobs);
    await sweepTemporaries(this.#files, sessionDirectory(this.#dataDir, ref.session));
    const file = await this.#files.openAppend(segmentPath(this.#dataDir, ref));
    try {
      const repair = await repairTail(place, file, before);
      const { log } = repair === null ? before : await readSound(place);
      // A repair only adds: the line that it completed.
      const entries = [...sound, ...(await attachAll(log.entries.slice(sound.length), blobs))];
      const head = headOf(log);
      if (head === null || log.goodBytes !== file.bytes) throw changedWhileOpening(place);
      const epoch = Math.max(opening.metadataEpoch, lastEpoch(entries)) + 1;
      const index = new LineIndex();
      for (const [seq, offset] of log.offsets.entries()) index.note(seq, offset);
      const writer = await this.#writer(ref, file, { epoch, head, index });
      const [opened] = await writer.append([{ kind: "opened", epoch, version: opening.version }]);
      return { writer, entries: opened === undefined ? entries : [...entries, opened], repair };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async writtenMs(ref: SegmentRef): Promise<number | null> {
    return (await this.#files.stat(segmentPath(this.#dataDir, ref)))?.modifiedMs ?? null;
  }

  async read(ref: SegmentRef): Promise<SegmentView> {
    const path = segmentPath(this.#dataDir, ref);
    const { log } = await readSegment({ files: this.#files, dataDir: this.#dataDir, ref });
    const blobs = this.#blobsOf(ref);
    const entries: LogEntry[] = [];
    let damage: LogDamage | null = log.damage === null ? null : { path, ...log.damage };
    for (const entry of log.entries) {
      if (!("detached" in entry)) {
        entries.push(entry);
        continue;
      }
      try {
        entries.push(await blobs.attach(entry));
      } catch (error) {
        if (!(error instanceof YoiError) || error.code !== "blob_damaged") throw error;
        damage = { path, line: entry.seq + 1, offset: log.offsets[entry.seq] ?? 0, reason: error.message };
        break;
      }
    }
    const sums = log.sums.slice(0, entries.length);
    const sum = sums.at(-1);
    return {
      path,
      entries,
      sums,
      head: sum === undefined ? null : { seq: sums.length - 1, sum },
      damage,
      tailBytes: log.tail.bytes,
      ready: isReady(entries),
    };
  }

  readBehind(ref: SegmentRef, seq: number): AsyncIterable<LogPiece> {
    return readBehind({ files: this.#files, dataDir: this.#dataDir, ref }, this.#marks, seq);
  }

  async readLast(ref: SegmentRef): Promise<LastEntry | null> {
    const path = segmentPath(this.#dataDir, ref);
    const found = await this.#files.stat(path);
    return found === null ? null : lastEntry(this.#files, path, found.bytes);
  }

  readStart(ref: SegmentRef): Promise<DecodedEntry | null> {
    return startEntry({ files: this.#files, dataDir: this.#dataDir, ref });
  }

  readLines(ref: SegmentRef, from: LinesFrom): AsyncIterable<readonly StoredLine[]> {
    return readLines({ files: this.#files, dataDir: this.#dataDir, ref }, from);
  }

  async listSegments(session: SessionId): Promise<readonly SegmentFile[]> {
    const found: SegmentFile[] = [];
    for (const name of await this.#files.list(sessionDirectory(this.#dataDir, session))) {
      const segment = segmentOfFile(name);
      if (segment === null) continue;
      const ref: SegmentRef = { session, segment };
      const stat = await this.#files.stat(segmentPath(this.#dataDir, ref));
      if (stat !== null) found.push({ ref, bytes: stat.bytes, writtenMs: stat.modifiedMs });
    }
    return found;
  }

  attach(ref: SegmentRef, entry: DetachedEntry): Promise<LogEntry> {
    return this.#blobsOf(ref).attach(entry);
  }

  openTrace(ref: SegmentRef): Promise<TraceFile> {
    return openTraceFile(this.#files, tracePath(this.#dataDir, ref), this.#redact);
  }

  async removeSegment(ref: SegmentRef): Promise<void> {
    await this.#files.removeFile(segmentPath(this.#dataDir, ref));
    await this.#files.syncDirectory(sessionDirectory(this.#dataDir, ref.session));
  }

  async removeSession(session: SessionId): Promise<void> {
    this.#blobs.delete(session);
    await this.#files.removeTree(sessionDirectory(this.#dataDir, session));
    const sessions = sessionsDirectory(this.#dataDir);
    if ((await this.#files.stat(sessions)) !== null) await this.#files.syncDirectory(sessions);
  }

  copies(session: SessionId): FileCopies {
    return new SessionFileCopies(this.#files, this.#dataDir, session);
  }

  #blobsOf({ session }: SegmentRef): Blobs {
    const blobs = this.#blobs.get(session) ?? new Blobs(this.#files, this.#dataDir, session);
    this.#blobs.set(session, blobs);
    return blobs;
  }

  #encodingOf(ref: SegmentRef): Encoding {
    return { blobs: this.#blobsOf(ref), redact: this.#redact };
  }

  async #writer(
    ref: SegmentRef,
    file: AppendFile,
    at: { epoch: number; head: LogHead; index: LineIndex },
  ): Promise<FileSegmentWriter> {
    const path = segmentPath(this.#dataDir, ref);
    const found = await file.stat();
    if (found === null) throw changedWhileOpening({ files: this.#files, dataDir: this.#dataDir, ref });
    const place = { files: this.#files, path, blobs: this.#blobsOf(ref), index: at.index };
    return new FileSegmentWriter({
      read: (wanted, durable) => readRecords(place, wanted, durable),
      ref,
      path,
      file,
      inode: found.inode,
      clock: this.#clock,
      encoding: this.#encodingOf(ref),
      ...at,
    });
  }

  /** Takes away a segment that could not be made durable. The failure that led here is the one to tell, whatever happens now. */
  async #abandon(file: AppendFile, path: string): Promise<void> {
    await file.close().catch(() => {});
    await this.#files.removeFile(path).catch(() => {});
  }
}

function lastEpoch(entries: readonly LogEntry[]): number {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry !== undefined && entry.kind === "opened" && !("opaque" in entry)) return entry.epoch;
  }
  return 0;
}

function changedWhileOpening(place: SegmentPlace): YoiError {
  const path = segmentPath(place.dataDir, place.ref);
  return new YoiError(
    "log_fenced",
    `The session log ${path} changed while it was being opened: another writer was there; look who else runs this Pod.`,
    { place: { path } },
  );
}
