/** The list of Pods: where they stand, what they do, and which of them waits for the user. */
import { ageText } from "@yoi/base";
import type { UiState } from "../../app/state.ts";
import type { PodsDialog } from "../../dialogs/dialog.ts";
import { chosenAt } from "../../dialogs/list.ts";
import { sectionsOf } from "../../dialogs/pods.ts";
import type { PodRow } from "../../host.ts";
import { bytesText } from "../amounts.ts";
import type { Line } from "../line.ts";
import { safeLine } from "../safe.ts";
import { pad, truncate, widthOf } from "../width.ts";
import { type Area, type AreaOptions, hintLine, titleLine } from "./area.ts";

export function podsArea(dialog: PodsDialog, state: UiState, options: AreaOptions): Area {
  const { rowsMax, look } = options;
  const sections = sectionsOf(state.pods ?? [], dialog.list.filter);
  const rows = sections.flatMap((section) => section.rows);
  const selected = chosenAt(dialog.list, rows.length);
  const columns = columnsOf(rows);
  const lines: Line[] = [];
  let at = 0;
  let chosenLine = 0;
  for (const section of sections) {
    lines.push(look.theme.heading(truncate(section.title, options.columns)));
    for (const row of section.rows) {
      const text = truncate(
        `${at === selected ? ">" : " "} ${rowText(row, state, columns)}`,
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
const aboutColumnsMax = 32;
const ageColumns = 10;
const sizeColumns = 7;

/** Of what all rows of a list have. */
export interface RowColumns {
  readonly name: number;
  readonly about: number;
}

export function columnsOf(rows: readonly PodRow[]): RowColumns {
  const widest = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(1, ...texts.map(widthOf)));
  return {
    name: widest(
      rows.map(({ name }) => safeLine(name)),
      nameColumnsMax,
    ),
    about: widest(rows.map(aboutText), aboutColumnsMax),
  };
}

/** What it does, and whether it waits for the user. */
function aboutText({ approvals, standing, detail }: PodRow): string {
  const calls = approvals === 0 ? [] : [`${approvals} to answer`];
  const does = calls.length > 0 && standing === "waiting" ? [] : [standing];
  return [...calls, ...does, ...(detail === "" ? [] : [safeLine(detail)])].join(", ");
}

export function rowText(
  row: PodRow,
  state: Pick<UiState, "now" | "open" | "workspace">,
  { name, about }: RowColumns,
): string {
  const column = (text: string, columns: number): string => pad(truncate(text, columns), columns);
  const size = row.bytes === null ? "" : bytesText(row.bytes);
  const columns = [
    column(safeLine(row.name), name),
    column(aboutText(row), about),
    column(ageText(state.now - row.usedMs), ageColumns),
    " ".repeat(Math.max(0, sizeColumns - widthOf(size))) + size,
  ];
  const rest = [
    row.name === state.open?.name ? "(open)" : "",
    row.title === null ? "" : `"${safeLine(row.title)}"`,
    row.workspace === null || row.workspace === state.workspace ? "" : `in ${safeLine(row.workspace)}`,
    safeLine(row.lastLine),
  ];
  return [...columns, ...rest.filter((text) => text !== "")].join("  ");
}
