/** dialogLines: how each dialog looks: a table of contents. */
import type { UiState } from "../../app/state.ts";
import type { Dialog } from "../../dialogs/dialog.ts";
import { approvalArea } from "./approval.ts";
import type { Area } from "./area.ts";
import { choiceArea } from "./choice.ts";
import { fieldArea } from "./field.ts";
import { firstRunArea } from "./first-run.ts";
import { pagerArea } from "./pager.ts";
import { podsArea } from "./pods.ts";
import { rewindArea } from "./rewind.ts";
import { treeArea } from "./tree.ts";

/** At most `rowsMax` rows. */
export function dialogLines(dialog: Dialog, state: UiState, rowsMax: number): Area {
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
