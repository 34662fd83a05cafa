/** A change of a file, as rows: unified hunks with line numbers, their signs besides colours. */
import type { Line } from "./line.ts";
import { safeText } from "./safe.ts";
import type { Style, Theme, ViewOptions } from "./theme.ts";
import { truncate, wrap } from "./width.ts";

export interface DiffOptions extends ViewOptions {
  /** What is more is cut out of the middle; at least 3. */
  readonly rowsMax: number;
}

const rowsMin = 3;
const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

type Sign = "+" | "-" | " ";
interface Row {
  /** In the new file, of a removed line in the old one; null: it is no line of a file. */
  readonly number: number | null;
  readonly sign: Sign;
  readonly text: string;
}

/** What is not a hunk is shown as it is. No rows for "". */
export function diffLines(hunks: string, options: DiffOptions): Line[] {
  if (hunks === "") return [];
  const rows = rowsOf(hunks);
  const digits = String(rows.reduce((most, row) => Math.max(most, row.number ?? 0), 0)).length;
  const lines = rows.flatMap((row) => linesOf(row, digits, options));
  return cutMiddle(lines, Math.max(rowsMin, options.rowsMax), options);
}

function rowsOf(hunks: string): Row[] {
  const rows: Row[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of hunks.replace(/\n$/, "").split("\n")) {
    const head = hunkHead.exec(line);
    const sign = line[0];
    if (head !== null) {
      // Where lines are left out between two hunks.
      if (isInHunk) rows.push({ number: null, sign: " ", text: "⋮" });
      isInHunk = true;
      before = Number(head[1]);
      after = Number(head[2]);
    } else if (isInHunk && (sign === "+" || sign === "-" || sign === " ")) {
      rows.push({ number: sign === "-" ? before : after, sign, text: safeText(line.slice(1)) });
      if (sign !== "+") before += 1;
      if (sign !== "-") after += 1;
    } else rows.push({ number: null, sign: " ", text: safeText(line) });
  }
  return rows;
}

function linesOf(row: Row, digits: number, { columns, theme }: ViewOptions): Line[] {
  const number = theme.dim((row.number === null ? "" : String(row.number)).padStart(digits));
  const style = styleOf(row.sign, theme);
  const width = columns - digits - 3;
  // Too narrow for numbers.
  if (width < digits) return [truncate(style(`${row.sign}${row.text}`), columns)];
  return wrap(row.text, width).map((text, at) => {
    const head = at === 0 ? number : " ".repeat(digits);
    return `${head} ${style(`${row.sign} ${text}`.trimEnd())}`;
  });
}

function styleOf(sign: Sign, theme: Theme): Style {
  switch (sign) {
    case "+":
      return theme.added;
    case "-":
      return theme.removed;
    case " ":
      return (text) => text;
  }
}

function cutMiddle(lines: readonly Line[], rowsMax: number, { columns, theme }: ViewOptions): Line[] {
  if (lines.length <= rowsMax) return [...lines];
  const head = Math.ceil((rowsMax - 1) / 2);
  const tail = rowsMax - 1 - head;
  const left = lines.length - head - tail;
  const sign = truncate(theme.dim(`… ${left} lines`), columns);
  return [...lines.slice(0, head), sign, ...lines.slice(lines.length - tail)];
}
