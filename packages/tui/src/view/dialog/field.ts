/** A line of text that is typed in a dialog. */
import type { Composer } from "../../composer/composer.ts";
import { textOf } from "../../composer/composer.ts";
import type { FieldDialog } from "../../dialogs/dialog.ts";
import { spelled } from "../../dialogs/approval.ts";
import type { Line } from "../line.ts";
import { safeLine } from "../safe.ts";
import { truncate, widthOf } from "../width.ts";
import { type Area, type AreaOptions, hintLine, titleLine } from "./area.ts";

/** The label and the text around the cursor, on one row. */
export function fieldLine(
  label: string,
  field: Composer,
  { columns, look }: AreaOptions,
  isMasked = false,
): { readonly line: Line; readonly column: number } {
  const shown = (text: string) => (isMasked ? "*".repeat([...text].length) : spelled(text));
  const shownLabel = truncate(label, Math.max(1, Math.floor(columns / 2)));
  const room = Math.max(1, columns - widthOf(shownLabel) - 1);
  const before = endIn(shown(plain(field, 0, field.cursor)), room);
  const after = truncate(shown(plain(field, field.cursor, field.text.length)), room - widthOf(before));
  return {
    line: look.theme.strong(shownLabel) + before + after,
    column: widthOf(shownLabel) + widthOf(before),
  };
}

function plain({ text, chips }: Composer, from: number, to: number): string {
  return textOf({ text: text.slice(from, to), chips });
}

/** The end of a line that has room in so many columns. */
function endIn(text: string, columns: number): string {
  const characters = [...text].slice(-columns);
  while (widthOf(characters.join("")) > columns) characters.shift();
  return characters.join("");
}

export function fieldArea(dialog: FieldDialog, options: AreaOptions): Area {
  const { line, column } = fieldLine("> ", dialog.field, options);
  const lines = [
    titleLine(safeLine(dialog.title), options),
    line,
    hintLine("Enter takes it, Esc leaves it as it was.", options),
  ];
  return { lines, cursor: { row: 1, column } };
}
