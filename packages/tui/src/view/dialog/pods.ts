/** The list of Pods: where they stand, what they do, and which of them waits for the user. */
import type { UiState } from "../../app/state.ts";
import type { PodsDialog } from "../../dialogs/dialog.ts";
import { chosenAt } from "../../dialogs/list.ts";
import { sectionsOf } from "../../dialogs/pods.ts";
import type { PodRow } from "../../host.ts";
import { ageText, bytesText } from "../amounts.ts";
import type { Line } from "../line.ts";
import { safeLine } from "../safe.ts";
import { pad, truncate, widthOf } from "../width.ts";
import { type Area, type AreaOptions, hintLine, titleLine } from "./area.ts";

export function podsArea(dialog: PodsDialog, state: UiState, options: AreaOptions): Area {
  const { rowsMax, look } = options;
  const sections = sectionsOf(state.pods ?? [], dialog.list.filter);
  const rows = sections.flatMap((section) => section.rows);
  const selected = chosenAt(dialog.list, rows.length);
  const nameColumns = nameColumnsOf(rows);
  const lines: Line[] = [];
  let at = 0;
  let chosenLine = 0;
  for (const section of sections) {
    lines.push(look.theme.heading(truncate(section.title, options.columns)));
    for (const row of section.rows) {
      const text = truncate(
        `${at === selected ? ">" : " "} ${rowText(row, state, nameColumns)}`,
        options.columns,
      );
      if (at === selected) chosenLine = lines.length;
      lines.push(at === selected ? look.theme.selected(pad(text, options.columns)) : text);
      at += 1;
    }
  }
  if (rows.length === 0)
    lines.push(hintLine(state.pods === null ? "  reading them ..." : "  no Pod fits that", options));
  const room = Math.max(1, rowsMax - 2);
  const from = Math.max(0, Math.min(lines.length - room, chosenLine - Math.floor(room / 2)));
  const filter = dialog.list.filter === "" ? "" : `: ${safeLine(dialog.list.filter)}`;
  return {
    lines: [
      titleLine(`Pods${filter}`, options),
      ...lines.slice(from, from + room),
      hintLine("Type to narrow it. Enter opens, Tab shows what else, Esc goes back.", options),
    ],
    cursor: null,
  };
}

const nameColumnsMax = 24;

export function nameColumnsOf(rows: readonly PodRow[]): number {
  return Math.min(nameColumnsMax, Math.max(1, ...rows.map(({ name }) => widthOf(safeLine(name)))));
}

export function rowText(
  row: PodRow,
  state: Pick<UiState, "now" | "open" | "workspace">,
  nameColumns: number,
): string {
  const title = row.title === null ? "" : `"${safeLine(row.title)}" `;
  const calls = row.approvals === 0 ? "" : `${row.approvals} to answer, `;
  const here = row.name === state.open?.name ? "(open) " : "";
  const place =
    row.workspace === null || row.workspace === state.workspace ? "" : `  in ${safeLine(row.workspace)}`;
  const detail = row.detail === "" ? "" : `, ${safeLine(row.detail)}`;
  const size = row.bytes === null ? "" : `, ${bytesText(row.bytes)}`;
  const last = row.lastLine === "" ? "" : `  ${safeLine(row.lastLine)}`;
  return `${pad(truncate(safeLine(row.name), nameColumns), nameColumns)}  ${here}${title}${calls}${row.standing}${detail}, ${ageText(state.now - row.usedMs)}${size}${place}${last}`;
}
