/**
 * Torn write: telling what a power cut left of the last write, of which nobody was told, from damage to lines that were acknowledged.
 *
 * A write of several sectors can lose some in the middle and keep later ones, LFs included. Bytes past the synced end read as zeros
 * then, and JSON text never holds a zero byte. Every line names the first entry of its write, and a write begins only when the one
 * before it was synced: so a line of a write that began behind the first bad line shows that the bad line was synced, and may have been
 * acknowledged.
 */
import { lineEnd } from "./line.ts";
import { batchOfLine } from "./log-entry.ts";

const sectorBytes = 512;

/**
 * @param from where the first bad line begins, which is where the good lines end.
 * @param seq of that bad line.
 */
export function isTornWrite(bytes: Buffer, from: number, seq: number): boolean {
  return hasHoles(bytes, from, lineEnd(bytes, from)) && !hasLaterWrite(bytes, from, seq);
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

/** A line from `from` on, an unfinished last one included, names a write that began behind entry `seq`. */
function hasLaterWrite(bytes: Buffer, from: number, seq: number): boolean {
  for (let at = from, end = from; end >= 0; at = end + 1) {
    end = lineEnd(bytes, at);
    const batch = batchOfLine(bytes.subarray(at, end < 0 ? bytes.length : end));
    if (batch !== null && batch > seq) return true;
  }
  return false;
}
