/** A page of text on the whole screen. */
import type { UiState } from "../../app/state.ts";
import type { PagerDialog, PagerPlace } from "../../dialogs/dialog.ts";
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
  const missing = search !== null && !search.isFound ? `"${safeLine(search.query)}" is not found. ` : "";
  const hint = `${placeText(dialog, top, end)}${missing}PgUp/PgDn, Home/End, / searches, n and N go on, q or Esc closes.`;
  return {
    lines: [titleLine(safeLine(dialog.title), options), ...filled, hintLine(hint, options)],
    cursor: null,
  };
}

/** Of a conversation: what is read on, and where its beginning is. */
function placeText({ source, search }: PagerDialog, top: PagerPlace, end: PagerPlace): string {
  const isTop = top.section === 0 && top.row === 0;
  if (source.of === "transcript" && source.isAsking)
    return `Older entries are being read (${source.older.length} so far) ... `;
  if (source.of === "transcript" && source.isAll && isTop) return "This is the beginning. ";
  if (source.of === "transcript" && !source.isAll && search?.isFound === false)
    return `Also in ${source.older.length} older entries; n reads on: `;
  return isBehind(end, top) ? "" : "(end) ";
}
