/** Rows of a terminal: a long line is broken here, because the terminal would go on with it in its first column, where signs stand. */

/** What every terminal shows in one place: letters up to Georgian, Latin and Greek with marks, punctuation, arrows, lines and blocks. */
const narrow: readonly (readonly [from: number, to: number])[] = [
  [0x20, 0x10ff],
  [0x1e00, 0x1fff],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
  [0x2190, 0x2319],
  [0x2500, 0x25fc],
];
const tabColumns = 8;

export interface FoldPlace {
  /** Of the terminal; null: there is none, and a line stays one. */
  readonly columns: number | null;
  /** In which the text begins, from 0. */
  readonly column: number;
  /** Stands in front of each further row. */
  readonly more: string;
}

/** One line without its end, as rows, with the column behind it. The last column stays free, and a tab becomes spaces: both are not the same everywhere. */
export function fold(
  line: string,
  { columns, column: first, more }: FoldPlace,
): { readonly text: string; readonly column: number } {
  if (columns === null) return { text: line, column: first };
  let text = "";
  let column = first;
  const put = (char: string, width: number): void => {
    if (column + width >= columns && column > more.length) {
      text += `\n${more}`;
      column = more.length;
    }
    text += char;
    column += width;
  };
  for (const char of line) {
    if (char !== "\t") put(char, widthOf(char));
    else for (let left = tabColumns - (column % tabColumns); left > 0; left -= 1) put(" ", 1);
  }
  return { text, column };
}

/** Columns of text without tabs. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += widthOf(char);
  return columns;
}

/** Rather too wide than too narrow: a row that ends early is only short. */
function widthOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  return narrow.some(([from, to]) => code >= from && code <= to) ? 1 : 2;
}
