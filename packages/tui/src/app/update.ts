/** update: what one event makes of the state, and what is to be done for it. Pure: the same state and event, the same step. A table of contents of `update/`. */
import type { UiEvent } from "./event.ts";
import type { AfterFork } from "./intent.ts";
import type { UiState } from "./state.ts";
import { followed, note, openDialog, type Step, step } from "./step.ts";
import {
  answered,
  editedElsewhere,
  failed,
  grantsCame,
  historyCame,
  late,
  mayOpen,
} from "./update/answers.ts";
import { skillsCame } from "./update/complete.ts";
import { guardPassed, settleApprovals } from "./update/approvals.ts";
import { modelKept, modelTested, providersCame } from "./update/first-run.ts";
import { modelChoice } from "./update/modes.ts";
import { olderCame, showPager } from "./update/pager.ts";
import { listed, restored, started } from "./update/pods.ts";
import { inputCame } from "./update/input.ts";
import { firstRunAnswered } from "./update/begin.ts";
import { attached, streamed } from "./update/stream.ts";
import { sendWaiting } from "./update/send.ts";
import { carryOut } from "./update/intents.ts";
import { readsAgain } from "./update/submit.ts";

export function update(before: UiState, event: UiEvent): Step {
  if (before.end !== null) return step(before);
  const notices = before.notices.some(({ untilMs }) => untilMs <= event.now)
    ? before.notices.filter(({ untilMs }) => untilMs > event.now)
    : before.notices;
  const { state, effects } = changed({ ...before, now: event.now, notices }, event);
  return { state: settleApprovals(state), effects };
}

function changed(state: UiState, event: UiEvent): Step {
  switch (event.type) {
    case "session":
      return streamed(state, event.attachment, event.event);
    case "input":
      return inputCame(state, event.input);
    case "focus":
      return step({ ...state, isFocused: event.isFocused });
    case "resize":
      return step({ ...state, size: event.size });
    case "tick":
      return step(guardPassed(state));
    case "attached":
      return followed(attached(state, event.attachment), sendWaiting);
    case "answered":
      return answered(state, event.attachment, event.answer);
    case "started":
      return started(state, event);
    case "restored":
      return restored(state, event);
    case "stopped":
      return step(note(state, "info", `${event.name} is stopped: it can be restored.`), {
        type: "list_pods",
      });
    case "forked":
      return forked(state, event);
    case "exported":
      return step(note(state, "info", `${event.name} is in ${event.path}.`));
    case "told_other":
      return step(note(state, "info", event.what), { type: "list_pods" });
    case "pods":
      return listed(state, event.rows);
    case "tree":
      return step({
        ...state,
        dialogs: state.dialogs.map((one) => (one.kind === "tree" ? { ...one, rows: event.rows } : one)),
      });
    case "grants":
      return grantsCame(state, event.rows);
    case "revoked":
      return step(
        note(
          state,
          "info",
          event.wasThere
            ? `The rule ${event.id} counts no more.`
            : `There is no rule ${event.id}: /grants shows those that there are.`,
        ),
      );
    case "older":
      return olderCame(state, event.name, event.entries);
    case "page":
      return step(
        mayOpen(state, "page")
          ? showPager({ ...state, opening: null }, event.page.title, { of: "text", text: event.page.text })
          : late(state, `The page ${event.page.title}`),
      );
    case "history":
      return step(historyCame(state, event.texts));
    case "first_run":
      return firstRunAnswered({ ...state, skills: event.skills }, event.why);
    case "skills":
      return readsAgain(skillsCame(state, event.skills));
    case "providers":
      if (event.for === "first_run") return step(providersCame(state, event.providers));
      return step(
        mayOpen(state, "providers")
          ? openDialog({ ...state, opening: null }, modelChoice(state, event.providers))
          : late(state, "The list of models"),
      );
    case "model_tested":
      return step(modelTested(state, event.model, event.said));
    case "model_kept":
      return step(modelKept(state, event.model, event.file));
    case "edited":
      return editedElsewhere(state, event.text);
    case "failed":
      return failed(state, event.effect, event.why);
  }
}

function forked(
  state: UiState,
  { from, name, next }: { readonly from: string; readonly name: string; readonly next: AfterFork },
): Step {
  const goesOn = next === "opens_instead" || next === "opens" ? "is stopped" : "goes on";
  const said = note(state, "info", `${name} knows what ${from} knows; ${from} ${goesOn}.`);
  if (next === "stays" || state.dialogs.length > 0) return step(said, { type: "list_pods" });
  const restore = { type: "restore", name, resume: false, opens: true } as const;
  return carryOut(said, next === "opens_read_only" ? { ...restore, readOnly: true } : restore);
}
