/** Reading behind an entry: what is durable there, in pieces, for whoever follows a log that another process may be writing. */
import type { Files } from "@yoi/host";
import { type LogMark, LogDecoder } from "./decode-log.ts";
import { entryBytesMax } from "./encode-entry.ts";
import { committedBytes, lineEnd } from "./line.ts";
import type { DecodedEntry } from "./log-entry.ts";
import type { LogMarks } from "./log-marks.ts";
import { bufferOf, pieceBytes, type SegmentPlace } from "./open-segment.ts";
import { segmentPath } from "./segment-path.ts";
import type { LastEntry, LogPiece } from "./store.ts";
import { storedLine } from "./stored-lines.ts";

/** Read first, then four times as much each time up to a piece: whoever wants only the beginning reads little. */
export const firstBytes = 64 * 1024;
const growth = 4;

/** As `SessionStore.readBehind`. */
export async function* readBehind(
  place: SegmentPlace,
  marks: LogMarks,
  seq: number,
): AsyncGenerator<LogPiece, void> {
  const { files, ref } = place;
  const path = segmentPath(place.dataDir, ref);
  const end = await durableBytes(files, path);
  let mark = marks.before(path, seq, end);
  if (seq >= 0 && end - (mark?.offset ?? 0) > pieceBytes) {
    const last = await lastEntry(files, path, end);
    if (last !== null && last.entry.seq <= seq) return;
  }
  const decoderBehind = (behind: LogMark | null): LogDecoder =>
    new LogDecoder({ path, ref, from: seq + 1, ...(behind === null ? {} : { behind }) });
  let decoder = decoderBehind(mark);
  let rest: Buffer = Buffer.alloc(0);
  for (let length = firstBytes; ; length = Math.min(length * growth, pieceBytes)) {
    const at = decoder.goodBytes + rest.length;
    // As much again as is there already, so that a long line costs no more than twice its reading.
    const wanted = Math.min(Math.max(length, rest.length), end - at);
    const read = await files.readRange(path, at, wanted);
    rest = rest.length === 0 ? bufferOf(read) : Buffer.concat([rest, read]);
    if (!decoder.stopped) rest = rest.subarray(decoder.take(rest));
    if (decoder.stopped && mark !== null && decoder.goodBytes === mark.offset) {
      // The log is not what it was there: it is read from its beginning.
      marks.forget(path);
      mark = null;
      decoder = decoderBehind(null);
      rest = Buffer.alloc(0);
      continue;
    }
    if (read.length < wanted || at + read.length === end || isDamageForSure(decoder, rest)) {
      const { damage } = decoder.end(rest);
      marks.note(path, decoder.mark);
      yield { entries: decoder.drain(), damage: damage === null ? null : { path, ...damage } };
      return;
    }
    marks.note(path, decoder.mark);
    const entries = decoder.drain();
    if (entries.length > 0) yield { entries, damage: null };
  }
}

/** The first bad line has no zeros, as a torn write would: what stands behind it changes nothing. */
function isDamageForSure({ stopped }: LogDecoder, rest: Buffer): boolean {
  return stopped && !rest.subarray(0, lineEnd(rest, 0)).includes(0);
}

/** As many bytes of it no power cut takes back. Throws io_failed. */
async function durableBytes(files: Files, path: string): Promise<number> {
  const file = await files.openAppend(path);
  try {
    const { bytes } = file;
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** Of the last committed line before byte `end`; null: it is no entry. It is not held to the chain. */
export async function lastEntry(files: Files, path: string, end: number): Promise<LastEntry | null> {
  for (let bytes = firstBytes; ; bytes *= growth) {
    const from = Math.max(0, end - bytes);
    const tail = bufferOf(await files.readRange(path, from, end - from));
    const committed = committedBytes(tail);
    const before = committed < 2 ? -1 : tail.subarray(0, committed - 1).lastIndexOf("\n");
    if (committed > 0 && (before >= 0 || from === 0))
      return decodeLast(tail.subarray(before + 1, committed - 1));
    if (from === 0 || bytes > 2 * entryBytesMax) return null;
  }
}

function decodeLast(line: Buffer): LastEntry | null {
  const stored = storedLine(line);
  const entry = stored?.decode() ?? null;
  return stored === null || entry === null ? null : { entry, sum: stored.sum };
}

/** The first line as an entry of its segment; null: there is no such segment, or it does not begin as one. Little more than that line is read. Throws schema_newer. */
export async function startEntry({ files, dataDir, ref }: SegmentPlace): Promise<DecodedEntry | null> {
  const path = segmentPath(dataDir, ref);
  if ((await files.stat(path)) === null) return null;
  for (let bytes = firstBytes; ; bytes *= growth) {
    const read = bufferOf(await files.readRange(path, 0, bytes));
    const end = lineEnd(read, 0);
    if (end === -1 && read.length === bytes && bytes <= 2 * entryBytesMax) continue;
    const decoder = new LogDecoder({ path, ref });
    decoder.take(read.subarray(0, end + 1));
    return decoder.drain()[0] ?? null;
  }
}
