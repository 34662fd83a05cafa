/** Gutter: each row of a block begins with a sign that nothing in its text can take away, so no text passes for another block. */
import type { Line } from "../line.ts";
import type { Style } from "../theme.ts";
import { truncate } from "../width.ts";

/** Columns of a sign with the space behind it. */
export const gutterColumns = 2;

/** What stands in front of rows that go on with a block that began above them. */
export const moreSign = "│";

/** Columns for a text behind its sign. */
export function textColumns(columns: number): number {
  return Math.max(1, columns - gutterColumns);
}

/** @param text of at most `textColumns(columns)` columns: what is wider is cut. */
export function row(sign: string, text: string, { columns, style }: RowOptions): Line {
  if (columns <= gutterColumns) return truncate(style(sign), Math.max(1, columns));
  return text === "" ? style(sign) : `${style(sign)} ${truncate(text, textColumns(columns))}`;
}

export interface RowOptions {
  readonly columns: number;
  /** Of the sign. */
  readonly style: Style;
}
