/** Places of the Pod's past that it can go back to, and what is left behind with that. */
import type { RewindTargetView } from "@yoi/protocol";
import type { UiState } from "../../app/state.ts";
import type { RewindDialog } from "../../dialogs/dialog.ts";
import { rewindTargets } from "../../dialogs/rewind.ts";
import { ageText } from "../amounts.ts";
import { safeLine } from "../safe.ts";
import { truncate } from "../width.ts";
import { type Area, type AreaOptions, hintLine, listRows, titleLine } from "./area.ts";

export function rewindArea(dialog: RewindDialog, state: UiState, options: AreaOptions): Area {
  const { columns, rowsMax } = options;
  const files = dialog.withFiles ? "yes" : "no";
  if (dialog.chosen !== null) {
    const lines = [
      titleLine("Go back to here?", options),
      truncate(`> ${targetText(dialog.chosen, state.now)}`, columns),
      truncate(leftBehind(dialog.chosen), columns),
      truncate(`Put the files back that its tools touched since: ${files} (Tab changes it)`, columns),
      hintLine(
        dialog.isAsking
          ? "Going back ..."
          : "Enter goes back, Esc chooses again. What was said since stays on record.",
        options,
      ),
    ];
    return { lines: lines.slice(0, Math.max(1, rowsMax)), cursor: null };
  }
  const targets = rewindTargets(dialog);
  const rows = targets.map((target) => targetText(target, state.now));
  const list = listRows(rows, dialog.list, { ...options, rowsMax: Math.max(1, rowsMax - 2) });
  const none =
    rows.length > 0
      ? []
      : [hintLine(dialog.isAsking ? "  asking the Pod ..." : "  there is nothing to go back to", options)];
  return {
    lines: [
      titleLine("Go back to", options),
      ...list,
      ...none,
      hintLine(
        `Enter takes it, Up/Down chooses${dialog.hasMore ? ", older ones follow at the end" : ""}, Esc stays here.`,
        options,
      ),
    ],
    cursor: null,
  };
}

export function targetText(
  { side, kind, preview, turn, ts, effects }: RewindTargetView,
  now: number,
): string {
  const place = kind === "input" && side === "before" ? "before" : "behind";
  const done =
    effects === null ? "another branch" : effects === 0 ? "nothing done since" : `${effects} calls since`;
  return `${place} ${kind === "input" ? "input" : "turn"} ${turn}, ${ageText(now - ts)}, ${done}: ${safeLine(preview)}`;
}

function leftBehind({ effects }: RewindTargetView): string {
  if (effects === null) return "It lies on a branch that was left: history goes on from there.";
  if (effects === 0) return "No tool changed anything since.";
  return `${effects} calls since then did more than read: what they did stands, but for files that are put back.`;
}
