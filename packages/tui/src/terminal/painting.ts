/** Painting: the bytes of one paint, below a first row that only the caller knows. */
import { widthOf } from "../view/width.ts";

/**
 * From one row to another; the column is not kept. Downwards by line ends, which make a row where there is none: a terminal that just became lower, which nobody was
 * told yet, took away what stood below the cursor.
 */
export function toRow(from: number, to: number): string {
  return from > to ? `\u001b[${from - to}A` : "\n".repeat(to - from);
}

/**
 * The row of the cursor, from its first column, and all below it; the cursor stays. Not all at once: tmux takes erasing from the first cell of the screen on for
 * erasing the screen, and keeps what stood there in its history.
 */
export const eraseBelow = "\r\u001b[2K\u001b7\u001b[B\u001b[J\u001b8";

export class Painting {
  #bytes = "";
  #row: number;

  constructor(row: number) {
    this.#row = row;
  }

  get bytes(): string {
    return this.#bytes;
  }

  get row(): number {
    return this.#row;
  }

  add(bytes: string): void {
    this.#bytes += bytes;
  }

  /** To a row that stands there. */
  go(row: number): void {
    this.#bytes += `${toRow(this.#row, row)}\r`;
    this.#row = row;
  }

  /** Instead of `before`, which stands there. */
  replace(row: number, line: string, before: string): void {
    this.go(row);
    // The whole row first: tmux takes what is erased at a row's end for spaces, and breaks them too when it becomes narrower.
    this.#bytes += widthOf(line) < widthOf(before) ? `\u001b[2K${line}` : line;
  }

  /** A row below the last one; the terminal scrolls where there is none. */
  append(row: number, line: string): void {
    if (row > 0) this.go(row - 1);
    this.#bytes += row > 0 ? `\r\n${line}` : `\r${line}`;
    this.#row = row;
  }

  /** All from that row on. */
  eraseFrom(row: number): void {
    this.go(row);
    this.#bytes += eraseBelow;
  }
}
