/** Lines with their numbers, as Read and Edit show them. */
import type { TextFile } from "./text-file.ts";

/** Most characters of a line that are shown. */
export const lineCharsMax = 2000;

export interface NumberedLines {
  readonly text: string;
  /** The number after the last line shown. */
  readonly next: number;
  /** What was shown, as offsets into the file's text. */
  readonly shown: readonly (readonly [number, number])[];
  readonly cutLines: number;
}

/** Lines `from` to `through`, 1-based, inclusive, until `bytesMax` bytes are full (at least one line). */
export function numberLines(
  file: Pick<TextFile, "text" | "lineStarts">,
  from: number,
  through: number,
  bytesMax: number,
): NumberedLines {
  const lines: string[] = [];
  const shown: [number, number][] = [];
  let bytes = 0;
  let cutLines = 0;
  let next = from;
  for (; next <= through; next += 1) {
    const start = file.lineStarts[next - 1];
    const end = file.lineStarts[next];
    if (start === undefined || end === undefined) break;
    const whole = file.text.slice(start, end).replace(/\r?\n$/, "");
    const isCut = whole.length > lineCharsMax;
    const kept = isCut ? whole.slice(0, cutAt(whole, lineCharsMax)) : whole;
    const line = `${String(next).padStart(6)}\t${kept}${isCut ? ` [cut: ${whole.length - kept.length} more characters]` : ""}`;
    const size = Buffer.byteLength(line) + 1;
    if (bytes + size > bytesMax && lines.length > 0) break;
    bytes += size;
    lines.push(line);
    if (isCut) cutLines += 1;
    const shownTo = isCut ? start + kept.length : end;
    const open = shown.at(-1);
    if (open !== undefined && open[1] === start) open[1] = shownTo;
    else shown.push([start, shownTo]);
  }
  return { text: lines.join("\n"), next, shown, cutLines };
}

/** Never between the two halves of a character. */
function cutAt(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
