/** Cells of the composer's text: what a person takes for one character, or a chip. A cursor stands only between cells. Places are offsets in UTF-16 units. */
import { hasChip } from "./chip.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** Neither joins with another one of its kind. */
const plain = /^[\n\x20-\x7e]$/;

export function* cellsOf(line: string): Generator<string> {
  for (const { segment } of graphemes.segment(line)) yield segment;
}

export function nextCell(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const isPlain = plain.test(text[at] ?? "") && (at + 1 === text.length || plain.test(text[at + 1] ?? ""));
  if (isPlain) return at + 1;
  const from = lineStart(text, at);
  const cell = graphemes.segment(text.slice(from, nextLine(text, at))).containing(at - from);
  return cell === undefined ? text.length : from + cell.index + cell.segment.length;
}

export function previousCell(text: string, at: number): number {
  if (at <= 0) return 0;
  const isPlain = plain.test(text[at - 1] ?? "") && (at === 1 || plain.test(text[at - 2] ?? ""));
  return isPlain ? at - 1 : cellStart(text, at - 1);
}

/** The place between cells that is nearest behind `at`, or `at`. */
export function cellBoundary(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length);
  const start = cellStart(text, at);
  return start === at ? at : nextCell(text, start);
}

function cellStart(text: string, at: number): number {
  const from = lineStart(text, at);
  const cell = graphemes.segment(text.slice(from, nextLine(text, at))).containing(at - from);
  return cell === undefined ? at : from + cell.index;
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Before the line's end. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** Behind the line's end. */
function nextLine(text: string, at: number): number {
  return Math.min(text.length, lineEnd(text, at) + 1);
}

/** Behind the word that `at` is in or before; over line ends. */
export function wordRight(text: string, at: number): number {
  for (let from = at; from < text.length; from = lineEnd(text, from) + 1) {
    const base = lineStart(text, from);
    for (const word of wordsOf(text.slice(base, lineEnd(text, from)))) {
      if (base + word.to > at) return base + word.to;
    }
  }
  return text.length;
}

/** Before the word that `at` is in or behind; over line ends. */
export function wordLeft(text: string, at: number): number {
  for (let to = at; to > 0; to = lineStart(text, to) - 1) {
    const base = lineStart(text, to);
    const before = wordsOf(text.slice(base, lineEnd(text, to))).findLast(({ from }) => base + from < at);
    if (before !== undefined) return base + before.from;
  }
  return 0;
}

interface Word {
  readonly from: number;
  readonly to: number;
}

function wordsOf(line: string): Word[] {
  const found: Word[] = [];
  for (const { segment, index, isWordLike } of words.segment(line)) {
    if (isWordLike === true || hasChip(segment)) found.push({ from: index, to: index + segment.length });
  }
  return found;
}
