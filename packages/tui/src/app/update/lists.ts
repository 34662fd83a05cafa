/** Lists and questions: what is chosen in them. */
import { choiceItems } from "../../dialogs/choice.ts";
import type { ChoiceDialog, FieldDialog, PodsDialog, TreeDialog } from "../../dialogs/dialog.ts";
import { chosenAt, type ListState, moved, typedInto } from "../../dialogs/list.ts";
import { chosenRows } from "../../dialogs/pods.ts";
import { treeRows } from "../../dialogs/tree.ts";
import type { PodRow } from "../../host.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import { textOf } from "../../composer/composer.ts";
import type { UiState } from "../state.ts";
import { changeDialog, closeDialog, note, openDialog, type Step, step, followed } from "../step.ts";
import { typedInField } from "./fields.ts";
import { listMoved } from "./list-keys.ts";
import { askOpen, carryOut } from "./intents.ts";
import { actionsOf, chooseOpen } from "./pods.ts";

export function choiceTyped(state: UiState, dialog: ChoiceDialog, input: InputEvent): Step {
  const items = choiceItems(dialog);
  const change = (list: ListState) => step(changeDialog(state, { ...dialog, list }));
  const take = (at: number) => {
    const chosen = items[at];
    return chosen === undefined ? step(state) : carryOut(closeDialog(state), chosen.intent);
  };
  if (input.type === "paste")
    return dialog.isFiltered ? change(typedInto(dialog.list, input.text)) : step(state);
  if (dialog.isFiltered) {
    const action = actionOf(state.keys, "list", input);
    if (action === "list_close" || action === "cancel") return step(closeDialog(state));
    if (action === "list_choose") return take(chosenAt(dialog.list, items.length));
    const list = listMoved(state, dialog.list, items.length, input);
    return list === null ? step(state) : change(list);
  }
  if (/^[1-9]$/.test(input.key)) return take(Number(input.key) - 1);
  switch (actionOf(state.keys, "choice", input)) {
    case "choice_previous":
      return change(moved(dialog.list, items.length, -1));
    case "choice_next":
      return change(moved(dialog.list, items.length, 1));
    case "choice_take":
      return take(chosenAt(dialog.list, items.length));
    case "choice_close":
    case "cancel":
      return step(closeDialog(state));
    default:
      return step(state);
  }
}

/** The list of Pods, and the tree: both open a Pod, or show what else can be done with it. */
export function podsTyped(state: UiState, dialog: PodsDialog | TreeDialog, input: InputEvent): Step {
  const rows: readonly PodRow[] =
    dialog.kind === "pods"
      ? chosenRows(state.pods ?? [], dialog.list.filter)
      : treeRows(dialog).map(({ pod }) => pod);
  const change = (list: ListState) => step(changeDialog(state, { ...dialog, list }));
  if (input.type === "paste") return change(typedInto(dialog.list, input.text.trim()));
  const chosen = rows[chosenAt(dialog.list, rows.length)];
  switch (actionOf(state.keys, "list", input)) {
    case "list_close":
    case "cancel":
      return step(closeDialog(state));
    case "list_choose":
      return chosen === undefined ? step(state) : chooseOpen(state, chosen);
    case "list_actions":
      return chosen === undefined ? step(state) : step(openDialog(state, actionsOf(chosen)));
    default: {
      const list = listMoved(state, dialog.list, rows.length, input);
      return list === null ? step(state) : change(list);
    }
  }
}

export function fieldTyped(state: UiState, dialog: FieldDialog, input: InputEvent): Step {
  const typed = typedInField(state, dialog.field, input);
  switch (typed.kind) {
    case "changed":
      return step(changeDialog(state, { ...dialog, field: typed.field }));
    case "closed":
      return step(closeDialog(state));
    case "taken":
      return fieldTaken(closeDialog(state), dialog);
    case "nothing":
      return step(state);
  }
}

function fieldTaken(state: UiState, { for: what, field, pod }: FieldDialog): Step {
  const text = textOf(field).trim();
  if (what === "title") {
    const title = text === "" ? null : text;
    return state.open?.name === pod
      ? askOpen(state, { kind: "set_title", title })
      : step(state, { type: "title_other", name: pod, title });
  }
  if (text === "") return step(note(state, "info", "Nothing was written: nothing was sent."));
  return followed(
    step(note(state, "info", `Sending it to ${pod} ...`), { type: "send_other", name: pod, text }),
    (now) => step(now),
  );
}
