/** Seen: which text of which file the model has been shown, so that nothing is changed unseen. */
import { hash } from "node:crypto";

/** Most files remembered; the one used longest ago is forgotten, and must then be read again. */
export const seenFilesMax = 1024;

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
  /** Adds what was shown; what was known of other bytes under this path is forgotten. */
  show(path: string, file: SeenFile): void;
}

export function createSeen(): Seen {
  const files = new Map<string, SeenFile>();
  return {
    of: (path) => files.get(path) ?? null,
    show: (path, file) => {
      const before = files.get(path);
      const same = before?.sha256 === file.sha256 ? before.ranges : [];
      files.delete(path);
      files.set(path, { ...file, ranges: joinRanges([...same, ...file.ranges]) });
      const oldest = files.keys().next();
      if (files.size > seenFilesMax && oldest.done !== true) files.delete(oldest.value);
    },
  };
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
