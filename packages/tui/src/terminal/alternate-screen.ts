/** AlternateScreen: the terminal's second screen, which has no scrollback; rows are redrawn where they differ. */
import type { CursorPlace, Line, ScreenSize } from "../view/line.ts";

export class AlternateScreen {
  readonly #write: (bytes: string) => void;
  #size: ScreenSize;
  /** What stands there; null: not known. */
  #rows: readonly Line[] | null = null;

  constructor(write: (bytes: string) => void, size: ScreenSize) {
    this.#write = write;
    this.#size = size;
  }

  enter(): void {
    this.#rows = null;
    this.#write("\u001b[?1049h");
  }

  /** Lines beyond the screen are left out; null: no cursor. */
  paint(lines: readonly Line[], _cursor: CursorPlace | null): void {
    this.#rows = lines.slice(0, this.#size.rows);
    this.#write(this.#rows.join("\r\n"));
  }

  /** All is drawn again with the next paint. */
  resize(size: ScreenSize): void {
    this.#size = size;
    this.#rows = null;
  }

  leave(): void {
    this.#write("\u001b[?1049l");
  }
}
