/** A terminal in memory, for tests and screenshots: what a person would see of the bytes that were written. */
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import xterm from "@xterm/headless";

export interface Cell {
  /** "" behind a wide character. */
  readonly text: string;
  readonly width: number;
  readonly foreground: string | null;
  readonly background: string | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isReversed: boolean;
}

export interface Emulator {
  write(bytes: string): void;
  /** Rows that are seen, without spaces at their ends. */
  screen(): string[];
  /** Rows above them, oldest first. */
  scrollback(): string[];
  /** All of it, rows that were broken by the terminal put together, without blank ones at the end. */
  text(): string[];
  cells(): Cell[][];
  cursor(): { readonly row: number; readonly column: number; readonly isShown: boolean };
  resize(columns: number, rows: number): void;
  /** What it answered to the program. */
  answers(): string;
  readonly bytes: number;
  readonly title: string;
}
