/** Line and Frame: what views make and a screen shows. A view is a pure function from state to lines. */

/** One row of a terminal: text and SGR sequences of the theme, nothing else, at most as many columns wide as the screen it was made for, its styles closed at its end. */
export type Line = string;

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** From the first row of `live` and the first column, both from 0. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

/** What is to be seen from now on. */
export interface Frame {
  /** Finished: written once, above what is live, into the terminal's own scrollback, and never touched again. */
  readonly print: readonly Line[];
  /** Redrawn in place. At most as many as the screen has rows, less one. */
  readonly live: readonly Line[];
  /** Null: hidden. */
  readonly cursor: CursorPlace | null;
}
