/** Places of the Pod's past that it can go back to, and what is left behind with that. */
import { ageText } from "@yoi/base";
import type { RewindTargetView } from "@yoi/protocol";
import type { UiState } from "../../app/state.ts";
import type { RewindDialog } from "../../dialogs/dialog.ts";
import { placeText, rewindTargets } from "../../dialogs/rewind.ts";
import { safeLine } from "../safe.ts";
import { pad, truncate, widthOf } from "../width.ts";
import { type Area, type AreaOptions, hintLine, listRows, titleLine } from "./area.ts";

export function rewindArea(dialog: RewindDialog, state: UiState, options: AreaOptions): Area {
  const { columns, rowsMax } = options;
  const files = dialog.withFiles ? "yes" : "no";
  if (dialog.chosen !== null) {
    const lines = [
      titleLine("Go back to here?", options),
      truncate(`> ${safeLine(placeText(dialog.chosen))}`, columns),
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
  const rows = targets.map((target) => targetRow(target, state.now, columns - 2));
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

/** The place, and at the end of the row how long ago it was and what was done since. */
function targetRow(target: RewindTargetView, now: number, columns: number): string {
  const { ts, effects } = target;
  const done =
    effects === null ? "another branch" : effects === 0 ? "nothing done since" : callsSince(effects);
  const end = `  ${done}, ${ageText(now - ts)}`;
  const room = columns - widthOf(end);
  if (room < placeColumnsMin) return safeLine(placeText(target));
  return `${pad(truncate(safeLine(placeText(target)), room), room)}${end}`;
}

const placeColumnsMin = 24;

function callsSince(effects: number): string {
  return effects === 1 ? "1 call since" : `${effects} calls since`;
}

function leftBehind({ effects }: RewindTargetView): string {
  if (effects === null) return "It lies on a branch that was left: history goes on from there.";
  if (effects === 0) return "No tool changed anything since.";
  return `${callsSince(effects)} did more than read: what they did stands, but for files that are put back.`;
}
