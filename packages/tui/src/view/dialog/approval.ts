/** A call that waits for the user: all of it, and what can be answered. Every row of what is not yoi's own stands behind a gutter. */
import type { PendingApproval } from "@yoi/protocol";
import type { UiState } from "../../app/state.ts";
import {
  approvalRoom,
  callLines,
  choicesOf,
  choiceText,
  reasonRowsMax,
  spelled,
} from "../../dialogs/approval.ts";
import { type ApprovalDialog, grantTimes } from "../../dialogs/dialog.ts";
import type { Line } from "../line.ts";
import { truncate, wrap } from "../width.ts";
import { type Area, type AreaOptions, hintLine, listRows, urgentTitleLine } from "./area.ts";
import { fieldLine } from "./field.ts";

const gutter = "? | ";

/** All rows of the call. */
export function callRows(approval: PendingApproval, columns: number): readonly string[] {
  const width = Math.max(1, columns - gutter.length);
  const wish =
    approval.wish === undefined
      ? []
      : [`It would leave the Pod's scope: to ${approval.wish.permission} ${spelled(approval.wish.target)}`];
  return [...wish, ...callLines(approval)].flatMap((line) => wrap(line, width)).map((row) => gutter + row);
}

function reasonRows({ reason }: PendingApproval, screenRows: number, columns: number): readonly Line[] {
  const rowsMax = reasonRowsMax(screenRows);
  const rows = wrap(spelled(reason), Math.max(1, columns - 2));
  const shown =
    rows.length > rowsMax ? [...rows.slice(0, rowsMax - 1), rows.slice(rowsMax - 1).join(" ")] : rows;
  return shown.map((row) => truncate(`? ${row}`, columns));
}

export function approvalArea(dialog: ApprovalDialog, state: UiState, options: AreaOptions): Area {
  const approvals = state.open?.session.approvals ?? [];
  const approval = approvals.find(({ digest }) => digest === dialog.digest);
  if (approval === undefined)
    return { lines: [hintLine("That call waits no longer.", options)], cursor: null };
  const choices = choicesOf(approval);
  const room = approvalRoom(state.size.rows, choices.length);
  const rows = callRows(approval, options.columns);
  const seen = rows.slice(dialog.scroll, dialog.scroll + room.call);
  const more = approvals.length > 1 ? ` (${approvals.length} wait)` : "";
  const head = [
    urgentTitleLine(
      `? ${spelled(state.open?.name ?? "")} asks: may ${spelled(approval.tool)} run${more}`,
      options,
    ),
    ...reasonRows(approval, state.size.rows, options.columns),
    ...seen,
  ];
  const left = rows.length - dialog.scroll - seen.length;
  const place =
    rows.length > room.call
      ? `rows ${dialog.scroll + 1} to ${dialog.scroll + seen.length} of ${rows.length}, PgUp/PgDn. `
      : "";
  const body = bodyOf(dialog, approval, { ...options, rowsMax: room.choices }, left === 0);
  const hint = hintLine(dialog.hint ?? place + body.hint, options);
  const cursor = body.cursor === null ? null : { ...body.cursor, row: head.length + body.cursor.row };
  return { lines: [...head, ...body.lines, hint], cursor };
}

function bodyOf(
  dialog: ApprovalDialog,
  approval: PendingApproval,
  options: AreaOptions,
  isAllSeen: boolean,
): Area & { readonly hint: string } {
  if (dialog.isSent) return { lines: [], cursor: null, hint: "The answer is on its way ..." };
  switch (dialog.stage) {
    case "choose": {
      const texts = choicesOf(approval).map((choice, at) => `${at + 1} ${choiceText(choice)}`);
      const list = { filter: "", selected: dialog.selected };
      const hint = isAllSeen
        ? "A number or Enter answers, Up/Down chooses, Esc leaves it for later."
        : "Look at all of it before it is allowed.";
      return { lines: listRows(texts, list, options), cursor: null, hint };
    }
    case "reason": {
      const { line, column } = fieldLine("Why not (the model reads it): ", dialog.reason, options);
      return { lines: [line], cursor: { row: 0, column }, hint: "Enter denies it, Esc goes back." };
    }
    case "rule": {
      const turns = dialog.keepsFor === "always" ? " Left/Right changes a row," : "";
      const hint = `Enter allows and keeps the rule,${turns} Esc goes back.`;
      return { lines: ruleLines(dialog, options), cursor: null, hint };
    }
  }
}

function ruleLines(dialog: ApprovalDialog, options: AreaOptions): readonly Line[] {
  const list = { filter: "", selected: dialog.selected };
  const rule = spelled(dialog.rule);
  if (dialog.keepsFor === "session") return listRows([`Allow for this session: ${rule}`], list, options);
  const where = dialog.isEverywhere ? "in every workspace" : "in this workspace";
  const rows = [
    `Allow always: ${rule}`,
    `where: < ${where} >`,
    `how long: < ${grantTimes[dialog.time]?.label ?? ""} >`,
  ];
  return listRows(rows, list, options);
}
