/** A prompt on its way: to the open Pod, or to a new one where none is open. */
import { type Composer, textOf } from "../../composer/composer.ts";
import { isGone, openRow, type UiState } from "../state.ts";
import { openDialog, type Step, step } from "../step.ts";
import { restoreQuestion } from "./pods.ts";
import { inputFor, kept, send } from "./send.ts";

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
  // It is sent when that is known.
  if (state.looksForModel) return step({ ...state, composer, sendsFirst: true });
  const started = state.waitingFor === null ? startsNew(state, state.newName, state.choices) : step(state);
  const to = started.state.waitingFor?.to;
  if (to === undefined) return started;
  const unsent = [...state.unsent, { to, composer }];
  const remember = { type: "add_history", text: textOf(composer) } as const;
  return step(kept({ ...started.state, unsent }, composer), remember, ...started.effects);
}

/** @param name null: one is drawn. */
export function startsNew(state: UiState, name: string | null, choices: UiState["choices"]): Step {
  const ticket = state.counter + 1;
  const waitingFor = { text: "starting a new Pod ...", to: { start: ticket }, sinceMs: state.now };
  return step({ ...state, counter: ticket, waitingFor }, { type: "start", ticket, name, choices });
}

/** Nothing can be sent to a Pod without a process. What is written stays. */
export function goneFirst(state: UiState): Step {
  const { open } = state;
  if (open === null) return step(state);
  return step(openDialog(state, restoreQuestion(openRow(state) ?? { name: open.name, detail: "" })));
}
