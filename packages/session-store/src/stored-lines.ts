/** Stored lines: reading a log from any entry on, onwards or backwards, without reading what lies before it. Nothing is held to the chain. */
import { YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { lineEnd, lineJson, storedSum } from "./line.ts";
import { decodeEntry, type DecodedEntry } from "./log-entry.ts";
import { bufferOf, type SegmentPlace } from "./open-segment.ts";
import { segmentPath } from "./segment-path.ts";
import type { LinesFrom, StoredLine } from "./store.ts";

/** Read at once. */
export const stretchBytes = 256 * 1024;
const probeBytes = 64 * 1024;

interface Log {
  readonly files: Files;
  readonly path: string;
  /** What was there when the reading began. */
  readonly end: number;
}

/** As `SessionStore.readLines`. */
export async function* readLines(
  place: SegmentPlace,
  { seq, direction }: LinesFrom,
): AsyncGenerator<readonly StoredLine[], void> {
  const log = await openLog(place);
  const lines =
    direction === "onwards"
      ? onwards(log, await offsetOf(log, seq))
      : backwards(log, seq === Infinity ? log.end : await offsetOf(log, seq + 1));
  for await (const stretch of lines) {
    const read = stretch.flatMap((line) => storedLine(line) ?? []);
    if (read.length > 0) yield read;
  }
}

async function openLog({ files, dataDir, ref }: SegmentPlace): Promise<Log> {
  const path = segmentPath(dataDir, ref);
  const found = await files.stat(path);
  if (found !== null) return { files, path, end: found.bytes };
  throw new YoiError("io_failed", `There is no session log at ${path}: bring the file back from a backup.`, {
    place: { path },
  });
}

/** Whole lines without their LF, from the one that begins at `offset` on. */
async function* onwards(log: Log, offset: number): AsyncGenerator<readonly Buffer[], void> {
  let at = offset;
  let rest: Buffer = Buffer.alloc(0);
  while (at < log.end) {
    // As much again as is there already, so that a long line costs no more than twice its reading.
    const read = await readAt(log, at, Math.max(stretchBytes, rest.length));
    if (read.length === 0) return;
    at += read.length;
    const bytes = rest.length === 0 ? read : Buffer.concat([rest, read]);
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = lineEnd(bytes, 0); end !== -1; end = lineEnd(bytes, from)) {
      lines.push(bytes.subarray(from, end));
      from = end + 1;
    }
    rest = bytes.subarray(from);
    yield lines;
  }
}

/** Whole lines without their LF, the last that ends before `offset` first. */
async function* backwards(log: Log, offset: number): AsyncGenerator<readonly Buffer[], void> {
  let at = offset;
  // What stands behind the last LF is no line.
  let rest: Buffer | null = null;
  while (at > 0) {
    const length = Math.min(at, Math.max(stretchBytes, rest?.length ?? 0));
    const read = await readAt(log, at - length, length);
    if (read.length < length) return;
    at -= length;
    const bytes: Buffer = rest === null ? read : Buffer.concat([read, rest]);
    const lines: Buffer[] = [];
    let end = rest === null ? bytes.lastIndexOf("\n") : bytes.length - 1;
    while (end >= 0) {
      const before = end === 0 ? -1 : bytes.lastIndexOf("\n", end - 1);
      if (before === -1 && at > 0) break;
      lines.push(bytes.subarray(before + 1, end));
      end = before;
    }
    // With its LF: the line that begins further up.
    if (end >= 0) rest = bytes.subarray(0, end + 1);
    yield lines;
  }
}

/** Where the first line with `seq` or a later one begins; the end where there is none. Lines are found by halves. */
async function offsetOf(log: Log, seq: number): Promise<number> {
  if (seq <= 0) return 0;
  let [low, high] = [0, log.end];
  while (high - low > probeBytes) {
    const middle = low + Math.floor((high - low) / 2);
    const found = await firstLineBehind(log, middle, high);
    if (found === null || found.seq >= seq) high = middle;
    else low = found.offset;
  }
  let offset = low;
  for await (const lines of onwards(log, low)) {
    for (const line of lines) {
      const own = headOf(line)?.seq;
      if (own !== undefined && own >= seq) return offset;
      offset += line.length + 1;
    }
  }
  return offset;
}

/** The first line that begins in [from, to) behind an LF in it. */
async function firstLineBehind(
  log: Log,
  from: number,
  to: number,
): Promise<{ readonly offset: number; readonly seq: number } | null> {
  let at = from;
  let isInside = false;
  while (at < to) {
    const bytes = await readAt(log, at, probeBytes);
    if (bytes.length === 0) return null;
    let begin: number = isInside ? 0 : lineEnd(bytes, 0) + 1;
    if (!isInside && begin === 0) {
      at += bytes.length;
      continue;
    }
    for (;;) {
      if (at + begin >= to) return null;
      const head = headOf(bytes.subarray(begin));
      if (head !== null) return { offset: at + begin, seq: head.seq };
      const end = lineEnd(bytes, begin);
      if (end === -1) break;
      begin = end + 1;
    }
    // A head that the end of what was read cuts in two is read again, whole.
    isInside = bytes.length - begin < headBytesMax && begin > 0;
    at += isInside ? begin : bytes.length;
  }
  return null;
}

async function readAt({ files, path, end }: Log, from: number, length: number): Promise<Buffer> {
  return bufferOf(await files.readRange(path, from, Math.min(length, end - from)));
}

const head = /^\{"seq":(\d{1,16}),"batch":(\d{1,16}),/;
const headBytesMax = 60;

function headOf(line: Buffer): { readonly seq: number; readonly batch: number } | null {
  const [, seq, batch] = head.exec(line.toString("latin1", 0, headBytesMax)) ?? [];
  return seq === undefined ? null : { seq: Number(seq), batch: Number(batch) };
}

/** Null: what stands there is no line of a log. */
export function storedLine(line: Buffer): StoredLine | null {
  const found = headOf(line);
  const sum = storedSum(line);
  if (found === null || sum === null) return null;
  const { seq, batch } = found;
  return {
    seq,
    sum,
    bytes: line.length + 1,
    text: () => lineJson(line),
    decode: (): DecodedEntry | null => {
      const decoded = decodeEntry(lineJson(line), seq, batch);
      return "wrong" in decoded ? null : decoded.entry;
    },
  };
}
