/** Seen: which text of which file the model has been shown, so that nothing is changed unseen. */
import { hash } from "node:crypto";
import { type CommittedItem, isJsonObject, type JsonObject } from "@yoi/base";

/** Most files remembered; the one used longest ago is forgotten, and must then be read again. */
export const seenFilesMax = 1024;
/** Most ranges remembered of one file; the shorter ones shown earlier are forgotten first. */
export const seenRangesMax = 32;

/** Offsets into a file's text, sorted, apart from each other. */
export type Ranges = readonly (readonly [number, number])[];

export interface SeenFile {
  /** SHA-256 of the file's bytes. */
  readonly sha256: string;
  readonly ranges: Ranges;
  /** Length of the text. */
  readonly length: number;
}

export function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

export interface Seen {
  /** What is remembered of the file at a real path. */
  of(path: string): SeenFile | null;
  /** Adds what was shown; what was known of other bytes under this path is forgotten. Returns the record that `recall` adds the same by. */
  show(path: string, file: SeenFile): JsonObject;
  /** Adds what a committed record says was shown; one that is no such record adds nothing. */
  recall(record: JsonObject): void;
  /** A record of each file, the one used last at the end: `recall` takes them. */
  list(): readonly ShownRecord[];
  /** Nothing was shown. */
  forget(): void;
}

export function createSeen(): Seen {
  const files = new Map<string, SeenFile>();
  const add = ({ path, sha256, ranges: shown, length }: ShownRecord): void => {
    const before = files.get(path);
    files.delete(path);
    files.set(path, {
      sha256,
      ranges: before?.sha256 === sha256 ? added(before.ranges, shown) : shown,
      length,
    });
    const oldest = files.keys().next();
    if (files.size > seenFilesMax && oldest.done !== true) files.delete(oldest.value);
  };
  return {
    of: (path) => files.get(path) ?? null,
    show: (path, file) => {
      const record = shownRecord(path, file);
      add(record);
      return { ...record };
    },
    recall: (record) => {
      if (isShownRecord(record)) add(record);
    },
    list: () => [...files].map(([path, file]) => shownRecord(path, file)),
    forget: () => files.clear(),
  };
}

/** Results of other tools are not asked. */
const recordingTools: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);

/**
 * Adds what committed items, in log order, say was shown: results of the file tools that succeeded, what was attached to an input, and what the host kept of all
 * that when history was compacted.
 */
export function recallSeen(seen: Seen, items: readonly CommittedItem[]): void {
  for (const { item } of items) for (const record of shownBy(item)) seen.recall(record);
}

function shownBy(item: CommittedItem["item"]): readonly JsonObject[] {
  if (item.type === "tool_result")
    return item.is_error || !recordingTools.has(item.name) || item.record === undefined ? [] : [item.record];
  if (item.type !== "system_item" || item.source !== "host" || item.record === undefined) return [];
  if (item.kind === "file_attachment") return [item.record];
  const { files } = item.kind === "read_files" ? item.record : {};
  return Array.isArray(files) ? files.filter(isJsonObject) : [];
}

/** What is committed of a file that was shown. */
export interface ShownRecord extends SeenFile {
  /** Real. */
  readonly path: string;
}

export function shownRecord(path: string, { sha256, ranges, length }: SeenFile): ShownRecord {
  return { path, sha256, ranges: longestOf(joinRanges(ranges), seenRangesMax), length };
}

function isShownRecord(record: JsonObject): record is JsonObject & ShownRecord {
  const { path, sha256, ranges, length } = record;
  if (typeof path !== "string" || typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return false;
  if (!isOffset(length) || !Array.isArray(ranges) || ranges.length > seenRangesMax) return false;
  return ranges.every((range: unknown) => {
    const [from, to, ...rest] = Array.isArray(range) ? (range as unknown[]) : [];
    return rest.length === 0 && isOffset(from) && isOffset(to) && from <= to && to <= length;
  });
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** What was just shown is kept, so that reading a part again always helps; of the rest the longest. */
function added(before: Ranges, shown: Ranges): Ranges {
  const all = joinRanges([...before, ...shown]);
  if (all.length <= seenRangesMax) return all;
  const isNew = ([from, to]: readonly [number, number]) => shown.some(([a, b]) => from <= a && b <= to);
  const kept = all.filter(isNew);
  const rest = all.filter((range) => !isNew(range));
  return joinRanges([...kept, ...longestOf(rest, seenRangesMax - kept.length)]);
}

function longestOf(ranges: Ranges, most: number): Ranges {
  if (ranges.length <= most) return ranges;
  return joinRanges(ranges.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, most));
}

export function joinRanges(ranges: Ranges): Ranges {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

export function wasSeen(file: SeenFile, from: number, to: number): boolean {
  return from === to || file.ranges.some(([start, end]) => start <= from && to <= end);
}

/** The ranges after `[from, to)` was replaced by `length` characters, which are seen. Replacements are given from the last to the first. */
export function shiftRanges(ranges: Ranges, from: number, to: number, length: number): Ranges {
  const by = length - (to - from);
  const pieces = ranges.flatMap(([start, end]): [number, number][] => {
    const before: [number, number] = [start, Math.min(end, from)];
    const after: [number, number] = [Math.max(start, to) + by, end + by];
    return [before, after].filter(([a, b]) => a < b);
  });
  return joinRanges([...pieces, [from, from + length]]);
}
