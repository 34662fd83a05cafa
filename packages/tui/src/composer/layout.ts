/** Layout: the composer's text in rows as wide as the screen. The cursor's place and the rows that are drawn come from the same one. */
import { widthOf } from "../view/width.ts";
import { safeLine } from "../view/safe.ts";
import { cellsOf } from "./cells.ts";
import { chipLabel, type Chips, hasChip } from "./chip.ts";

export interface ShownCell {
  /** Of its first unit in the text. */
  readonly at: number;
  /** Without control characters. */
  readonly text: string;
  readonly width: number;
  readonly isChip: boolean;
}

export interface Row {
  readonly from: number;
  /** Where the next row begins, or its line end is. */
  readonly to: number;
  readonly cells: readonly ShownCell[];
  /** It ends because it was full; false: its line ends. */
  readonly isWrapped: boolean;
}

const tabColumns = 4;
const printable = /^[\x20-\x7e]*$/;

/** At least one row, each at most `columns` wide and one column more, in which a cursor or a space stands. */
export function rowsOf(text: string, chips: Chips, columns: number): readonly Row[] {
  const width = Math.max(1, columns);
  const rows: Row[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    wrapLine(rows, shownCells(line, at, chips, width), { from: at, to: at + line.length, width });
    at += line.length + 1;
  }
  return rows;
}

function* shownCells(line: string, from: number, chips: Chips, width: number): Generator<ShownCell> {
  let at = from;
  for (const cell of printable.test(line) ? line : cellsOf(line)) {
    yield shownCell(cell, at, chips, width);
    at += cell.length;
  }
}

function shownCell(cell: string, at: number, chips: Chips, width: number): ShownCell {
  if (cell.length === 1 && printable.test(cell)) return { at, text: cell, width: 1, isChip: false };
  const chip = chips.get(cell);
  const text =
    chip !== undefined
      ? safeLine(chipLabel(cell, chip))
      : cell === "\t"
        ? " ".repeat(tabColumns)
        : safeLine(cell);
  const isChip = hasChip(cell);
  const wide = widthOf(text);
  if (wide > width) return isChip ? { at, ...cut(text, width), isChip } : { at, text: "?", width: 1, isChip };
  return { at, text, width: wide, isChip };
}

/** The beginning of a chip that is wider than the screen. */
function cut(text: string, width: number): { readonly text: string; readonly width: number } {
  let shown = "";
  let used = 0;
  for (const cell of cellsOf(text)) {
    const wide = widthOf(cell);
    if (used + wide > width - 1) break;
    shown += cell;
    used += wide;
  }
  return { text: `${shown}…`, width: used + 1 };
}

interface LineSpan {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** Breaks behind spaces and chips and around wide characters, else where the row is full. */
function wrapLine(rows: Row[], cells: Iterable<ShownCell>, { from, to, width }: LineSpan): void {
  let row: ShownCell[] = [];
  let start = from;
  let used = 0;
  /** How many cells of the row may stay when it is broken; 0: none ends a word. */
  let fit = 0;
  for (const cell of cells) {
    while (used + cell.width > width && row.length > 0 && !(cell.text === " " && used === width)) {
      const kept = fit === 0 ? row.length : fit;
      const rest = row.slice(kept);
      const end = rest[0]?.at ?? cell.at;
      rows.push({ from: start, to: end, cells: row.slice(0, kept), isWrapped: true });
      row = rest;
      start = end;
      used = rest.reduce((sum, { width: wide }) => sum + wide, 0);
      fit = 0;
    }
    if (cell.width > 1 && row.length > 0) fit = row.length;
    row.push(cell);
    used += cell.width;
    if (cell.text === " " || cell.width > 1) fit = row.length;
  }
  if (used > width) {
    // The last space stands where the cursor would.
    rows.push({ from: start, to, cells: row, isWrapped: true });
    [row, start] = [[], to];
  }
  rows.push({ from: start, to, cells: row, isWrapped: false });
}

export interface RowPlace {
  readonly row: number;
  readonly column: number;
}

export function placeOf(rows: readonly Row[], cursor: number): RowPlace {
  const found = rows.findIndex(({ to, isWrapped }) => (isWrapped ? cursor < to : cursor <= to));
  const row = found === -1 ? rows.length - 1 : found;
  let column = 0;
  for (const cell of rows[row]?.cells ?? []) {
    if (cell.at >= cursor) break;
    column += cell.width;
  }
  return { row, column };
}

/** The offset of the cell of a row that is nearest before a column. */
export function offsetAt(row: Row, column: number): number {
  let left = 0;
  for (const cell of row.cells) {
    if (left + cell.width > column) return cell.at;
    left += cell.width;
  }
  // Behind the last cell of a row that goes on is the next row.
  return row.isWrapped ? (row.cells.at(-1)?.at ?? row.from) : row.to;
}
