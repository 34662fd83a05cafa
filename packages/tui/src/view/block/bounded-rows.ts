/** Bounded rows: the beginning or the end of a text as a few rows, with how much is left out. A text of a megabyte costs no more than what is shown of it. */
import type { Line } from "../line.ts";
import { safeText, unitsPerColumn } from "../safe.ts";
import { wrap } from "../width.ts";

export interface BoundedOptions {
  /** For the text alone. */
  readonly columns: number;
  /** At least 1; one of them says what is left out, where something is. */
  readonly rowsMax: number;
  /** What the text is, where more than one stands together: `the command`. */
  readonly of?: string;
}

export function firstRows(text: string, { columns, rowsMax, of }: BoundedOptions): Line[] {
  const whole = text.trimEnd();
  const looked = whole.slice(0, lookedAt(columns, rowsMax));
  const rows = wrap(safeText(whole.length > looked.length ? wellFormed(looked) : whole), columns);
  if (rows.length <= rowsMax && looked.length === whole.length) return rows;
  const shown = rows.slice(0, Math.max(0, rowsMax - 1));
  return [...shown, leftOut(linesOf(whole) - 1, whole.length, of)];
}

export function lastRows(text: string, { columns, rowsMax, of }: BoundedOptions): Line[] {
  const whole = text.trimEnd();
  const looked = whole.slice(Math.max(0, whole.length - lookedAt(columns, rowsMax)));
  const rows = wrap(safeText(wellFormed(looked)), columns);
  if (rows.length <= rowsMax && looked.length === whole.length) return rows;
  const shown = rowsMax <= 1 ? [] : rows.slice(-(rowsMax - 1));
  return [leftOut(linesOf(whole) - 1, whole.length, of), ...shown];
}

export function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function lookedAt(columns: number, rowsMax: number): number {
  return (rowsMax + 1) * columns * unitsPerColumn;
}

function leftOut(breaks: number, chars: number, of: string | undefined): string {
  const what = of === undefined ? "" : ` of ${of}`;
  return `… ${breaks === 0 ? `${chars} characters` : `${breaks + 1} lines`}${what} in all`;
}

/** Where a text was cut in the middle of a character. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
