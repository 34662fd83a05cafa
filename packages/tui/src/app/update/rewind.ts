/** Going back: the places of the Pod's past, the one that is chosen, and what it comes to. */
import type { ListRewindTargetsResult, RewindResult } from "@yoi/protocol";
import { composerOfParts, isBlank } from "../../composer/composer.ts";
import type { RewindDialog } from "../../dialogs/dialog.ts";
import { chosenAt, moved, typedInto } from "../../dialogs/list.ts";
import { newRewind, placeText, rewindTargets } from "../../dialogs/rewind.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { UiState } from "../state.ts";
import { changeDialog, closeDialog, note, openDialog, type Step, step } from "../step.ts";
import { askOpen } from "./intents.ts";
import { listMoved } from "./list-keys.ts";

/** @param isUndo the place before the last input is chosen when the list comes. */
export function showRewind(state: UiState, isUndo: boolean): Step {
  const asked = askOpen(state, { kind: "rewind_targets", olderThan: null });
  if (asked.effects.every(({ type }) => type !== "ask")) return asked;
  return { state: openDialog(asked.state, { ...newRewind, isUndo }), effects: asked.effects };
}

/** The list came, or more of it. */
export function targetsCame(state: UiState, olderThan: string | null, result: ListRewindTargetsResult): Step {
  const dialogs = state.dialogs.map((dialog) =>
    dialog.kind === "rewind" ? withTargets(dialog, olderThan, result) : dialog,
  );
  const top = dialogs.at(-1);
  if (top?.kind === "rewind" && top.isUndo && top.chosen === null)
    return step(note({ ...state, dialogs: dialogs.slice(0, -1) }, "info", "There is no input to take back."));
  return step({ ...state, dialogs });
}

function withTargets(
  dialog: RewindDialog,
  olderThan: string | null,
  { head, targets, more }: ListRewindTargetsResult,
): RewindDialog {
  const all = olderThan === null ? targets : [...dialog.targets, ...targets];
  const last = all.find(
    ({ kind, side, effects }) => kind === "input" && side === "before" && effects !== null,
  );
  const chosen = dialog.isUndo && olderThan === null ? (last ?? null) : dialog.chosen;
  return { ...dialog, head: dialog.head ?? head, targets: all, hasMore: more, isAsking: false, chosen };
}

export function rewindTyped(state: UiState, dialog: RewindDialog, input: InputEvent): Step {
  if (dialog.chosen !== null) return confirms(state, dialog, input);
  const change = (to: Partial<RewindDialog>) => changeDialog(state, { ...dialog, ...to });
  if (input.type === "paste") return step(change({ list: typedInto(dialog.list, input.text) }));
  const action = actionOf(state.keys, "list", input);
  const targets = rewindTargets(dialog);
  switch (action) {
    case "list_close":
    case "cancel":
      return step(closeDialog(state));
    case "list_choose": {
      const chosen = targets[chosenAt(dialog.list, targets.length)];
      return chosen === undefined ? step(state) : step(change({ chosen }));
    }
    case "list_actions":
      return step(change({ withFiles: !dialog.withFiles }));
    case "list_down":
      if (chosenAt(dialog.list, targets.length) === targets.length - 1 && dialog.hasMore)
        return asksMore(state, dialog);
      return step(change({ list: moved(dialog.list, targets.length, 1) }));
    default: {
      const list = listMoved(state, dialog.list, targets.length, input);
      return step(list === null ? state : change({ list }));
    }
  }
}

function asksMore(state: UiState, dialog: RewindDialog): Step {
  const oldest = dialog.targets.at(-1);
  if (dialog.isAsking || oldest === undefined) return step(state);
  return askOpen(changeDialog(state, { ...dialog, isAsking: true }), {
    kind: "rewind_targets",
    olderThan: oldest.id,
  });
}

function confirms(state: UiState, dialog: RewindDialog, input: InputEvent): Step {
  const { chosen, head } = dialog;
  if (input.type === "paste" || chosen === null || dialog.isAsking) return step(state);
  switch (actionOf(state.keys, "choice", input)) {
    case "choice_next":
    case "choice_previous":
      return step(changeDialog(state, { ...dialog, withFiles: !dialog.withFiles }));
    case "choice_close":
    case "cancel":
      return step(dialog.isUndo ? closeDialog(state) : changeDialog(state, { ...dialog, chosen: null }));
    case "choice_take":
      return askOpen(changeDialog(state, { ...dialog, isAsking: true }), {
        kind: "rewind",
        params: {
          id: chosen.id,
          side: chosen.side,
          ...(head === null ? {} : { expected_head: head }),
          ...(dialog.withFiles ? { files: true } : {}),
        },
      });
    default:
      return step(state);
  }
}

/** It refused: the place can be chosen again, of a list that is asked for anew. */
export function rewindRefused(state: UiState, why: string): Step {
  const dialogs = state.dialogs.filter(({ kind }) => kind !== "rewind");
  return step(note({ ...state, dialogs }, "error", why));
}

/** History goes on from there. What was sent there can be written otherwise. */
export function rewound(state: UiState, result: RewindResult): Step {
  const dialogs = state.dialogs.filter(({ kind }) => kind !== "rewind");
  const asked = state.dialogs.find((dialog) => dialog.kind === "rewind");
  const place = asked === undefined || asked.chosen === null ? "an earlier place" : placeText(asked.chosen);
  const said = note({ ...state, dialogs }, "info", sentenceOf(place, result));
  if (result.input === null) return step(said);
  if (!isBlank(said.composer))
    return step(note(said, "info", "What you sent there is in the history: your draft stays."));
  return step({ ...said, composer: composerOfParts(result.input) });
}

function sentenceOf(place: string, { files, touched, effects }: RewindResult): string {
  const back = files.filter(({ outcome }) => outcome === "restored" || outcome === "removed").length;
  const not = files.filter(
    ({ outcome }) => outcome === "failed" || outcome === "changed_since" || outcome === "not_kept",
  ).length;
  const done = [
    ...(back === 0 ? [] : [`${back} ${back === 1 ? "file is" : "files are"} back`]),
    ...(not === 0 ? [] : [`${not} could not be put back`]),
    ...(touched.length === 0 ? [] : [`${touched.length} touched since stay as they are`]),
    ...(effects === 0 ? [] : [`what ${effects === 1 ? "1 call" : `${effects} calls`} did stands`]),
  ];
  return `The session went back to ${place}${done.length === 0 ? "" : `: ${done.join(", ")}`}. /rewind leads back to what was left.`;
}
