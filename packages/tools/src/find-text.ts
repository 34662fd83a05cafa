/** Finding the text that an Edit names, and saying what is wrong when it is not there. */
import { lineAt, type TextFile } from "./text-file.ts";

export interface FoundText {
  readonly offsets: readonly number[];
  /** The texts as they stand in the file. */
  readonly old: string;
  readonly replacement: string;
  /** True when line ends were turned into CRLF to match the file. */
  readonly crlf: boolean;
}

/**
 * Occurrences that do not overlap. In a file of CRLF lines, text given with LF lines is found too; where all lines end so, they
 * do afterwards.
 */
export function findText(file: TextFile, old: string, replacement: string): FoundText {
  const offsets = occurrences(file.text, old);
  if (!file.onlyCrlf && (offsets.length > 0 || !file.usesCrlf || old.includes("\r")))
    return { offsets, old, replacement, crlf: false };
  const [crlfOld, crlfReplacement] = [toCrlf(old), toCrlf(replacement)];
  return {
    offsets: occurrences(file.text, crlfOld),
    old: crlfOld,
    replacement: crlfReplacement,
    crlf: crlfOld !== old || crlfReplacement !== replacement,
  };
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** Why it may be missing, as the end of a sentence. */
export function hintFor(file: TextFile, old: string, replacement: string): string {
  if (/^\s*\d+\t/m.test(old)) return "it contains line numbers; give the text without them.";
  if (replacement.length > 0 && file.text.includes(replacement)) {
    return `new_string is there already (line ${lineAt(file.lineStarts, file.text.indexOf(replacement))}).`;
  }
  const first = old.split("\n").find((line) => line.trim() !== "");
  const near = first === undefined ? null : lineLike(file, first);
  if (near !== null)
    return `line ${near} is like its first line, but white space or what follows differs; read there and copy the text exactly.`;
  return "read the file again and copy the text exactly.";
}

function lineLike(file: TextFile, wanted: string): number | null {
  const bare = wanted.replace(/\s+/g, "");
  const index = file.text.split("\n").findIndex((line) => line.replace(/\s+/g, "") === bare);
  return index < 0 ? null : index + 1;
}
