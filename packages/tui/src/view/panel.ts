/** Panels: what features show of their state, a sign in front of every row. */
import type { Panel, PanelMark, PanelRow } from "@yoi/base";
import type { Line } from "./line.ts";
import { safeLine } from "./safe.ts";
import type { Theme, ViewOptions } from "./theme.ts";
import { truncate } from "./width.ts";

export interface PanelOptions extends ViewOptions {
  /** Of all panels together. */
  readonly rowsMax: number;
}

const sign = "≡";

/** The first panels have their rows first. Of a long one what is done is left out first. */
export function panelLines(
  panels: readonly Panel[],
  { columns, theme, rowsMax }: PanelOptions,
): readonly Line[] {
  const lines: Line[] = [];
  const say = (text: string): void => void lines.push(truncate(`${theme.accent(sign)} ${text}`, columns));
  for (const { title, rows } of panels) {
    const room = rowsMax - lines.length;
    if (room < 1 || rows.length === 0) continue;
    say(theme.strong(safeLine(title)));
    // What is all over takes no room from the conversation.
    if (rows.every(({ mark }) => mark === "done" || mark === "dropped")) continue;
    for (const row of shownRows(rows, room - 1)) say(rowText(row, theme));
    const left = rows.length - Math.max(0, room - 1);
    if (left > 0 && room > 2)
      lines[lines.length - 1] = truncate(`${theme.accent(sign)} ${theme.dim(`… ${left + 1} more`)}`, columns);
  }
  return lines;
}

/** Those that are done, or will not be, give way. */
function shownRows(rows: readonly PanelRow[], room: number): readonly PanelRow[] {
  if (rows.length <= room) return rows;
  const open = rows.findIndex(({ mark }) => mark !== "done" && mark !== "dropped");
  const from = Math.min(open === -1 ? rows.length : Math.max(0, open - 1), rows.length - room);
  return rows.slice(from, from + room);
}

const marks: Readonly<Record<PanelMark, string>> = {
  todo: "[ ] ",
  doing: "[>] ",
  done: "[x] ",
  dropped: "[-] ",
  note: "",
};

function rowText({ mark, text }: PanelRow, theme: Theme): string {
  const shown = marks[mark] + safeLine(text);
  switch (mark) {
    case "doing":
      return theme.strong(shown);
    case "done":
    case "dropped":
      return theme.dim(shown);
    case "todo":
    case "note":
      return shown;
  }
}
