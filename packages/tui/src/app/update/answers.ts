/** What came of effects. */
import { composerOfParts, edit } from "../../composer/composer.ts";
import { choiceOf, item } from "../../dialogs/choice.ts";
import { historyOf } from "../../composer/history.ts";
import type { GrantRow } from "../../host.ts";
import type { AskAnswer } from "../event.ts";
import type { Effect } from "../effect.ts";
import { type Addressee, isSameAddressee, isUndisturbed, type Opening, type UiState } from "../state.ts";
import { note, openDialog, type Step, step } from "../step.ts";
import { answerRefused } from "./approvals.ts";
import { completes, pathsCame } from "./complete.ts";
import { firstRunFailed, isFirstRun } from "./first-run.ts";
import { notAttached } from "./pods.ts";
import { rewindRefused, rewound, targetsCame } from "./rewind.ts";
import { giveBack, keptUnanswered, notSent, notSentText, sent, unsentBack } from "./send.ts";

export function answered(state: UiState, attachment: number, answer: AskAnswer): Step {
  if (state.open?.attachment !== attachment) return answeredAway(state, attachment, answer);
  switch (answer.kind) {
    case "sent":
      return sent(state, answer.sending);
    case "not_sent":
      return notSent(state, answer);
    case "compacted": {
      const { tokens_before: before, tokens_after: after } = answer.result;
      return step(
        note(state, "info", `Compacted: about ${before} tokens became ${after}. /compact undo goes back.`),
      );
    }
    case "compaction_undone": {
      const { files } = answer.result;
      const stays =
        files.length === 0 ? "" : ` ${files.length} files that were written since stay as they are.`;
      return step(note(state, "info", `History is again what it was before the compaction.${stays}`));
    }
    case "rewind_targets":
      return targetsCame(state, answer.olderThan, answer.result);
    case "rewound":
      return rewound(state, answer.result);
    case "unqueued":
      return step(giveBack(state, composerOfParts(answer.parts)));
    case "paths":
      return step(pathsCame(state, answer.ticket, answer.result));
    case "done":
      return step(state);
    case "refused":
      return refused(state, answer);
  }
}

function refused(state: UiState, { ask, why }: Extract<AskAnswer, { readonly kind: "refused" }>): Step {
  switch (ask.kind) {
    case "answer_approval": {
      const told = answerRefused(state, ask.params.digest, why);
      const isShown = told.dialogs.some((one) => one.kind === "approval" && one.digest === ask.params.digest);
      return step(isShown ? told : note(told, "error", why));
    }
    case "rewind":
    case "rewind_targets":
      return rewindRefused(state, why);
    case "complete_path":
      // Nothing is suggested, and the person types on.
      return step(state);
    default:
      return step(note(state, "error", why));
  }
}

/** Of a Pod that was left: what it did not take is its draft, or comes back where it is open again. */
function answeredAway(state: UiState, attachment: number, answer: AskAnswer): Step {
  if (answer.kind !== "sent" && answer.kind !== "not_sent") return step(state);
  const place = state.away.find((one) => one.attachment === attachment);
  const found = place?.sending.find(({ n }) => n === answer.sending);
  if (place === undefined || found === undefined) return step(state);
  const away = state.away
    .map((one) =>
      one === place ? { ...one, sending: one.sending.filter((sending) => sending !== found) } : one,
    )
    .filter(({ sending }) => sending.length > 0);
  const rest = { ...state, away };
  if (answer.kind === "sent") return step(rest);
  const next = answer.isKnown ? rest : keptUnanswered(rest, place.name, found);
  const text = notSentText(place.name, answer);
  if (state.open?.name === place.name) return step(note(giveBack(next, found.composer), "error", text));
  const own = giveBack(
    { ...next, composer: next.drafts[place.name] ?? edit(found.composer, { type: "clear" }) },
    found.composer,
  );
  const drafts = { ...next.drafts, [place.name]: own.composer };
  return step(note({ ...next, drafts }, "error", `${text} It is written there again.`));
}

export function grantsCame(state: UiState, rows: readonly GrantRow[]): Step {
  if (rows.length === 0) return step(note(state, "info", "No rule was given for always."));
  if (!mayOpen(state, "grants")) return step(late(state, "The list of rules"));
  const items = rows.map(({ id, rule, workspace, expiresMs }) =>
    item(
      rule,
      { type: "revoke", id },
      `${workspace === null ? "everywhere" : `in ${workspace}`}${expiresMs === null ? "" : `, until ${new Date(expiresMs).toISOString().slice(0, 10)}`}, id ${id}`,
    ),
  );
  return step(openDialog(state, choiceOf("Rules for always: Enter revokes", items)));
}

/** What was asked for opens over nothing else. */
export function mayOpen(state: UiState, of: Opening["of"]): boolean {
  const { opening, open } = state;
  if (opening === null || opening.of !== of || opening.pod !== (open?.name ?? null)) return false;
  return isUndisturbed(state, opening.sinceMs);
}

/** It came when something else was typed or opened. */
export function late(state: UiState, what: string): UiState {
  return note({ ...state, opening: null }, "info", `${what} is there: ask for it again to look at it.`);
}

export function historyCame(state: UiState, texts: readonly string[]): UiState {
  return { ...state, history: [...historyOf(texts), ...state.history] };
}

export function editedElsewhere(state: UiState, text: string | null): Step {
  if (text === null) return step(note(state, "info", "The editor changed nothing."));
  return completes({ ...state, composer: edit(state.composer, { type: "set", text }) });
}

/** An effect came to nothing. */
export function failed(state: UiState, effect: Effect, why: string): Step {
  switch (effect.type) {
    case "attach":
      return notAttached(state, effect.attachment, why);
    case "start":
      return step(note(notComing(state, { start: effect.ticket }), "error", why));
    case "restore":
      return step(note(notComing(state, { pod: effect.name }), "error", why), { type: "list_pods" });
    case "is_first_run":
      return step(
        note({ ...state, waitingFor: null, sendsFirst: false, looksForModel: false }, "error", why),
      );
    case "list_pods":
      // The next list says more.
      return step(state.dialogs.some(({ kind }) => kind === "pods") ? note(state, "warn", why) : state);
    case "list_tree":
    case "older":
      return step(note({ ...state, dialogs: withoutWaiting(state, effect.type) }, "error", why));
    case "list_providers":
    case "test_model":
    case "keep_model":
      return step(isFirstRun(state) ? firstRunFailed(state, why) : note(state, "error", why));
    default:
      return step(note(state, "error", why));
  }
}

/** It is waited for no longer, and what was for it is written again. */
function notComing(state: UiState, to: Addressee): UiState {
  const { waitingFor } = state;
  const isOver = waitingFor !== null && isSameAddressee(waitingFor.to, to);
  return unsentBack(isOver ? { ...state, waitingFor: null } : state, to);
}

/** What is waited for does not come. */
function withoutWaiting({ dialogs }: UiState, type: "list_tree" | "older"): UiState["dialogs"] {
  if (type === "list_tree") return dialogs.filter(({ kind }) => kind !== "tree");
  return dialogs.map((dialog) =>
    dialog.kind === "pager" && dialog.source.of === "transcript"
      ? { ...dialog, source: { ...dialog.source, isAsking: false } }
      : dialog,
  );
}
