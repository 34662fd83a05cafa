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
 * @param rest the log from its first bad line on, which is where the good lines end.
 * @param offset of `rest` in the log.
 * @param seq of that bad line.
 */
export function isTornWrite(rest: Buffer, offset: number, seq: number): boolean {
  return hasHoles(rest, offset, lineEnd(rest, 0)) && !hasLaterWrite(rest, seq);
}

/** Every run of zeros before `to` spans whole sectors of the file (the first one from the synced end on), and there is one. */
function hasHoles(rest: Buffer, offset: number, to: number): boolean {
  let holes = 0;
  for (let start = rest.indexOf(0); start >= 0 && start < to; start = rest.indexOf(0, start)) {
    let end = start;
    while (end < rest.length && rest[end] === 0) end += 1;
    const starts = start === 0 || (offset + start) % sectorBytes === 0;
    const ends = end === rest.length || (offset + end) % sectorBytes === 0;
    if (!starts || !ends) return false;
    holes += 1;
    start = end;
  }
  return holes > 0;
}

/** A line, an unfinished last one included, names a write that began behind entry `seq`. */
function hasLaterWrite(rest: Buffer, seq: number): boolean {
  for (let at = 0, end = 0; end >= 0; at = end + 1) {
    end = lineEnd(rest, at);
    const batch = batchOfLine(rest.subarray(at, end < 0 ? rest.length : end));
    if (batch !== null && batch > seq) return true;
  }
  return false;
}
