/** Area: the rows of a dialog, and where its cursor is. */
import type { ListState } from "../../dialogs/list.ts";
import { chosenAt, firstShown } from "../../dialogs/list.ts";
import type { Look } from "../../app/look.ts";
import type { CursorPlace, Line } from "../line.ts";
import type { Style } from "../theme.ts";
import { pad, truncate, widthOf } from "../width.ts";

export interface Area {
  readonly lines: readonly Line[];
  readonly cursor: CursorPlace | null;
}

export interface AreaOptions {
  readonly columns: number;
  readonly rowsMax: number;
  readonly look: Look;
}

/** The rows of a list that have room, the chosen one marked by a sign and by its style; -1 chooses none. */
export function listRows(
  rows: readonly string[],
  list: ListState,
  { columns, look, rowsMax }: AreaOptions,
): readonly Line[] {
  const selected = chosenAt(list, rows.length);
  const from = firstShown(selected, rows.length, rowsMax);
  return rows.slice(from, from + Math.max(0, rowsMax)).map((row, at) => {
    const isChosen = from + at === selected;
    const text = truncate(`${isChosen ? ">" : " "} ${row}`, columns);
    return isChosen ? look.theme.selected(pad(text, columns)) : text;
  });
}

/** The title of a dialog, over the whole width. */
export function titleLine(text: string, { columns, look }: AreaOptions): Line {
  return titled(text, look.theme.accent, { columns, look });
}

/** The title of a dialog that cannot wait for long. */
export function urgentTitleLine(text: string, options: AreaOptions): Line {
  return titled(text, options.look.theme.warn, options);
}

function titled(text: string, style: Style, { columns, look }: Pick<AreaOptions, "columns" | "look">): Line {
  const { theme } = look;
  const shown = truncate(`── ${text} `, columns);
  const title = theme.strong(style(shown.slice("── ".length)));
  return theme.rule(shown.slice(0, "── ".length)) + title + theme.rule("─".repeat(columns - widthOf(shown)));
}

/** What the keys do. */
export function hintLine(text: string, { columns, look }: AreaOptions): Line {
  return look.theme.dim(truncate(text, columns));
}
