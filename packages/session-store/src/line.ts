/** Line: the bytes of one log entry, and the checksum that chains it to the line before. */
import { hash } from "node:crypto";

/** The checksum before the first entry of a segment that continues nothing. */
export const noSum = "0".repeat(16);
/** The end of every line before its LF: `,"sum":"<16 lower-case hex>"}`. */
export const lineEndBytes = 26;
const sumLength = 16;
const lf = 0x0a;

export interface EncodedLine {
  /** The line with its LF. */
  readonly bytes: Uint8Array;
  readonly sum: string;
}

/** @param json the entry's JSON object without a checksum. */
export function encodeLine(json: string, previousSum: string): EncodedLine {
  const text = json.slice(0, -1);
  const textBytes = Buffer.byteLength(text, "utf8");
  // The chain is over the previous sum and then this line, so both stand in one buffer, and the line is the rest of it.
  const buffer = Buffer.allocUnsafe(sumLength + textBytes + lineEndBytes + 1);
  buffer.write(previousSum, 0, "latin1");
  buffer.write(text, sumLength, "utf8");
  const sum = digest(buffer.subarray(0, sumLength + textBytes));
  buffer.write(`,"sum":"${sum}"}\n`, sumLength + textBytes, "latin1");
  return { bytes: buffer.subarray(sumLength), sum };
}

function digest(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, sumLength);
}

/** The checksum text that a line (without its LF) ends with; null when it does not end as every line does. */
export function storedSum(line: Buffer): string | null {
  if (line.length <= lineEndBytes) return null;
  const end = line.toString("latin1", line.length - lineEndBytes);
  // Read anew: cut out of `end` it would keep all of that, for every line of a log.
  return /^,"sum":"[0-9a-f]{16}"\}$/.test(end)
    ? line.toString("latin1", line.length - sumLength - 2, line.length - 2)
    : null;
}

/** Computes the chain over many lines with one scratch buffer. */
export class SumChain {
  #scratch = Buffer.allocUnsafe(64 * 1024);

  /** The checksum that `line` (without its LF) must end with. */
  expected(line: Buffer, previousSum: string): string {
    const length = sumLength + line.length - lineEndBytes;
    if (length > this.#scratch.length) this.#scratch = Buffer.allocUnsafe(length * 2);
    this.#scratch.write(previousSum, 0, "latin1");
    line.copy(this.#scratch, sumLength, 0, line.length - lineEndBytes);
    return digest(this.#scratch.subarray(0, length));
  }
}

/** The JSON text of a line (without its LF), its checksum left out. */
export function lineJson(line: Buffer): string {
  return `${line.toString("utf8", 0, line.length - lineEndBytes)}}`;
}

/** Offset just after the last LF: everything before it is committed lines. */
export function committedBytes(bytes: Buffer): number {
  return bytes.lastIndexOf(lf) + 1;
}

/** Offset of the LF that ends the line starting at `from`; -1 when there is none. */
export function lineEnd(bytes: Buffer, from: number): number {
  return bytes.indexOf(lf, from);
}
