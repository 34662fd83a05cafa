/** Area: the rows of a dialog, and where its cursor is. */
import type { ListState } from "../../dialogs/list.ts";
import { chosenAt, firstShown } from "../../dialogs/list.ts";
import type { Look } from "../../app/look.ts";
import type { CursorPlace, Line } from "../line.ts";
import { pad, truncate } from "../width.ts";

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
  return look.theme.strong(
    look.theme.accent(truncate(`-- ${text} ${"-".repeat(columns)}`, columns).replace(/…$/, "-")),
  );
}

/** What the keys do. */
export function hintLine(text: string, { columns, look }: AreaOptions): Line {
  return look.theme.dim(truncate(text, columns));
}
