/** The composer on the screen: its sign, its rows, the list of completions below it, or the row of a search. */
import { type Completion, isOpen } from "../composer/completion.ts";
import type { Composer } from "../composer/composer.ts";

import { placeOf, type Row, rowsOf } from "../composer/layout.ts";
import type { Search } from "../composer/search.ts";
import { kindOf, type SubmissionKind } from "../composer/submission.ts";
import type { CursorPlace, Line } from "./line.ts";
import { safeLine } from "./safe.ts";
import type { Theme, ViewOptions } from "./theme.ts";
import { pad, truncate, widthOf } from "./width.ts";

export interface ComposerViewOptions extends ViewOptions {
  /** Of the text; what is longer scrolls. At least 1. */
  readonly rowsMax: number;
  /** What an empty composer says. */
  readonly placeholder: string;
  /** Absent, null: nothing is completed. */
  readonly completion?: Completion | null;
  /** Absent, null: nothing is searched. The composer is as `searchShown` gives it. */
  readonly search?: Search | null;
}

export interface ComposerView {
  readonly lines: readonly Line[];
  /** In `lines`. */
  readonly cursor: CursorPlace;
}

/** Rows of the list of completions. */
export const completionRowsMax = 6;

const signs: Readonly<Record<SubmissionKind, string>> = { prompt: ">", shell: "!", note: "#", command: "/" };
/** The sign and a space. */
const signColumns = 2;

/** Columns of a row of the text, which up and down go by too: one at the end is the cursor's. */
export function textColumns(columns: number): number {
  return Math.max(1, columns - signColumns - 1);
}

export function composerLines(composer: Composer, options: ComposerViewOptions): ComposerView {
  const { columns, theme, completion = null, search = null } = options;
  const text = textLines(composer, options);
  if (search !== null) {
    const { line, column } = searchLine(search, options);
    return { lines: [...text.lines, line], cursor: { row: text.lines.length, column } };
  }
  const list = isOpen(completion) ? completionLines(completion, columns, theme) : [];
  return { lines: [...text.lines, ...list], cursor: text.cursor };
}

function textLines(composer: Composer, options: ComposerViewOptions): ComposerView {
  const { columns, theme, rowsMax, placeholder } = options;
  const kind = kindOf(composer);
  const sign = theme[kind === "shell" ? "warn" : "accent"](signs[kind]);
  if (composer.text === "") {
    const hint = truncate(safeLine(placeholder), columns - signColumns);
    return {
      lines: [fit(`${sign} ${theme.dim(hint)}`, columns)],
      cursor: { row: 0, column: cursorColumn(0, columns) },
    };
  }
  const rows = rowsOf(composer.text, composer.chips, textColumns(columns));
  const place = placeOf(rows, composer.cursor);
  const first = firstRow(rows.length, place.row, Math.max(1, rowsMax));
  const shown = rows.slice(first, first + Math.max(1, rowsMax));
  const lines = shown.map((row, at) => {
    const isCut = (at === 0 && first > 0) || (at === shown.length - 1 && first + shown.length < rows.length);
    const gutter = first + at === 0 ? sign : isCut ? theme.dim(at === 0 ? "↑" : "↓") : " ";
    return fit(`${gutter} ${rowText(row, theme)}`, columns);
  });
  return { lines, cursor: { row: place.row - first, column: cursorColumn(place.column, columns) } };
}

function cursorColumn(column: number, columns: number): number {
  return Math.min(column + signColumns, Math.max(0, columns - 1));
}

/** On a screen too narrow for the sign and a character. */
function fit(line: Line, columns: number): Line {
  return columns > signColumns + 1 ? line : truncate(line, columns);
}

/** The cursor is in the middle of what is shown, but at the ends of the text. */
function firstRow(rows: number, cursor: number, rowsMax: number): number {
  return Math.max(0, Math.min(cursor - Math.floor(rowsMax / 2), rows - rowsMax));
}

/** Chips stand out; all else is as it is typed. */
function rowText(row: Row, theme: Theme): string {
  let line = "";
  let plain = "";
  for (const { text, isChip } of row.cells) {
    if (!isChip) plain += text;
    else {
      line += plain + theme.accent(text);
      plain = "";
    }
  }
  return line + plain;
}

/** The query is cut at its beginning, where the cursor is not. */
function searchLine(
  search: Search,
  { columns, theme }: ViewOptions,
): { readonly line: Line; readonly column: number } {
  const failure = search.match === null ? "no match: " : "no other match: ";
  const label = search.isFailed ? failure : "search history: ";
  const left = Math.max(0, columns - widthOf(label) - 1);
  let query = safeLine(search.query);
  while (widthOf(query) > left) query = query.slice(query.codePointAt(0) === query.charCodeAt(0) ? 1 : 2);
  const line = truncate(theme[search.isFailed ? "warn" : "dim"](label) + query, columns);
  return { line, column: Math.min(widthOf(label) + widthOf(query), Math.max(0, columns - 1)) };
}

/** Labels in a column, what there is to say behind them; the chosen one has a sign too, for those who see no colours. */
function completionLines({ items, selected }: Completion, columns: number, theme: Theme): readonly Line[] {
  const first = firstRow(items.length, selected, completionRowsMax);
  const shown = items.slice(first, first + completionRowsMax);
  const labels = Math.min(
    Math.floor(columns / 2),
    shown.reduce((most, { label }) => Math.max(most, widthOf(safeLine(label))), 0),
  );
  const lines = shown.map(({ label, detail }, at) => {
    const isSelected = first + at === selected;
    const name = detail === "" ? safeLine(label) : pad(truncate(safeLine(label), labels), labels);
    const row = truncate(
      `${isSelected ? "→" : " "} ${name}${detail === "" ? "" : `  ${safeLine(detail)}`}`,
      columns,
    );
    return isSelected ? theme.selected(row) : theme.dim(row);
  });
  const more = items.length - shown.length;
  return more <= 0
    ? lines
    : [
        ...lines.slice(0, -1),
        withCount(lines.at(-1) ?? "", `${selected + 1}/${items.length}`, columns, theme),
      ];
}

function withCount(line: Line, count: string, columns: number, theme: Theme): Line {
  const left = columns - widthOf(count) - 1;
  return left < 1 ? line : `${pad(truncate(line, left), left)} ${theme.dim(count)}`;
}
