/** MainScreen: what is finished goes into the terminal's own scrollback, what is live is redrawn in place below it. */
import type { Frame, Line, ScreenSize } from "../view/line.ts";

/** What a terminal does with rows when its width changes. See `capabilities.ts`. */
export type Reflow = "all" | "all_but_cursor" | "none";

export class MainScreen {
  readonly #write: (bytes: string) => void;
  #size: ScreenSize;
  readonly #reflow: Reflow;

  /** The cursor stands in the first column of a row of which nothing is needed any more. */
  constructor(write: (bytes: string) => void, size: ScreenSize, reflow: Reflow = "all") {
    this.#write = write;
    this.#size = size;
    this.#reflow = reflow;
  }

  /** Writes what is different from what stands there. */
  paint(frame: Frame): void {
    this.#write([...frame.print, ...frame.live].join("\r\n"));
  }

  /** The terminal has another size. `tail`: the last finished lines, in the new width; drawn again where the terminal does not keep rows that are too long. Paint next. */
  resize(size: ScreenSize, _tail: readonly Line[]): void {
    this.#size = size;
  }

  /** What is live is gone, and the cursor below what was printed. */
  erase(): void {
    this.#write(`${this.#size.rows}${this.#reflow}`);
  }
}
