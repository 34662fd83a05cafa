/** dialogLines: how each dialog looks: a table of contents. */
import type { UiState } from "../../app/state.ts";
import type { Dialog } from "../../dialogs/dialog.ts";
import { truncate } from "../width.ts";
import { approvalArea } from "./approval.ts";
import type { Area } from "./area.ts";
import { choiceArea } from "./choice.ts";
import { fieldArea } from "./field.ts";
import { firstRunArea } from "./first-run.ts";
import { pagerArea } from "./pager.ts";
import { podsArea } from "./pods.ts";
import { rewindArea } from "./rewind.ts";
import { treeArea } from "./tree.ts";

/** Rows that fit; more of them than `rowsMax` where a dialog has to say more than there is room for. */
export function dialogLines(dialog: Dialog, state: UiState, rowsMax: number): Area {
  const { lines, cursor } = areaOf(dialog, state, rowsMax);
  return { lines: lines.map((line) => truncate(line, state.size.columns)), cursor };
}

function areaOf(dialog: Dialog, state: UiState, rowsMax: number): Area {
  const options = { columns: state.size.columns, look: state.look, rowsMax };
  switch (dialog.kind) {
    case "approval":
      return approvalArea(dialog, state, options);
    case "pods":
      return podsArea(dialog, state, options);
    case "tree":
      return treeArea(dialog, state, options);
    case "rewind":
      return rewindArea(dialog, state, options);
    case "choice":
      return choiceArea(dialog, options);
    case "field":
      return fieldArea(dialog, options);
    case "first_run":
      return firstRunArea(dialog, options);
    case "pager":
      return pagerArea(dialog, state, options);
  }
}
