/** A terminal in memory, for tests and screenshots: what a person would see of the bytes that were written. */
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import xterm from "@xterm/headless";

export interface Cell {
  /** "" behind a wide character. */
  readonly text: string;
  readonly width: number;
  /** Null: the terminal's own; a palette index, or `#rrggbb`. */
  readonly foreground: number | string | null;
  readonly background: number | string | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isReversed: boolean;
}

export interface Emulator {
  /** Taken at once. */
  write(bytes: string): void;
  /** Rows that are seen, without spaces at their ends. */
  screen(): string[];
  /** Rows above them, oldest first. */
  scrollback(): string[];
  /** All of it, rows that were broken by the terminal put together, without blank ones at the end. */
  text(): string[];
  cells(): Cell[][];
  cursor(): { readonly row: number; readonly column: number };
  resize(columns: number, rows: number): void;
  /** What it answered to the program. */
  readonly answers: readonly string[];
  /** How many characters were written. */
  readonly written: number;
  readonly title: string;
  readonly isAlternate: boolean;
}

const scrollbackRows = 10_000;

/** @param unicode by which it knows how wide characters are: `6` is that of old terminals, which put nothing together. */
export function emulator(
  columns: number,
  rows: number,
  unicode: "6" | "15-graphemes" = "15-graphemes",
): Emulator {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: scrollbackRows,
  });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  terminal.unicode.activeVersion = unicode;
  const answers: string[] = [];
  let title = "";
  let written = 0;
  terminal.onData((data) => answers.push(data));
  terminal.onTitleChange((text) => {
    title = text;
  });
  const buffer = () => terminal.buffer.active;
  const rowsFrom = (from: number, to: number): string[] => {
    const texts: string[] = [];
    for (let y = from; y < to; y += 1) texts.push(buffer().getLine(y)?.translateToString(true) ?? "");
    return texts;
  };
  return {
    write: (bytes) => {
      written += bytes.length;
      writeNow(terminal, bytes);
    },
    screen: () => rowsFrom(buffer().baseY, buffer().baseY + terminal.rows),
    scrollback: () => rowsFrom(0, buffer().baseY),
    text: () => joined(buffer()),
    cells: () => cellsOf(terminal),
    cursor: () => ({ row: buffer().cursorY, column: buffer().cursorX }),
    resize: (toColumns, toRows) => terminal.resize(toColumns, toRows),
    answers,
    get written() {
      return written;
    },
    get title() {
      return title;
    },
    get isAlternate() {
      return buffer().type === "alternate";
    },
  };
}

/** Without a turn of the event loop in between, so that a test is a sequence. */
function writeNow(terminal: xterm.Terminal, bytes: string): void {
  // SAFETY: the same parser as `write` has, without its queue; there is no such function among the documented ones.
  const core = (terminal as unknown as { _core: { _inputHandler: { parse(data: string): void } } })._core;
  core._inputHandler.parse(bytes);
}

function joined(buffer: xterm.IBuffer): string[] {
  const lines: string[] = [];
  for (let y = 0; y < buffer.length; y += 1) {
    const row = buffer.getLine(y);
    const next = buffer.getLine(y + 1);
    // A row that goes on below keeps the spaces at its end.
    const text = row?.translateToString(next?.isWrapped !== true) ?? "";
    if (row?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop() ?? ""}${text}`);
    else lines.push(text);
  }
  while (lines.at(-1)?.trimEnd() === "") lines.pop();
  return lines;
}

function cellsOf(terminal: xterm.Terminal): Cell[][] {
  const buffer = terminal.buffer.active;
  const screen: Cell[][] = [];
  for (let y = buffer.baseY; y < buffer.baseY + terminal.rows; y += 1) {
    const row: Cell[] = [];
    const line = buffer.getLine(y);
    for (let x = 0; x < terminal.cols; x += 1) {
      const cell = line?.getCell(x);
      if (cell !== undefined) row.push(cellOf(cell));
    }
    screen.push(row);
  }
  return screen;
}

function cellOf(cell: xterm.IBufferCell): Cell {
  return {
    text: cell.getChars(),
    width: cell.getWidth(),
    foreground: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isReversed: cell.isInverse() !== 0,
  };
}

function colour(isDefault: boolean, isRgb: boolean, value: number): number | string | null {
  if (isDefault) return null;
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : value;
}
