/** Calls that wait for the user: the dialog that shows one after the other, and the answers. Nothing is allowed that was not looked at. */
import { type AnswerApprovalParams, approvalReasonCharsMax, type PendingApproval } from "@yoi/protocol";
import { emptyComposer, isBlank, textOf } from "../../composer/composer.ts";
import { approvalRoom, type ApprovalChoice, choicesOf } from "../../dialogs/approval.ts";
import { type ApprovalDialog, grantTimes } from "../../dialogs/dialog.ts";
import { moved } from "../../dialogs/list.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { callRows } from "../../view/dialog/approval.ts";
import type { UiState } from "../state.ts";
import { changeDialog, changeOpen, closeDialog, openDialog, type Step, step, topDialog } from "../step.ts";
import { typedInField } from "./fields.ts";

/** For so long after a call appeared a key is taken as meant for what was there before. */
export const guardMs = 700;

/** Closes the dialog of a call that waits no longer, and opens one for the first that does, where nothing else is looked at. */
export function settleApprovals(state: UiState): UiState {
  const pending = state.open?.session.approvals ?? [];
  const left = state.dialogs.filter(
    (dialog) => dialog.kind !== "approval" || pending.some(({ digest }) => digest === dialog.digest),
  );
  const settled = left.length === state.dialogs.length ? state : { ...state, dialogs: left };
  if (settled.dialogs.length > 0 || settled.open === null || settled.search !== null) return settled;
  const { aside } = settled.open;
  const next = pending.find(({ digest }) => !aside.includes(digest));
  return next === undefined ? settled : openDialog(settled, dialogOf(next.digest, settled.now));
}

function dialogOf(digest: string, now: number): ApprovalDialog {
  return {
    kind: "approval",
    digest,
    sinceMs: now,
    stage: "choose",
    selected: 0,
    rule: "",
    isEverywhere: false,
    time: 0,
    scroll: 0,
    reason: emptyComposer,
    hint: null,
    isSent: false,
  };
}

/** Looks at those again that were put aside. */
export function showApprovals(state: UiState): UiState {
  return settleApprovals(changeOpen(state, { aside: [] }));
}

/** True: what is typed is meant for the composer still. A pause in it ends that. */
export function isGuarded(state: UiState): boolean {
  const dialog = topDialog(state);
  if (dialog?.kind !== "approval") return false;
  return state.now - Math.max(dialog.sinceMs, isBlank(state.composer) ? 0 : state.typedMs) < guardMs;
}

const look = "Look at it first: what is pressed right after it appears does not answer.";

/** A key while the dialog has just appeared and nothing is being written. */
export function tooEarly(state: UiState, dialog: ApprovalDialog): Step {
  return step(changeDialog(state, { ...dialog, hint: look }));
}

/** Time passed: what is pressed now does answer. */
export function guardPassed(state: UiState): UiState {
  const dialog = topDialog(state);
  if (dialog?.kind !== "approval" || dialog.hint !== look || isGuarded(state)) return state;
  return changeDialog(state, { ...dialog, hint: null });
}

export function approvalTyped(state: UiState, dialog: ApprovalDialog, input: InputEvent): Step {
  const approval = state.open?.session.approvals.find(({ digest }) => digest === dialog.digest);
  if (approval === undefined || dialog.isSent) return step(state);
  switch (dialog.stage) {
    case "choose":
      return input.type === "key" ? chooses(state, { dialog, approval, key: input }) : step(state);
    case "reason":
      return writesReason(state, dialog, input);
    case "always":
      return input.type === "key" ? setsRule(state, { dialog, approval, key: input }) : step(state);
  }
}

interface Pressed {
  readonly dialog: ApprovalDialog;
  readonly approval: PendingApproval;
  readonly key: Extract<InputEvent, { readonly type: "key" }>;
}

function chooses(state: UiState, { dialog, approval, key }: Pressed): Step {
  const choices = choicesOf(approval);
  const change = (to: Partial<ApprovalDialog>) => step(changeDialog(state, { ...dialog, hint: null, ...to }));
  const pick = (choice: ApprovalChoice | undefined) =>
    choice === undefined ? step(state) : picks(state, { dialog, approval, choice });
  if (/^[1-9]$/.test(key.key)) return pick(choices[Number(key.key) - 1]);
  const room = approvalRoom(state.size.rows, choices.length).call;
  const last = Math.max(0, callRows(approval, state.size.columns).length - room);
  switch (actionOf(state.keys, "choice", key)) {
    case "choice_previous":
      return change({
        selected: moved({ filter: "", selected: dialog.selected }, choices.length, -1).selected,
      });
    case "choice_next":
      return change({
        selected: moved({ filter: "", selected: dialog.selected }, choices.length, 1).selected,
      });
    case "choice_page_up":
      return change({ scroll: Math.max(0, dialog.scroll - room) });
    case "choice_page_down":
      return change({ scroll: Math.min(last, dialog.scroll + room) });
    case "choice_take":
      return pick(choices[dialog.selected]);
    case "allow_once":
      return pick(choices[0]);
    case "allow_session":
      return pick(choices.find(({ kind }) => kind === "session"));
    case "allow_always":
      return pick(choices.find(({ kind }) => kind === "always"));
    case "deny":
      return pick(choices.at(-1));
    case "choice_close":
      return step(putAside(state, dialog));
    default:
      return step(state);
  }
}

/** It waits on, and is shown again when that is asked for. */
function putAside(state: UiState, dialog: ApprovalDialog): UiState {
  const aside = state.open?.aside ?? [];
  return closeDialog(changeOpen(state, { aside: [...aside, dialog.digest] }));
}

function picks(
  state: UiState,
  { dialog, approval, choice }: { dialog: ApprovalDialog; approval: PendingApproval; choice: ApprovalChoice },
): Step {
  if (choice.kind === "deny") return step(changeDialog(state, { ...dialog, stage: "reason", hint: null }));
  const room = approvalRoom(state.size.rows, choicesOf(approval).length).call;
  const rows = callRows(approval, state.size.columns).length;
  if (dialog.scroll + room < rows)
    return step(
      changeDialog(state, {
        ...dialog,
        hint: `Look at all of it before it is allowed: ${rows - dialog.scroll - room} more rows with PgDn.`,
      }),
    );
  const { digest } = dialog;
  switch (choice.kind) {
    case "once":
      return answers(state, dialog, { digest, answer: "allow" });
    case "session":
      return answers(state, dialog, { digest, answer: "allow", keep: { for: "session", rule: choice.rule } });
    case "always":
      return step(
        changeDialog(state, { ...dialog, stage: "always", rule: choice.rule, selected: 0, hint: null }),
      );
  }
}

function writesReason(state: UiState, dialog: ApprovalDialog, input: InputEvent): Step {
  const typed = typedInField(state, dialog.reason, input);
  switch (typed.kind) {
    case "changed":
      return step(changeDialog(state, { ...dialog, reason: typed.field, hint: null }));
    case "closed":
      return step(changeDialog(state, { ...dialog, stage: "choose", hint: null }));
    case "taken": {
      const reason = textOf(dialog.reason).trim();
      const { digest } = dialog;
      if (reason.length > approvalReasonCharsMax)
        return step(
          changeDialog(state, {
            ...dialog,
            hint: `A reason has at most ${approvalReasonCharsMax} characters, and this one ${reason.length}: make it shorter.`,
          }),
        );
      return answers(state, dialog, { digest, answer: "deny", ...(reason === "" ? {} : { reason }) });
    }
    case "nothing":
      return step(state);
  }
}

/** Of the stage `always`: the rule, where it counts, how long. */
const alwaysRows = 3;

function setsRule(state: UiState, { dialog, key }: Pressed): Step {
  const change = (to: Partial<ApprovalDialog>) => step(changeDialog(state, { ...dialog, hint: null, ...to }));
  const turn = (by: 1 | -1) => {
    if (dialog.selected === 1) return change({ isEverywhere: !dialog.isEverywhere });
    if (dialog.selected !== 2) return step(state);
    return change({ time: (dialog.time + by + grantTimes.length) % grantTimes.length });
  };
  if (key.key === "left") return turn(-1);
  if (key.key === "right" || key.key === "space" || key.key === " ") return turn(1);
  switch (actionOf(state.keys, "choice", key)) {
    case "choice_previous":
      return change({ selected: moved({ filter: "", selected: dialog.selected }, alwaysRows, -1).selected });
    case "choice_next":
      return change({ selected: moved({ filter: "", selected: dialog.selected }, alwaysRows, 1).selected });
    case "choice_close":
      return change({ stage: "choose", selected: 0 });
    case "choice_take":
      return allowsAlways(state, dialog);
    default:
      return step(state);
  }
}

function allowsAlways(state: UiState, dialog: ApprovalDialog): Step {
  const ms = grantTimes[dialog.time]?.ms ?? null;
  return answers(state, dialog, {
    digest: dialog.digest,
    answer: "allow",
    keep: {
      for: "always",
      rule: dialog.rule,
      ...(ms === null ? {} : { expires: state.now + ms }),
      ...(dialog.isEverywhere ? { everywhere: true } : {}),
    },
  });
}

function answers(state: UiState, dialog: ApprovalDialog, params: AnswerApprovalParams): Step {
  const { open } = state;
  if (open === null) return step(state);
  const shown = changeDialog(state, { ...dialog, isSent: true, hint: null });
  return step(changeOpen(shown, { answered: [...open.answered, dialog.digest] }), {
    type: "ask",
    attachment: open.attachment,
    ask: { kind: "answer_approval", params },
  });
}

/** The Pod did not take the answer: it can be given again. */
export function answerRefused(state: UiState, digest: string, why: string): UiState {
  const dialogs = state.dialogs.map((dialog) =>
    dialog.kind === "approval" && dialog.digest === digest ? { ...dialog, isSent: false, hint: why } : dialog,
  );
  const answered = (state.open?.answered ?? []).filter((one) => one !== digest);
  return changeOpen({ ...state, dialogs }, { answered });
}
