/**
 * Torn write: telling what a power cut left of the last, unacknowledged write from damage to lines that were acknowledged.
 *
 * A write of several sectors can lose some in the middle and keep later ones, LFs included. Bytes past the synced end read as zeros
 * then, and JSON text never holds a zero byte. So the last write is torn when the first bad line holds zeros in whole sectors, and
 * nothing after it was written later. All lines of one write carry the same `ts`: a second one shows that a sync lay between.
 */
import { lineEnd, lineEndBytes, storedSum, SumChain } from "./line.ts";

const sectorBytes = 512;

/** @param from where the first bad line begins, which is where the good lines end. */
export function isTornWrite(bytes: Buffer, from: number): boolean {
  return hasHoles(bytes, from, lineEnd(bytes, from)) && !hasTwoWrites(bytes, from);
}

/** Every run of zeros in [from, to) spans whole sectors (the first one from the synced end on), and there is one. */
function hasHoles(bytes: Buffer, from: number, to: number): boolean {
  let holes = 0;
  for (let start = bytes.indexOf(0, from); start >= 0 && start < to; start = bytes.indexOf(0, start)) {
    let end = start;
    while (end < bytes.length && bytes[end] === 0) end += 1;
    const starts = start === from || start % sectorBytes === 0;
    const ends = end === bytes.length || end % sectorBytes === 0;
    if (!starts || !ends) return false;
    holes += 1;
    start = end;
  }
  return holes > 0;
}

/** Two lines after the hole verify on the checksums stored in front of them, and carry different times. */
function hasTwoWrites(bytes: Buffer, from: number): boolean {
  const chain = new SumChain();
  let seen: string | undefined;
  let previous: string | null = null;
  for (let at = from, end = lineEnd(bytes, at); end >= 0; at = end + 1, end = lineEnd(bytes, at)) {
    const line = bytes.subarray(at, end);
    const stored = storedSum(line);
    if (stored !== null && previous !== null && chain.expected(line, previous) === stored) {
      const ts = /^\{"seq":\d+,"ts":(-?\d+),/.exec(line.toString("latin1", 0, lineEndBytes * 2))?.[1];
      if (ts !== undefined && seen !== undefined && ts !== seen) return true;
      seen ??= ts;
    }
    previous = stored;
  }
  return false;
}
