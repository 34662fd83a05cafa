/** How the terminal begins: with a Pod, with the list of them, or with a prompt for a new one. */
import { composerOf, isBlank } from "../../composer/composer.ts";
import type { UiOpen } from "../open.ts";
import type { UiState } from "../state.ts";
import { type Step, step, followed } from "../step.ts";
import { showFirstRun } from "./first-run.ts";
import { openPod, showPods } from "./pods.ts";
import { submits } from "./submit.ts";

export function begin(state: UiState, open: UiOpen): Step {
  const first = step(state, { type: "load_history" }, { type: "list_pods" });
  switch (open.kind) {
    case "pod":
      return followed(first, (now) => beginWith({ ...now }, open));
    case "picker":
      return followed(
        followed(first, (now) => step(now, { type: "list_skills" })),
        showPods,
      );
    case "new":
      return followed(first, (now) =>
        step(
          {
            ...now,
            newName: open.name,
            choices: open.choices,
            looksForModel: true,
            composer: open.prompt === null ? now.composer : composerOf(open.prompt),
            sendsFirst: open.prompt !== null,
          },
          { type: "is_first_run" },
        ),
      );
  }
}

function beginWith(state: UiState, open: Extract<UiOpen, { readonly kind: "pod" }>): Step {
  const to = { pod: open.name };
  const unsent = open.prompt === null ? [] : [{ to, composer: composerOf(open.prompt) }];
  if (!open.restores) return followed(openPod(state, open.name), (now) => step({ ...now, unsent }));
  return step(
    { ...state, unsent, waitingFor: { text: `starting ${open.name} ...`, to, sinceMs: state.now } },
    { type: "restore", name: open.name, how: { resume: false }, opens: true },
  );
}

/** Whether a model can be asked: the wizard, or the prompt that was given is sent. */
export function firstRunAnswered(state: UiState, why: string | null): Step {
  const known = { ...state, waitingFor: null, sendsFirst: false, looksForModel: false };
  if (why !== null) return showFirstRun(known, why);
  return state.sendsFirst && !isBlank(state.composer) ? submits(known, "boundary", true) : step(known);
}
