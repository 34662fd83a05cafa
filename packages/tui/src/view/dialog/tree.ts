/** The tree of Pods: who began whom, with what each may reach and what it was lent. */
import type { UiState } from "../../app/state.ts";
import type { TreeDialog } from "../../dialogs/dialog.ts";
import { chosenAt } from "../../dialogs/list.ts";
import { treeRows } from "../../dialogs/tree.ts";
import type { TreeRow } from "../../host.ts";
import type { Line } from "../line.ts";
import { safeLine } from "../safe.ts";
import { pad, truncate } from "../width.ts";
import { type Area, type AreaOptions, hintLine, titleLine } from "./area.ts";
import { columnsOf, rowText } from "./pods.ts";

export function treeArea(dialog: TreeDialog, state: UiState, options: AreaOptions): Area {
  const { columns, rowsMax, look } = options;
  const rows = treeRows(dialog);
  const selected = chosenAt(dialog.list, rows.length);
  const rowColumns = columnsOf(rows.map(({ pod }) => pod));
  const lines: Line[] = [];
  let chosenLine = 0;
  for (const [at, row] of rows.entries()) {
    if (at === selected) chosenLine = lines.length;
    const indent = "  ".repeat(row.depth);
    const text = truncate(
      `${at === selected ? ">" : " "} ${indent}${rowText(row.pod, state, rowColumns)}`,
      columns,
    );
    lines.push(at === selected ? look.theme.selected(pad(text, columns)) : text);
    for (const detail of detailsOf(row))
      lines.push(look.theme.dim(truncate(`  ${indent}    ${safeLine(detail)}`, columns)));
  }
  if (rows.length === 0)
    lines.push(hintLine(dialog.rows === null ? "  reading it ..." : "  no Pod fits that", options));
  const room = Math.max(1, rowsMax - 2);
  const from = Math.max(0, Math.min(lines.length - room, chosenLine - Math.floor(room / 2)));
  const filter = dialog.list.filter === "" ? "" : `: ${safeLine(dialog.list.filter)}`;
  return {
    lines: [
      titleLine(`Tree of Pods${filter}`, options),
      ...lines.slice(from, from + room),
      hintLine("Type to narrow it. Enter opens, Tab shows what else, Esc goes back.", options),
    ],
    cursor: null,
  };
}

function detailsOf({ scope, loan }: TreeRow): readonly string[] {
  return [...scope, ...(loan === null ? [] : [`lent: ${loan}`])];
}
