/** Enter: what is written becomes an input, a command for the shell, a note, or a command of the terminal. */
import { edit, textOf } from "../../composer/composer.ts";
import { submissionOf } from "../../composer/submission.ts";
import { commandBytesMax } from "@yoi/protocol";
import { utf8Length } from "@yoi/base";
import { isGone, skillsOf, type UiState } from "../state.ts";
import { note, type Step, step, followed } from "../step.ts";
import { nextOfEnter } from "../next-of-enter.ts";
import { carryOutCommand, whyNotNow } from "./commands.ts";
import { askOpen } from "./intents.ts";
import { goneFirst, sendPrompt } from "./prompt.ts";
import { kept, send } from "./send.ts";
import { showApprovals } from "./approvals.ts";

/** Skills were looked for: a line that may name one that came since is read again, if it is as it was. */
export function readsAgain(state: UiState): Step {
  const { readAgain, composer } = state;
  if (readAgain === null) return step(state);
  const now = { ...state, readAgain: null };
  return readAgain.composer === composer ? submits(now, readAgain.when, true) : step(now);
}

/**
 * @param when of an input while a run goes on.
 * @param isReadAgain skills were looked for because of it.
 */
export function submits(state: UiState, when: "boundary" | "run_end", isReadAgain = false): Step {
  const { composer } = state;
  const submission = submissionOf(
    composer,
    skillsOf(state).map(({ name }) => name),
  );
  switch (submission.kind) {
    case "nothing":
      return enterOnNothing(state);
    case "unknown":
    case "wrong":
      // Which skills there are is known when it is known whether a model can be asked.
      if (state.open === null && state.looksForModel) return step({ ...state, sendsFirst: true });
      if (submission.kind === "unknown" && !isReadAgain)
        return step({ ...state, readAgain: { composer, when } }, { type: "list_skills" });
      return step(note(state, "warn", submission.sentence));
    case "prompt":
      return sendPrompt(cleared(state), submission.composer, when);
    case "shell":
      if (utf8Length(submission.command) > commandBytesMax)
        return step(
          note(state, "warn", `A command has at most ${commandBytesMax} bytes: put it into a file.`),
        );
      return toOpen(state, (now) => send(now, { as: "run_command", command: submission.command }, composer));
    case "note":
      return toOpen(state, (now) => send(now, { as: "notify", message: submission.message }, composer));
    case "command": {
      const why = whyNotNow(state, textOf(composer));
      if (why !== null) return step(note(state, "warn", why));
      const next = kept(cleared(state), composer);
      return followed(step(next, { type: "add_history", text: textOf(composer) }), (now) =>
        carryOutCommand(now, submission.command),
      );
    }
  }
}

function cleared(state: UiState): UiState {
  return { ...state, composer: edit(state.composer, { type: "clear" }), completion: null };
}

/** What needs a Pod stays in the composer where none is open. */
function toOpen(state: UiState, act: (state: UiState) => Step): Step {
  if (state.open === null)
    return step(
      note(state, "warn", "No Pod is open: a prompt starts one, and /pods shows those that there are."),
    );
  if (isGone(state)) return goneFirst(state);
  return act(cleared(state));
}

/** Enter with nothing written: what is most likely meant. */
function enterOnNothing(state: UiState): Step {
  switch (nextOfEnter(state)) {
    case "nothing":
      return step(state);
    case "restores":
      return goneFirst(state);
    case "shows_calls":
      return step(showApprovals(state));
    case "resumes":
    case "gives_queue":
      return askOpen(state, { kind: "resume" });
  }
}
