/** A page of text on the whole screen. */
import type { UiState } from "../../app/state.ts";
import type { PagerDialog } from "../../dialogs/dialog.ts";
import { endPlace, isBehind, pagerRows, rowsFrom, sectionsOf } from "../../dialogs/pager.ts";
import { safeLine } from "../safe.ts";
import { truncate, widthOf } from "../width.ts";
import { type Area, type AreaOptions, hintLine, titleLine } from "./area.ts";

export function pagerArea(dialog: PagerDialog, state: UiState, options: AreaOptions): Area {
  const { columns, rowsMax } = options;
  const room = Math.max(1, Math.min(rowsMax - 2, pagerRows(state.size.rows)));
  const sections = sectionsOf(dialog, state);
  const end = endPlace(sections, room);
  const top = dialog.top === null || isBehind(dialog.top, end) ? end : dialog.top;
  const rows = rowsFrom(sections, top, room);
  const filled = [...rows, ...Array.from({ length: room - rows.length }, () => "")];
  const { search } = dialog;
  if (search?.isTyping === true) {
    const line = truncate(`/${safeLine(search.query)}`, columns - 1);
    return {
      lines: [titleLine(safeLine(dialog.title), options), ...filled, line],
      cursor: { row: 1 + room, column: widthOf(line) },
    };
  }
  const loading =
    dialog.source.of === "transcript" && dialog.source.isAsking ? "reading older entries ... " : "";
  const missing = search !== null && !search.isFound ? `"${safeLine(search.query)}" is not found. ` : "";
  const place = isBehind(end, top) ? "" : "(end) ";
  const hint = `${place}${missing}${loading}PgUp/PgDn, Home/End, / searches, n and N go on, q or Esc closes.`;
  return {
    lines: [titleLine(safeLine(dialog.title), options), ...filled, hintLine(hint, options)],
    cursor: null,
  };
}
