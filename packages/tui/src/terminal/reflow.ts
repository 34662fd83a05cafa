/** Where rows go when a terminal becomes narrower: terminals break what is too long, and each moves the cursor in its own way. */
import type { CursorPlace, Line, ScreenSize } from "../view/line.ts";
import { widthOf } from "../view/width.ts";

/**
 * attached: rows that are too long are broken, and the cursor stays with what it stood on: tmux, kitty, VTE, iTerm2, and most others. xterm_js: so too, but the cursor
 * also moves for what is broken below it, and its own row may be cut instead: VS Code. none: rows are cut: xterm, the console, screen.
 */
export type Reflow = "attached" | "xterm_js" | "none";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const printableAscii = /^[\x20-\x7e]*$/;
const sgr = /\u001b\[[\d;]*m/g;

/** Rows that one row of text becomes; a wide character that does not fit is not broken. */
export function rowsAt(row: string, columns: number): number {
  return placeAt(row, Number.POSITIVE_INFINITY, columns) + 1;
}

/**
 * How many rows above the cursor the first of `rows` starts since the terminal has another size. Where it cannot be known, the lesser number: a row that stays behind
 * is nothing beside one that is lost.
 */
export function rowsAboveCursor(
  rows: readonly Line[],
  cursor: CursorPlace,
  size: { readonly before: ScreenSize; readonly now: ScreenSize },
  reflow: Reflow,
): number {
  const { columns } = size.now;
  switch (reflow) {
    case "none":
      return cursor.row;
    case "attached": {
      let above = 0;
      for (const row of rows.slice(0, cursor.row)) above += rowsAt(row, columns);
      return above + placeAt(rows[cursor.row] ?? "", cursor.column, columns);
    }
    case "xterm_js": {
      // Of fewer rows it first drops those at the bottom, so they add none.
      const dropped = Math.max(0, Math.min(size.before.rows - size.now.rows, rows.length - 1 - cursor.row));
      // From the bottom up; it leaves alone what it takes for the row of the cursor, which it moves for each row that is added.
      let added = 0;
      for (const [at, row] of [...rows.slice(0, rows.length - dropped).entries()].toReversed()) {
        if (at === cursor.row + added) continue;
        added += rowsAt(row, columns) - 1;
      }
      return cursor.row + added;
    }
  }
}

/** In which of the rows that `row` becomes its column `column` is; one behind its end is in the last of them. */
function placeAt(row: string, column: number, columns: number): number {
  const text = row.replace(sgr, "");
  if (printableAscii.test(text)) {
    const last = Math.max(0, Math.ceil(text.length / columns) - 1);
    return column >= text.length ? last : Math.floor(column / columns);
  }
  let at = 0;
  let used = 0;
  let seen = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = widthOf(segment);
    if (used + width > columns) {
      at += 1;
      used = 0;
    }
    used += width;
    seen += width;
    if (seen > column) break;
  }
  return at;
}
