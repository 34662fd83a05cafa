/** What a person decided in a dialog, carried out. */
import { emptyComposer } from "../../composer/composer.ts";
import type { Ask } from "../effect.ts";
import type { Intent } from "../intent.ts";
import type { PageName } from "../../host.ts";
import type { Opening, UiState } from "../state.ts";
import { note, openDialog, type Step, step } from "../step.ts";
import { showFirstRun } from "./first-run.ts";
import { actionsOf, forkQuestion, openPod, rowNamed, startingText } from "./pods.ts";
import { startsNew } from "./prompt.ts";

/** The dialog that it came from is closed already. */
export function carryOut(state: UiState, intent: Intent): Step {
  switch (intent.type) {
    case "nothing":
      return step(state);
    case "open":
      return openPod(state, intent.name);
    case "restore": {
      const { name, resume, opens, readOnly } = intent;
      const waiting = opens ? { ...state, dialogs: [], waitingFor: waitsFor(state, name) } : state;
      return step(note(waiting, "info", startingText(name)), {
        type: "restore",
        name,
        how: readOnly === undefined ? { resume } : { readOnly },
        opens,
      });
    }
    case "change":
      return changePod(state, intent.how);
    case "new_pod":
      return startsNew({ ...state, dialogs: [] }, null, intent.choices);
    case "stop":
      return step(note(state, "info", `Stopping ${intent.name} ...`), { type: "stop", name: intent.name });
    case "fork": {
      const { name } = intent;
      const isStopped = rowNamed(state, name)?.standing === "stopped";
      const next = intent.next ?? (isStopped ? "opens" : null);
      if (next === null) return step(openDialog(state, forkQuestion(name)));
      return step(note({ ...state, dialogs: [] }, "info", `Forking ${name} ...`), {
        type: "fork",
        name,
        next,
      });
    }
    case "pause":
    case "resume":
    case "cancel":
      return onPod(state, intent.name, intent.type);
    case "ask_message":
      return step(
        openDialog(state, {
          kind: "field",
          title: `A message to ${intent.name}`,
          field: emptyComposer,
          for: "message",
          pod: intent.name,
        }),
      );
    case "ask_title":
      return step(
        openDialog(state, {
          kind: "field",
          title: `The title of ${intent.name} (empty: none)`,
          field: emptyComposer,
          for: "title",
          pod: intent.name,
        }),
      );
    case "actions": {
      const row = rowNamed(state, intent.name);
      return row === null
        ? step(note(state, "warn", `${intent.name} is not there any more.`))
        : step(openDialog(state, actionsOf(row)));
    }
    case "revoke":
      return step(state, { type: "revoke", id: intent.id });
    case "unqueue":
      return askOpen(state, { kind: "unqueue", id: intent.id });
    case "page":
      return asksForPage(state, intent.page);
    case "setup":
      return showFirstRun(state, "Choose who has the model.");
    case "leave":
      return step({ ...state, end: { kind: "left", pod: state.open?.name ?? null } });
  }
}

function waitsFor({ now }: UiState, name: string): UiState["waitingFor"] {
  return { text: `starting ${name} ...`, to: { pod: name }, sinceMs: now };
}

/** About the open Pod. */
export function asksForPage(state: UiState, page: PageName): Step {
  const pod = state.open?.name ?? null;
  return step(openingOf(state, "page"), { type: "page", page, pod });
}

/** It opens when it is there. */
export function openingOf(state: UiState, of: Opening["of"]): UiState {
  return { ...state, opening: { of, pod: state.open?.name ?? null, sinceMs: state.now } };
}

/** Asks the open Pod; a sentence where none is open. */
export function askOpen(state: UiState, ask: Ask): Step {
  const { open } = state;
  if (open === null)
    return step(
      note(state, "warn", "No Pod is open: what you send starts one, and /pods shows those that there are."),
    );
  if (!open.isAttached || open.session.link === "ended")
    return step(note(state, "warn", `${open.name} cannot be reached now.`), { type: "list_pods" });
  return step(state, { type: "ask", attachment: open.attachment, ask });
}

function onPod(state: UiState, name: string, ask: "pause" | "resume" | "cancel"): Step {
  return state.open?.name === name
    ? askOpen(state, { kind: ask })
    : step(state, { type: "ask_other", name, ask });
}

/** The open Pod started again with something else; the first of a Pod that is not begun. */
export function changePod(state: UiState, how: UiState["choices"]): Step {
  const { open } = state;
  if (open === null)
    return step(
      note({ ...state, choices: { ...state.choices, ...how } }, "info", "The next Pod starts with that."),
    );
  if (open.session.state === "running")
    return step(
      note(
        state,
        "warn",
        "A run goes on, and the Pod is started again for that: stop the run first, with Esc.",
      ),
    );
  return step(note({ ...state, waitingFor: waitsFor(state, open.name) }, "info", startingText(open.name)), {
    type: "restore",
    name: open.name,
    how,
    opens: true,
  });
}
