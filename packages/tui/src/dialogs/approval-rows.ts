/** What of a call that waits has to be looked at before it is allowed, as rows, and how many of them there is room for: the same for the keys and for the view. */
import type { PendingApproval } from "@yoi/protocol";
import { wrap } from "../view/width.ts";
import type { ScreenSize } from "../view/line.ts";
import { callLines, choicesOf, spelled } from "./approval.ts";
import type { ApprovalDialog } from "./dialog.ts";

const gutter = "? | ";
const reasonGutter = "? ";

const made = new WeakMap<PendingApproval, { readonly columns: number; readonly rows: readonly string[] }>();

/** All rows of the call, below why it is asked about; of the stage `rule` those of the rule. Every row stands behind a gutter. */
export function approvalRows(
  dialog: ApprovalDialog,
  approval: PendingApproval,
  columns: number,
): readonly string[] {
  if (dialog.stage === "rule") return behind(gutter, [`the rule: ${spelled(dialog.rule)}`], columns);
  const known = made.get(approval);
  if (known?.columns === columns) return known.rows;
  const { wish, reason } = approval;
  const leaves =
    wish === undefined
      ? []
      : [`It would leave the Pod's scope: to ${wish.permission} ${spelled(wish.target)}`];
  const rows = [
    ...behind(reasonGutter, [spelled(reason)], columns),
    ...behind(gutter, [...leaves, ...callLines(approval)], columns),
  ];
  made.set(approval, { columns, rows });
  return rows;
}

function behind(sign: string, lines: readonly string[], columns: number): readonly string[] {
  const width = Math.max(1, columns - sign.length);
  return lines.flatMap((line) => wrap(line, width)).map((row) => sign + row);
}

/** Rows of the status, at most; and of a dialog its title and its hint. */
const statusRowsMax = 2;
const fixedRows = 2;

export interface ApprovalRoom {
  /** 0: the screen is too low to be asked anything. */
  readonly rows: number;
  readonly choices: number;
}

/** How many rows, and how many choices, are shown at once. */
export function approvalRoom(
  dialog: ApprovalDialog,
  approval: PendingApproval,
  size: ScreenSize,
): ApprovalRoom {
  const free = size.rows - 1 - statusRowsMax - fixedRows;
  if (free < 2) return { rows: 0, choices: 0 };
  const choices = dialog.stage === "choose" ? choicesOf(approval).length : ruleRows(dialog);
  const shown = Math.min(choices, Math.max(1, Math.ceil(free / 2)));
  return { rows: free - shown, choices: shown };
}

/** Rows of the rest of a dialog that is not about the choices: the field of the reason, or what is kept, where and how long. */
export function ruleRows({ stage, keepsFor }: ApprovalDialog): number {
  return stage === "rule" && keepsFor === "always" ? 3 : 1;
}

/** Rows below those that are shown. */
export function rowsBelow(dialog: ApprovalDialog, approval: PendingApproval, size: ScreenSize): number {
  const { rows } = approvalRoom(dialog, approval, size);
  return Math.max(0, approvalRows(dialog, approval, size.columns).length - dialog.scroll - rows);
}
