/** A call that waits for the user: all of it, and what can be answered. */
import type { PendingApproval } from "@yoi/protocol";
import { isGone, type UiState } from "../../app/state.ts";
import { choicesOf, choiceText, spelled } from "../../dialogs/approval.ts";
import { approvalRoom, approvalRows, rowsBelow } from "../../dialogs/approval-rows.ts";
import { type ApprovalDialog, grantTimes } from "../../dialogs/dialog.ts";
import { emptyList } from "../../dialogs/list.ts";
import type { Line } from "../line.ts";
import { cutInside } from "../width.ts";
import { type Area, type AreaOptions, hintLine, listRows, urgentTitleLine } from "./area.ts";
import { fieldLine } from "./field.ts";

const tooLow = "Make the terminal higher, or leave it for later with Esc.";

export function approvalArea(dialog: ApprovalDialog, state: UiState, options: AreaOptions): Area {
  const approvals = state.open?.session.approvals ?? [];
  const approval = approvals.find(({ digest }) => digest === dialog.digest);
  if (approval === undefined)
    return { lines: [hintLine("That call waits no longer.", options)], cursor: null };
  const room = approvalRoom(dialog, approval, state.size);
  const rows = approvalRows(dialog, approval, options.columns);
  const seen = rows.slice(dialog.scroll, dialog.scroll + room.rows);
  const more = approvals.length > 1 ? ` (${approvals.length} wait)` : "";
  const head = [
    urgentTitleLine(
      `? ${spelled(state.open?.name ?? "")} asks: may ${spelled(approval.tool)} run${more}`,
      options,
    ),
    ...seen,
  ];
  if (room.rows === 0 && dialog.stage !== "reason")
    return {
      lines: [...head, hintLine(tooLow, options)].slice(-Math.max(1, options.rowsMax)),
      cursor: null,
    };
  const left = rowsBelow(dialog, approval, state.size);
  const place =
    rows.length > room.rows
      ? `rows ${dialog.scroll + 1} to ${dialog.scroll + seen.length} of ${rows.length}, PgUp/PgDn. `
      : "";
  const body = bodyOf(dialog, approval, { ...options, rowsMax: Math.max(1, room.choices) }, left === 0);
  const hint = hintLine(dialog.hint ?? place + body.hint, options);
  if (isGone(state))
    return {
      lines: [...head, ...listRows(["1 Start it again ..."], emptyList, options), hintLine(gone, options)],
      cursor: null,
    };
  const cursor = body.cursor === null ? null : { ...body.cursor, row: head.length + body.cursor.row };
  return { lines: [...head, ...body.lines, hint], cursor };
}

const gone = "Its process has ended: Enter starts it again, Esc leaves it for later.";

function bodyOf(
  dialog: ApprovalDialog,
  approval: PendingApproval,
  options: AreaOptions,
  isAllSeen: boolean,
): Area & { readonly hint: string } {
  if (dialog.isSent) return { lines: [], cursor: null, hint: "The answer is on its way ..." };
  switch (dialog.stage) {
    case "choose": {
      const texts = choicesOf(approval).map((choice, at) => {
        const room = options.columns - "> 1 ".length;
        return `${at + 1} ${cutInside(choiceText(choice), room)}`;
      });
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
  if (dialog.keepsFor === "session") return listRows(["Allow for this session"], list, options);
  const where = dialog.isEverywhere ? "in every workspace" : "in this workspace";
  const rows = [
    "Allow always",
    `where: < ${where} >`,
    `how long: < ${grantTimes[dialog.time]?.label ?? ""} >`,
  ];
  return listRows(rows, list, options);
}
