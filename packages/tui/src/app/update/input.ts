/** A key or a paste: for the dialog on top, or for the composer. */
import type { Dialog } from "../../dialogs/dialog.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { UiState } from "../state.ts";
import { type Step, step, topDialog } from "../step.ts";
import { approvalTyped, isForComposer } from "./approvals.ts";
import { composerTyped } from "./composer-keys.ts";
import { firstRunTyped } from "./first-run.ts";
import { carryOut } from "./intents.ts";
import { choiceTyped, fieldTyped, podsTyped } from "./lists.ts";
import { pagerTyped } from "./pager.ts";
import { rewindTyped } from "./rewind.ts";

export function inputCame(state: UiState, input: InputEvent): Step {
  const dialog = topDialog(state);
  if (dialog === null) return composerTyped(state, input);
  const everywhere = actsEverywhere(state, input);
  if (everywhere !== null) return everywhere;
  const next = {
    ...state,
    before: input.type === "key" ? { key: input.key, untilMs: state.now + leaveMs } : null,
  };
  if (dialog.kind === "approval" && isForComposer(next, dialog, input)) return composerTyped(next, input);
  return typedIn(next, dialog, input);
}

/** Ctrl-C twice leaves, whatever is shown. */
const leaveMs = 2_000;

function actsEverywhere(state: UiState, input: InputEvent): Step | null {
  if (input.type === "paste") return null;
  const before = state.before !== null && state.before.untilMs > state.now ? state.before.key : null;
  switch (actionOf(state.keys, "composer", input, before)) {
    case "leave":
      return before === null ? null : carryOut(state, { type: "leave" });
    case "suspend":
      return step(state, { type: "suspend" });
    case "redraw":
      return step(state, { type: "redraw" });
    default:
      return null;
  }
}

function typedIn(state: UiState, dialog: Dialog, input: InputEvent): Step {
  switch (dialog.kind) {
    case "approval":
      return approvalTyped(state, dialog, input);
    case "pods":
    case "tree":
      return podsTyped(state, dialog, input);
    case "rewind":
      return rewindTyped(state, dialog, input);
    case "choice":
      return choiceTyped(state, dialog, input);
    case "field":
      return fieldTyped(state, dialog, input);
    case "first_run":
      return firstRunTyped(state, dialog, input);
    case "pager":
      return pagerTyped(state, dialog, input);
  }
}
