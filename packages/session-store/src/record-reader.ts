/** RecordReader: reads entries of an open segment back as the JSON they were written as, in pieces, never past what is durable. */
import { YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import type { Blobs } from "./blobs.ts";
import { lineEnd, lineJson, storedSum } from "./line.ts";
import type { LineIndex } from "./line-index.ts";
import { batchOfLine, decodeEntry, type DetachedEntry, jsonOfEntry, payloadFieldOf } from "./log-entry.ts";
import { bufferOf } from "./open-segment.ts";
import type { RecordedEntry } from "./store.ts";

/** How much of a log is read at once; a longer line makes it more. */
export const readBytes = 128 * 1024;

export interface RecordPlace {
  readonly files: Files;
  readonly path: string;
  readonly blobs: Blobs;
  readonly index: LineIndex;
}

/** What may be read: all before byte `end`. */
export interface Durable {
  readonly end: number;
  readonly lastSeq: number;
}

/** As `SegmentWriter.records` takes it. */
export interface ReadRange {
  readonly from: number;
  readonly bytesMax: number;
  readonly orOne: boolean;
}

/** As `SegmentWriter.records`. */
export async function readRecords(
  place: RecordPlace,
  { from, bytesMax, orOne }: ReadRange,
  durable: Durable,
): Promise<readonly RecordedEntry[]> {
  const records: RecordedEntry[] = [];
  if (from > durable.lastSeq) return records;
  let { seq, offset } = place.index.before(from);
  let bytes = 0;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    // As much again as is there already, so that a long line costs no more than twice its reading.
    const length = Math.min(Math.max(readBytes, rest.length), durable.end - offset - rest.length);
    const read = length <= 0 ? null : await place.files.readRange(place.path, offset + rest.length, length);
    if (read === null || read.length === 0) {
      throw damaged(place, { seq, offset }, "the log ends before it");
    }
    rest = rest.length === 0 ? bufferOf(read) : Buffer.concat([rest, read]);
    let begin = 0;
    for (let end = lineEnd(rest, begin); end !== -1; end = lineEnd(rest, begin)) {
      if (seq >= from) {
        const stored = storedAt(place, rest.subarray(begin, end), { seq, offset: offset + begin });
        bytes += stored.bytes;
        if (bytes > bytesMax && (records.length > 0 || !orOne)) return records;
        records.push(await recordOf(place, stored));
        if (seq === durable.lastSeq || bytes >= bytesMax) return records;
      }
      seq += 1;
      begin = end + 1;
    }
    offset += begin;
    rest = rest.subarray(begin);
  }
}

const kindOfHead = /^\{"seq":(\d{1,16}),"batch":\d{1,16},"ts":-?\d{1,16},"kind":("(?:[^"\\]|\\.){0,512}")/;
const headBytesMax = 640;

/** A line, before what it names is fetched. */
interface Stored {
  readonly seq: number;
  readonly kind: string;
  readonly json: string;
  /** Null: the line is all of it. */
  readonly detached: DetachedEntry | null;
  /** Of the whole entry's JSON, a few more where its payload lies in a blob. */
  readonly bytes: number;
}

/** The head of the line is checked, not its checksum: the owner verified the whole log when it opened it, or wrote the line itself. */
function storedAt(
  place: RecordPlace,
  line: Buffer,
  at: { readonly seq: number; readonly offset: number },
): Stored {
  const { seq } = at;
  const head = kindOfHead.exec(line.toString("utf8", 0, headBytesMax));
  if (Number(head?.[1]) !== seq || head?.[2] === undefined || storedSum(line) === null) {
    throw damaged(place, at, `it is not entry ${seq} any more`);
  }
  const kind: string = JSON.parse(head[2]);
  const json = lineJson(line);
  const whole = { seq, kind, json, detached: null, bytes: Buffer.byteLength(json) };
  const field = payloadFieldOf(kind);
  // Quotes in a text are escaped, so nothing that somebody wrote looks like this; a provider's own data may, and decoding tells.
  if (field === null || !json.includes(`"${field}":{"blob":{"sha256":"`)) return whole;
  const decoded = decodeEntry(json, seq, batchOfLine(line) ?? seq);
  if ("wrong" in decoded) throw damaged(place, at, decoded.wrong);
  if (!("detached" in decoded.entry)) return whole;
  const detached = decoded.entry;
  return { ...whole, detached, bytes: whole.bytes + detached.blob.bytes };
}

async function recordOf(
  { blobs }: RecordPlace,
  { seq, kind, json, detached }: Stored,
): Promise<RecordedEntry> {
  return { seq, kind, json: detached === null ? json : jsonOfEntry(await blobs.attach(detached)) };
}

function damaged(
  { path }: RecordPlace,
  { seq, offset }: { readonly seq: number; readonly offset: number },
  reason: string,
): YoiError {
  return new YoiError(
    "log_damaged",
    `Entry ${seq} of the session log ${path} cannot be read back: ${reason}. The log changed under the process that owns it: run \`yoi pod verify\` on this Pod.`,
    { place: { path, line: seq + 1, offset } },
  );
}
