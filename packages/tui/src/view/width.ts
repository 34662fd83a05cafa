/** Columns of text on a terminal: how wide it is, and how it is made to fit. */
import { sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Line } from "./line.ts";
import { closeStyles, resetStyles } from "./styles.ts";

/** What is measured in one go; longer text is cut into pieces, so that no cache of the library keeps it. */
const pieceCharsMax = 4096;
const sequences = /\u001b\[[0-9;]*m/g;
const printableAscii = /^[\x20-\x7e]*$/;

/** Columns of one line; sequences count nothing. */
export function widthOf(text: string): number {
  if (text.length <= pieceCharsMax || printableAscii.test(text)) return visibleWidth(text);
  let width = 0;
  for (const piece of pieces(text)) width += visibleWidth(piece);
  return width;
}

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** From here on characters may take two columns: most do, and of some each terminal thinks otherwise. */
const firstWide = 0x1100;

/** Whether some terminal may take a line to be wider than `columns`. */
export function mayBeWider(line: Line, columns: number): boolean {
  const text = line.replace(sequences, "");
  if (printableAscii.test(text)) return text.length > columns;
  let width = 0;
  for (const character of text) {
    if (zeroWidth.test(character)) continue;
    width += (character.codePointAt(0) ?? 0) < firstWide || isOwnSign(character) ? 1 : 2;
  }
  return width > columns;
}

/** Of the lines and signs that views draw. */
function isOwnSign(character: string): boolean {
  return character >= "\u2010" && character <= "\u259f";
}

/**
 * `text` in rows of at most `columns`: broken between words, within a word that is longer than a row, and everywhere in writing without spaces. Styles that go on
 * over a break are closed at its row's end and opened again. At least one row.
 */
export function wrap(text: string, columns: number): Line[] {
  const width = Math.max(1, columns);
  const rows: Line[] = [];
  for (const line of text.split("\n")) {
    if (printableAscii.test(line)) wrapAscii(line, width, rows);
    else for (const piece of pieces(line)) rows.push(...wrapTextWithAnsi(piece, width).map(closeStyles));
  }
  return rows;
}

/** As the library does it, in a time that does not matter for a megabyte. */
function wrapAscii(line: string, width: number, rows: Line[]): void {
  let at = 0;
  while (line.length - at > width) {
    const row = line.slice(at, at + width + 1);
    const space = row.lastIndexOf(" ");
    const isWord = space > 0 && row.slice(0, space).trim() !== "";
    rows.push(row.slice(0, isWord ? space : width).trimEnd());
    at += isWord ? space : width;
    if (isWord) while (line[at] === " ") at += 1;
    if (at === line.length) return;
  }
  rows.push(line.slice(at).trimEnd());
}

/** The beginning of one line in at most `columns`, with … where something is left out. */
export function truncate(text: string, columns: number): Line {
  if (columns <= 0) return "";
  if (text.length <= columns && printableAscii.test(text)) return text;
  const line = truncateToWidth(text.length > pieceCharsMax ? first(text) : text, columns, "…");
  return text.includes("\u001b") ? closeStyles(line) : line.replaceAll(resetStyles, "");
}

/** The beginning of one line in at most `columns`, without a sign where something is left out. */
export function cut(text: string, columns: number): Line {
  if (widthOf(text) <= columns) return text;
  return closeStyles(sliceByColumn(text, 0, columns, true));
}

/** In at most so many columns: what is too long loses its middle, as the end of a rule or a path tells it from the others. */
export function cutInside(text: string, columns: number): Line {
  if (widthOf(text) <= columns) return text;
  const characters = [...text];
  let end = "";
  const endMax = Math.floor((columns - 1) / 2);
  for (let at = characters.length - 1; at >= 0; at -= 1) {
    const next = (characters[at] ?? "") + end;
    if (widthOf(next) > endMax) break;
    end = next;
  }
  return `${cut(text, Math.max(0, columns - 1 - widthOf(end)))}…${end}`;
}

/** One line with spaces behind it, at least `columns` wide. */
export function pad(text: string, columns: number): string {
  const width = widthOf(text);
  return width >= columns ? text : text + " ".repeat(columns - width);
}

function first(text: string): string {
  for (const piece of pieces(text)) return `${piece} …`;
  return text;
}

/** Cut where no character and no sequence is cut in two. */
function* pieces(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + pieceCharsMax);
    if (end < text.length) {
      const space = text.lastIndexOf(" ", end);
      if (space > at + pieceCharsMax / 2) end = space + 1;
      else if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
    }
    yield text.slice(at, end);
    at = end;
  }
}
