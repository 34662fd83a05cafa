/** AlternateScreen: the terminal's second screen, which has no scrollback; rows are redrawn where they differ. */
import type { CursorPlace, Line, ScreenSize } from "../view/line.ts";
import { enterAlternate, leaveAlternate } from "./modes.ts";
import { cut, widthOf } from "../view/width.ts";

/** The main screen is erased of what is live before this is entered, so that nothing of it has to be found again behind it. */
export class AlternateScreen {
  readonly #write: (bytes: string) => void;
  #size: ScreenSize;
  /** As they stand there; null: not known. */
  #rows: readonly Line[] | null = null;
  #cursor: CursorPlace | null = null;

  constructor(write: (bytes: string) => void, size: ScreenSize) {
    this.#write = write;
    this.#size = size;
  }

  enter(): void {
    this.#rows = null;
    this.#write(enterAlternate);
  }

  /** Lines beyond the screen, and what is wider than it, are left out; null: no cursor. */
  paint(lines: readonly Line[], cursor: CursorPlace | null): void {
    const { columns, rows } = this.#size;
    const next = Array.from({ length: rows }, (_, row) => cut(lines[row] ?? "", columns));
    const before = this.#rows;
    let drawn = before === null ? "\u001b[2J" : "";
    for (const [row, line] of next.entries()) {
      if (line === (before?.[row] ?? "")) continue;
      drawn += `\u001b[${row + 1};1H${line}${widthOf(line) < columns ? "\u001b[K" : ""}`;
    }
    const isSame =
      drawn === "" && cursor?.row === this.#cursor?.row && cursor?.column === this.#cursor?.column;
    this.#rows = next;
    this.#cursor = cursor;
    if (isSame) return;
    const place =
      cursor === null
        ? ""
        : `\u001b[${Math.min(cursor.row, rows - 1) + 1};${Math.min(cursor.column, columns - 1) + 1}H\u001b[?25h`;
    this.#write(`\u001b[?2026h\u001b[?25l\u001b[?7l${drawn}\u001b[?7h${place}\u001b[?2026l`);
  }

  /** All is drawn again with the next paint. */
  resize(size: ScreenSize): void {
    this.#size = size;
    this.#rows = null;
  }

  /** The main screen is seen again, with its cursor. */
  leave(): void {
    this.#rows = null;
    this.#cursor = null;
    this.#write(leaveAlternate);
  }
}
