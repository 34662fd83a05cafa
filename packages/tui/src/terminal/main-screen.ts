/** MainScreen: what is finished goes into the terminal's own scrollback, what is live is redrawn in place below it. */
import type { CursorPlace, Frame, Line, ScreenSize } from "../view/line.ts";
import { cut, mayBeWider, widthOf } from "../view/width.ts";
import { eraseBelow, Painting, toRow } from "./painting.ts";
import { type Reflow, rowsAboveCursor } from "./reflow.ts";

const origin: CursorPlace = { row: 0, column: 0 };
/** tmux says at most every 250 ms which size it has: one that follows sooner is there before anybody is told. */
const untoldMsMax = 300;

/**
 * Never clears the screen and never the scrollback: it only ever writes at and below its first live row. A row of what is live never wraps, so it is one row on the
 * terminal too, also while the terminal is already narrower than was told.
 */
export class MainScreen {
  readonly #write: (bytes: string) => void;
  readonly #reflow: Reflow;
  #size: ScreenSize;
  /** As they stand on the terminal. */
  #live: readonly Line[] = [];
  /** When the terminal said that it had another size, last. */
  #resizedMs = Number.NEGATIVE_INFINITY;
  /** Where the terminal's cursor stands, from the first live row. */
  #at: CursorPlace = origin;
  #isCursorShown = true;

  /** The cursor stands in the first column of a row of which nothing is needed any more. */
  constructor(write: (bytes: string) => void, size: ScreenSize, reflow: Reflow = "attached") {
    this.#write = write;
    this.#size = size;
    this.#reflow = reflow;
  }

  /** Writes what is different from what stands there; nothing, where nothing is. */
  paint(frame: Frame): void {
    const { columns, rows } = this.#size;
    const dropped = Math.max(0, frame.live.length - Math.max(1, rows - 1));
    const live = frame.live.slice(dropped).map((line) => cut(line, columns));
    const painting = new Painting(this.#at.row);
    if (frame.print.length > 0) {
      painting.eraseFrom(0);
      for (const line of frame.print) painting.add(`${unbroken(line, columns)}\r\n`);
      this.#live = [];
    }
    const printed = painting.bytes;
    this.#paintRows(painting, live);
    const drawn = painting.bytes.slice(printed.length);
    this.#live = live;
    this.#show(
      `${printed}${drawn === "" ? "" : `\u001b[?7l${drawn}\u001b[?7h`}`,
      painting.row,
      placed(frame.cursor, dropped, live, columns),
    );
  }

  /**
   * The terminal has another size. What is live is taken away, and stands again with the next paint. Finished rows are the terminal's, which breaks and joins them
   * itself; where it does not (`none`), what is seen of them is drawn again from `tail`, the last of them in the new width.
   */
  resize(size: ScreenSize, tail: readonly Line[], nowMs = Number.POSITIVE_INFINITY): void {
    const live = this.#live;
    const before = this.#size;
    this.#size = size;
    this.#live = [];
    if (this.#reflow === "none") {
      const rows = Math.max(0, size.rows - 1 - live.length);
      const shown = rows === 0 ? [] : tail.slice(-rows);
      this.#at = origin;
      this.#write(
        `\u001b[H\u001b[J${shown.map((line) => `${unbroken(cut(line, size.columns), size.columns)}\r\n`).join("")}`,
      );
      return;
    }
    const mayBeCut = nowMs - this.#resizedMs < untoldMsMax;
    this.#resizedMs = nowMs;
    const broken = rowsAboveCursor(live, this.#at, { before, now: size }, this.#reflow);
    // Rows that were written since it has this size are cut, and not broken: the lesser number, so that nothing finished is taken away.
    const above = mayBeCut ? Math.min(this.#at.row, broken) : broken;
    this.#at = origin;
    this.#write(`${toRow(above, 0)}${eraseBelow}`);
  }

  /** What is live is gone, and the cursor, seen, below what was printed. */
  erase(): void {
    this.#write(this.erasing());
    this.#live = [];
    this.#at = origin;
    this.#isCursorShown = true;
  }

  /** What `erase` writes. */
  erasing(): string {
    const show = this.#isCursorShown ? "" : "\u001b[?25h";
    return `${toRow(this.#at.row, 0)}${eraseBelow}${show}`;
  }

  /** Nothing is known of where the cursor stands: goes on in a new row at the bottom. After the size changed while something else was shown. */
  restart(size: ScreenSize): void {
    this.#size = size;
    this.#live = [];
    this.#at = origin;
    this.#write(`\u001b[${size.rows};1H\r\n`);
  }

  #paintRows(painting: Painting, live: readonly Line[]): void {
    const before = this.#live;
    for (const [row, line] of live.entries()) {
      const old = before[row];
      if (old === undefined) painting.append(row, line);
      else if (line !== old) painting.replace(row, line, old);
    }
    if (before.length > live.length) painting.eraseFrom(live.length);
  }

  /** @param drawn leaves the cursor in that row. */
  #show(drawn: string, row: number, cursor: CursorPlace | null): void {
    const at = cursor ?? origin;
    const isMoved = drawn !== "" || at.row !== this.#at.row || at.column !== this.#at.column;
    const isShown = cursor !== null;
    const hide = this.#isCursorShown && (drawn !== "" || !isShown) ? "\u001b[?25l" : "";
    const show = isShown && (hide !== "" || !this.#isCursorShown) ? "\u001b[?25h" : "";
    const move = isMoved ? `${toRow(row, at.row)}\r${at.column === 0 ? "" : `\u001b[${at.column}C`}` : "";
    this.#at = at;
    this.#isCursorShown = isShown;
    const bytes = `${hide}${drawn}${move}${show}`;
    if (bytes !== "") this.#write(drawn === "" ? bytes : `\u001b[?2026h${bytes}\u001b[?2026l`);
  }
}

/** What a terminal takes to be wider than it is ends at its edge: text never goes on in the first column, where signs stand. */
function unbroken(line: Line, columns: number): string {
  return widthOf(line) <= columns && mayBeWider(line, columns) ? `\u001b[?7l${line}\u001b[?7h` : line;
}

function placed(
  cursor: CursorPlace | null,
  dropped: number,
  live: readonly Line[],
  columns: number,
): CursorPlace | null {
  if (cursor === null || live.length === 0) return null;
  return {
    row: Math.min(Math.max(0, cursor.row - dropped), live.length - 1),
    column: Math.min(Math.max(0, cursor.column), columns - 1),
  };
}
