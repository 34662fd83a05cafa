/** What ripgrep prints, read back: for each file its lines, or that it is binary. */

export interface HitLine {
  readonly number: number;
  /** False: a line beside one. */
  readonly isMatch: boolean;
  /** From the bytes that ripgrep gave, which may be no UTF-8. Cut where it is long, and then it says where a match is that is not shown. */
  text(): string;
}

export interface FileHits {
  /** Something in it matches, and it has a NUL. */
  isBinary: boolean;
  matches: number;
  /** Only where texts were asked for. */
  readonly lines: HitLine[];
}

/** Longest line, in bytes, that ripgrep gives whole; of a longer one it gives at least as many characters. */
export const givenBytesMax = 2000;
/** Most characters of a line that are shown. Never more than `givenBytesMax` bytes. */
export const hitCharsMax = 500;

const newline = 0x0a;
const slash = 0x2f;
const colon = 0x3a;
const hyphen = 0x2d;
const binaryNotice = /^(.*): binary file matches \(found .* byte around offset [0-9]+\)$/s;

export interface PrintedOptions {
  /** Texts were asked for, and are kept. */
  readonly withText: boolean;
  /** A match is preceded by the byte of the line that it begins at, from 1. */
  readonly withColumn: boolean;
}

/**
 * Of `rg --heading --null --line-number` with absolute names that hold no newline: a line that begins with a slash names a file, one that begins
 * with a digit is a line of it. Keys are what ripgrep was told, one character a byte.
 */
export function parseHits(output: Buffer, options: PrintedOptions): Map<string, FileHits> {
  const files = new Map<string, FileHits>();
  const fileOf = (name: string): FileHits => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const made: FileHits = { isBinary: false, matches: 0, lines: [] };
    files.set(name, made);
    return made;
  };
  let current: FileHits | null = null;
  let at = 0;
  while (at < output.length) {
    if (output[at] === slash) {
      const end = endOfLine(output, at);
      const nul = output.indexOf(0, at);
      if (nul >= 0 && nul < end) {
        current = fileOf(output.toString("latin1", at, nul));
        at = nul + 1;
        continue;
      }
      const name = binaryNotice.exec(output.toString("latin1", at, end))?.[1];
      if (name !== undefined) fileOf(name).isBinary = true;
      at = end + 1;
      continue;
    }
    const end = endOfLine(output, at);
    if (current !== null) addLine(current, output.subarray(at, end), options);
    at = end + 1;
  }
  return files;
}

function endOfLine(output: Buffer, from: number): number {
  const end = output.indexOf(newline, from);
  return end < 0 ? output.length : end;
}

/** `12:text`, `12:7:text` or `12-text`; anything else stands between groups. */
function addLine(file: FileHits, line: Buffer, { withText, withColumn }: PrintedOptions): void {
  const number = numberAt(line, 0);
  const mark = number === null ? undefined : line[number.end];
  if (number === null || (mark !== colon && mark !== hyphen)) return;
  const isMatch = mark === colon;
  if (isMatch) file.matches += 1;
  if (!withText) return;
  const column = isMatch && withColumn ? numberAt(line, number.end + 1) : null;
  const text = line.subarray((column ?? number).end + 1);
  file.lines.push({ number: number.value, isMatch, text: () => shownText(text, column?.value ?? null) });
}

function numberAt(line: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  let end = from;
  for (; end < line.length; end += 1) {
    const digit = (line[end] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return end === from ? null : { value, end };
}

function shownText(bytes: Buffer, column: number | null): string {
  const whole = bytes.toString("utf8").replace(/\r$/, "").replaceAll("\0", "\u2400");
  if (whole.length <= hitCharsMax) return whole;
  const unit = whole.charCodeAt(hitCharsMax - 1);
  const kept = whole.slice(0, unit >= 0xd800 && unit <= 0xdbff ? hitCharsMax - 1 : hitCharsMax);
  const isBeyond = column !== null && column > Buffer.byteLength(kept);
  const where = isBeyond ? `; it matches from byte ${column} on` : "";
  return `${kept} [cut: longer than ${hitCharsMax} characters${where}]`;
}
