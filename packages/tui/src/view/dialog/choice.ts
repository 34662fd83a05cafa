/** One of several things, or a question. */
import { choiceItems } from "../../dialogs/choice.ts";
import type { ChoiceDialog } from "../../dialogs/dialog.ts";
import { safeLine } from "../safe.ts";
import { wrap } from "../width.ts";
import { type Area, type AreaOptions, hintLine, listRows, titleLine } from "./area.ts";

export function choiceArea(dialog: ChoiceDialog, options: AreaOptions): Area {
  const { columns, rowsMax } = options;
  const items = choiceItems(dialog);
  const filter = dialog.list.filter === "" ? "" : ` (${safeLine(dialog.list.filter)})`;
  const text = dialog.text
    .flatMap((line) => wrap(safeLine(line), columns))
    .slice(0, Math.max(0, rowsMax - 4));
  const rows = items.map(({ label, detail }, at) => {
    const number = dialog.isFiltered ? "" : `${at + 1} `;
    return `${number}${safeLine(label)}${detail === "" ? "" : `  ${safeLine(detail)}`}`;
  });
  const room = Math.max(1, rowsMax - 2 - text.length);
  const list = listRows(rows, dialog.list, { ...options, rowsMax: room });
  const none = items.length === 0 ? [hintLine("  nothing fits that", options)] : [];
  const hint = dialog.isFiltered
    ? "Type to narrow it, Enter takes it, Esc leaves it as it is."
    : "A number or Enter takes it, Esc leaves it as it is.";
  return {
    lines: [
      titleLine(safeLine(dialog.title) + filter, options),
      ...text,
      ...list,
      ...none,
      hintLine(hint, options),
    ],
    cursor: null,
  };
}
