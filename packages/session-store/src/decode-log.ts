/** From the bytes of a log file to its good entries, and a verdict on what is not good. Pure: no file is touched. */
import { isUtf8 } from "node:buffer";
import { isJsonObject, continuedLogSchema, YoiError } from "@yoi/base";
import { committedBytes, lineEnd, lineJson, noSum, storedSum, SumChain } from "./line.ts";
import { batchOfLine, decodeEntry, type Decoded, type DecodedEntry } from "./log-entry.ts";
import type { LogHead, SegmentRef } from "./store.ts";
import { isTornWrite } from "./torn-write.ts";

/**
 * What stands after the last committed line. `whole`: an entry that only lacks its LF (or whose LF is damaged); its line is the first
 * `lineBytes` of the tail. `torn`: what an unfinished write left.
 */
export type LogTail =
  | { readonly state: "none"; readonly bytes: 0 }
  | { readonly state: "whole"; readonly bytes: number; readonly lineBytes: number }
  | { readonly state: "torn"; readonly bytes: number };

export interface DecodedLog {
  /** The good entries from seq 0 on, without gap. */
  readonly entries: readonly DecodedEntry[];
  readonly sums: readonly string[];
  /** Where each entry's line begins. */
  readonly offsets: readonly number[];
  /** Where the good lines end. */
  readonly goodBytes: number;
  /** The first line that is neither good nor part of the tail. */
  readonly damage: { readonly line: number; readonly offset: number; readonly reason: string } | null;
  readonly tail: LogTail;
}

export interface DecodeOptions {
  /** For messages. */
  readonly path: string;
  /** The segment that the first entry must name. */
  readonly ref?: SegmentRef;
  /** Where good lines are known to end; the decoder goes on there. */
  readonly behind?: LogMark;
  /** Entries before it are held to the chain only, and not given. */
  readonly from?: number;
}

/** A place in a log: behind the entry `seq`, whose sum is `sum`. */
export interface LogMark extends LogHead {
  /** Of that entry. */
  readonly batch: number;
  /** Where its line ends. */
  readonly offset: number;
}

interface DecodedLine {
  /** Null: it is only known to be in the chain. */
  readonly value: DecodedEntry | null;
  readonly batch: number;
  readonly sum: string;
}

/** Throws `schema_newer` for a log of a later format; everything else that is wrong is in the result. */
export function decodeLog(bytes: Buffer, options: DecodeOptions): DecodedLog {
  const decoder = new LogDecoder(options);
  return decoder.end(bytes.subarray(decoder.take(bytes)));
}

/** Decodes a log in pieces: `take` what was read until it stops short of a line that is not good, or the log is read; then `end`. */
export class LogDecoder {
  readonly #options: DecodeOptions;
  readonly #chain = new SumChain();
  #entries: DecodedEntry[] = [];
  #sums: string[] = [];
  #offsets: number[] = [];
  #last: Pick<LogMark, "seq" | "batch" | "sum"> | null;
  #goodBytes: number;
  /** What is wrong with the line at `goodBytes`. */
  #wrong: string | null = null;

  constructor(options: DecodeOptions) {
    this.#options = options;
    this.#last = options.behind ?? null;
    this.#goodBytes = options.behind?.offset ?? 0;
  }

  /** Behind the last good line; null: there is none. */
  get mark(): LogMark | null {
    return this.#last === null ? null : { ...this.#last, offset: this.#goodBytes };
  }

  /** Where the good lines end, from the start of the log. */
  get goodBytes(): number {
    return this.#goodBytes;
  }

  /** A line was not good: nothing more is taken. */
  get stopped(): boolean {
    return this.#wrong !== null;
  }

  /**
   * Takes the lines that stand whole in `bytes`, which go on at `goodBytes`. Throws `schema_newer`.
   * @returns how many bytes of it are good lines.
   */
  take(bytes: Buffer): number {
    const committed = committedBytes(bytes);
    const checked = isUtf8(bytes.subarray(0, committed));
    let from = 0;
    while (from < committed && this.#wrong === null) {
      const end = lineEnd(bytes, from);
      const decoded = this.#decode(bytes.subarray(from, end), checked);
      if ("wrong" in decoded) {
        this.#wrong = decoded.wrong;
        break;
      }
      const { value, batch, sum } = decoded.entry;
      if (value !== null) {
        this.#entries.push(value);
        this.#sums.push(sum);
        this.#offsets.push(this.#goodBytes);
      }
      this.#last = { seq: this.#count, batch, sum };
      this.#goodBytes += end + 1 - from;
      from = end + 1;
    }
    return from;
  }

  /** The entries that were taken since the last call: from then on they are not kept here. */
  drain(): readonly DecodedEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    this.#sums = [];
    this.#offsets = [];
    return entries;
  }

  /** @param rest all that stands in the log from `goodBytes` on. */
  end(rest: Buffer): DecodedLog {
    const good = {
      entries: this.#entries,
      sums: this.#sums,
      offsets: this.#offsets,
      goodBytes: this.#goodBytes,
    };
    const count = this.#count;
    if (this.#wrong !== null) {
      if (count > 0 && isTornWrite(rest, this.#goodBytes, count))
        return { ...good, damage: null, tail: { state: "torn", bytes: rest.length } };
      const damage = { line: count + 1, offset: this.#goodBytes, reason: this.#wrong };
      return { ...good, damage, tail: tailOf(rest.length - committedBytes(rest), null) };
    }
    // The whole tail may be a line without its LF, or all but its last byte, where that byte is what became of the LF.
    const lineBytes = [rest.length, rest.length - 1].find(
      (length) => length > 0 && !("wrong" in this.#decode(rest.subarray(0, length), false)),
    );
    return { ...good, damage: null, tail: tailOf(rest.length, lineBytes ?? null) };
  }

  /** Good lines so far, from the start of the log. */
  get #count(): number {
    return (this.#last?.seq ?? -1) + 1;
  }

  #decode(line: Buffer, utf8: boolean): Decoded<DecodedLine> {
    const last = this.#last;
    const isWanted = this.#count >= (this.#options.from ?? 0);
    if (last !== null)
      return isWanted ? decodeLater(this.#chain, line, last, utf8) : linked(this.#chain, line, last);
    const first = decodeFirst(this.#chain, line, this.#options);
    return isWanted || "wrong" in first ? first : { entry: { ...first.entry, value: null } };
  }
}

function tailOf(bytes: number, lineBytes: number | null): LogTail {
  if (bytes === 0) return { state: "none", bytes: 0 };
  return lineBytes === null ? { state: "torn", bytes } : { state: "whole", bytes, lineBytes };
}

type LastLine = Pick<LogMark, "seq" | "batch" | "sum">;

function decodeLater(chain: SumChain, line: Buffer, last: LastLine, utf8: boolean): Decoded<DecodedLine> {
  const stored = storedSum(line);
  if (stored === null) return { wrong: "it does not end in a checksum" };
  if (chain.expected(line, last.sum) !== stored) return { wrong: "its checksum does not match" };
  if (!utf8 && !isUtf8(line)) return { wrong: "it is not valid UTF-8" };
  const decoded = decodeEntry(lineJson(line), last.seq + 1, last.batch);
  if ("wrong" in decoded) return decoded;
  if (decoded.entry.kind === "segment_start") return { wrong: "a segment begins a second time" };
  return { entry: { value: decoded.entry, batch: decoded.entry.batch, sum: stored } };
}

/** The line as one of the chain, whatever it says. */
function linked(chain: SumChain, line: Buffer, last: LastLine): Decoded<DecodedLine> {
  const stored = storedSum(line);
  if (stored === null) return { wrong: "it does not end in a checksum" };
  if (chain.expected(line, last.sum) !== stored) return { wrong: "its checksum does not match" };
  const batch = batchOfLine(line);
  if (batch === null) return { wrong: `it is not entry ${last.seq + 1}` };
  return { entry: { value: null, batch, sum: stored } };
}

function decodeFirst(chain: SumChain, line: Buffer, options: DecodeOptions): Decoded<DecodedLine> {
  const stored = storedSum(line);
  if (stored === null) return { wrong: "it does not end in a checksum" };
  if (!isUtf8(line)) return { wrong: "it is not valid UTF-8" };
  const json = lineJson(line);
  const start = startOf(json);
  if ("wrong" in start) return start;
  if (chain.expected(line, start.entry.previousSum) !== stored) {
    return { wrong: "its checksum does not match" };
  }
  if (start.entry.schema > continuedLogSchema) {
    throw new YoiError(
      "schema_newer",
      `The session log ${options.path} has format ${start.entry.schema}, and this yoi reads formats up to ${continuedLogSchema}: update yoi.`,
      { place: { path: options.path, line: 1, offset: 0 } },
    );
  }
  const decoded = decodeEntry(json, 0, 0);
  if ("wrong" in decoded) return decoded;
  const { ref } = options;
  if (ref !== undefined && (start.entry.session !== ref.session || start.entry.segment !== ref.segment)) {
    return { wrong: `it begins segment ${String(start.entry.segment)}, not ${ref.segment}` };
  }
  return { entry: { value: decoded.entry, batch: decoded.entry.batch, sum: stored } };
}

interface Start {
  readonly schema: number;
  readonly session: unknown;
  readonly segment: unknown;
  readonly previousSum: string;
}

/** What must be known of a first entry before its shape is checked: the shape belongs to the schema, and the chain to the origin. */
function startOf(json: string): Decoded<Start> {
  let record: unknown;
  try {
    record = JSON.parse(json);
  } catch {
    return { wrong: "it is not valid JSON" };
  }
  if (!isJsonObject(record) || record["kind"] !== "segment_start") return { wrong: "no segment begins here" };
  const {
    schema,
    session_id: session,
    segment_id: segment,
    forked_from: forked,
    compacted_from: compacted,
  } = record;
  if (forked !== undefined && compacted !== undefined) return { wrong: "it continues two segments" };
  const origin = forked ?? compacted;
  const sum = isJsonObject(origin) ? origin["sum"] : noSum;
  if (typeof schema !== "number" || typeof sum !== "string" || sum.length !== noSum.length) {
    return { wrong: "field schema or the origin's sum of segment_start is not valid" };
  }
  return { entry: { schema, session, segment, previousSum: sum } };
}
