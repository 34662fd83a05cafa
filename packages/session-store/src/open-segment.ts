/** Opening a segment for its owner: read all of it, refuse damage, repair the tail. */
import { YoiError, type LogEntry } from "@yoi/base";
import type { AppendFile, Files } from "@yoi/host";
import type { Blobs } from "./blobs.ts";
import { type DecodedLog, LogDecoder } from "./decode-log.ts";
import { storedSum } from "./line.ts";
import type { DecodedEntry } from "./log-entry.ts";
import { segmentPath, tornPath } from "./segment-path.ts";
import type { LogHead, SegmentRef, TailRepair } from "./store.ts";

export interface SegmentPlace {
  readonly files: Files;
  readonly dataDir: string;
  readonly ref: SegmentRef;
}

const lf = Buffer.from("\n");

/** How much of a log is read at once: its bytes and its entries are not in memory side by side. */
export const pieceBytes = 1024 * 1024;

export interface ReadLog {
  readonly log: DecodedLog;
  /** What stands behind the good lines. */
  readonly rest: Buffer;
}

export async function readSegment(place: SegmentPlace): Promise<ReadLog> {
  const path = segmentPath(place.dataDir, place.ref);
  if ((await place.files.stat(path)) === null) throw noSegment(path, "there is no such file");
  const decoder = new LogDecoder({ path, ref: place.ref });
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    // As much again as is there already, so that a long stretch without an end of line costs no more than twice its reading.
    const length = Math.max(pieceBytes, rest.length);
    const read = await place.files.readRange(path, decoder.goodBytes + rest.length, length);
    rest = rest.length === 0 ? bufferOf(read) : Buffer.concat([rest, read]);
    if (!decoder.stopped) rest = rest.subarray(decoder.take(rest));
    if (read.length < length) return { log: decoder.end(rest), rest };
  }
}

/** The same bytes. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** True when the start of the segment was written to its end. */
export function isReady(entries: readonly DecodedEntry[]): boolean {
  const carried = carriedOf(entries[0]);
  return carried !== null && entries[1 + carried]?.kind === "segment_ready";
}

function carriedOf(start: DecodedEntry | undefined): number | null {
  if (start === undefined || "opaque" in start || start.kind !== "segment_start") return null;
  const carried = "detached" in start ? start.fields["carried"] : start.carried;
  return typeof carried === "number" ? carried : null;
}

/** The entries with every payload that lies in a blob put back. */
export async function attachAll(
  entries: readonly DecodedEntry[],
  blobs: Blobs,
): Promise<readonly LogEntry[]> {
  const whole: LogEntry[] = [];
  for (const entry of entries) whole.push("detached" in entry ? await blobs.attach(entry) : entry);
  return whole;
}

/** Where good entries end. The log must hold one. */
export function headOf(log: DecodedLog): LogHead | null {
  const sum = log.sums.at(-1);
  return sum === undefined ? null : { seq: log.sums.length - 1, sum };
}

/** Reads a segment that is fit to run on. Throws `log_damaged`; `io_failed` when the segment does not exist. Writes nothing. */
export async function readSound(place: SegmentPlace): Promise<ReadLog> {
  const read = await readSegment(place);
  const { log } = read;
  const path = segmentPath(place.dataDir, place.ref);
  if (log.damage !== null) {
    const { line, offset, reason } = log.damage;
    throw new YoiError(
      "log_damaged",
      `The session log ${path} is damaged at line ${line} (byte ${offset}): ${reason}. Nothing was changed; the ${log.entries.length} entries before it are good.`,
      { place: { path, line, offset } },
    );
  }
  if (!isReady(log.entries)) throw noSegment(path, "its start was never written to the end");
  return read;
}

/** Throws log_damaged when the log does not hold the entry that the last orderly close left at its end: whole lines are missing, or it is another log. */
export function checkClosedHead(place: SegmentPlace, { log, rest }: ReadLog, closed: LogHead): void {
  const { sums, tail } = log;
  const found =
    tail.state === "whole" && closed.seq === sums.length
      ? storedSum(rest.subarray(0, tail.lineBytes))
      : sums[closed.seq];
  if (found === closed.sum) return;
  const path = segmentPath(place.dataDir, place.ref);
  const what =
    found === undefined
      ? `lines are missing at its end: it ends at entry ${sums.length - 1}, and the last orderly close left it at ${closed.seq}`
      : `it has another entry ${closed.seq} than the last orderly close left`;
  throw new YoiError(
    "log_damaged",
    `The session log ${path} is not whole, ${what}. Nothing was changed; put back a good copy of that file.`,
    { place: { path } },
  );
}

/**
 * Repairs what stands after the last committed line, durably. Running it again after a crash in the middle gives the same result. All that
 * the log then holds is synced: the owner before may have died between its write and its sync, and no line may stand behind lines that a
 * power cut can still take.
 */
export async function repairTail(
  place: SegmentPlace,
  file: AppendFile,
  { log, rest: cut }: ReadLog,
): Promise<TailRepair | null> {
  const { tail, goodBytes } = log;
  if (tail.state === "none") {
    await file.sync();
    return null;
  }
  if (tail.state === "whole") {
    if (tail.lineBytes < tail.bytes) await file.truncate(goodBytes + tail.lineBytes);
    await file.append(lf);
    await file.sync();
    return { action: "completed", bytes: tail.bytes };
  }
  const torn = tornPath(place.dataDir, place.ref);
  const kept = (await place.files.read(torn)) ?? new Uint8Array(0);
  if (!Buffer.from(kept).subarray(-cut.length).equals(cut)) {
    await place.files.replace(torn, Buffer.concat([kept, cut]));
  }
  await file.truncate(goodBytes);
  // Synced before anything is appended: old tail and new line must not be mixed by a power cut.
  await file.sync();
  return { action: "cut", bytes: tail.bytes, tornPath: torn };
}

function noSegment(path: string, reason: string): YoiError {
  return new YoiError(
    "io_failed",
    `There is no session log at ${path}: ${reason}; check the session and segment ids.`,
    {
      place: { path },
    },
  );
}
