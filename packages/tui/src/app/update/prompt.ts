/** A prompt on its way: to the open Pod, or to a new one where none is open. */
import { type Composer, textOf } from "../../composer/composer.ts";
import { openRow, type UiState } from "../state.ts";
import { openDialog, type Step, step } from "../step.ts";
import { restoreQuestion } from "./pods.ts";
import { inputFor, isGone, kept, send } from "./send.ts";

/** The composer is empty already. */
export function sendPrompt(
  state: UiState,
  composer: Composer,
  when: "boundary" | "run_end" = "boundary",
): Step {
  const { open } = state;
  if (open === null) return startWith(state, composer);
  if (isGone(state)) return goneFirst({ ...state, composer });
  return send(state, inputFor(composer, open.session.state, when), composer);
}

function startWith(state: UiState, composer: Composer): Step {
  const waiting = kept({ ...state, unsent: [...state.unsent, composer] }, composer);
  const remember = { type: "add_history", text: textOf(composer) } as const;
  if (state.waitingFor !== null) return step(waiting, remember);
  return step({ ...waiting, waitingFor: "starting a new Pod ..." }, remember, {
    type: "start",
    name: state.newName,
    choices: state.choices,
  });
}

/** Nothing can be sent to a Pod without a process. What is written stays. */
export function goneFirst(state: UiState): Step {
  const { open } = state;
  if (open === null) return step(state);
  return step(openDialog(state, restoreQuestion(openRow(state) ?? { name: open.name, detail: "" })));
}
