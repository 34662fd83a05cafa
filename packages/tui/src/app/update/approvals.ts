/** Calls that wait for the user: the dialog that shows one after the other, and the answers. Nothing is allowed that was not looked at. */
import { type AnswerApprovalParams, approvalReasonCharsMax, type PendingApproval } from "@yoi/protocol";
import { emptyComposer, isBlank, textOf } from "../../composer/composer.ts";
import { type ApprovalChoice, choicesOf } from "../../dialogs/approval.ts";
import { approvalRoom, ruleRows, rowsBelow } from "../../dialogs/approval-rows.ts";
import { type ApprovalDialog, grantTimes } from "../../dialogs/dialog.ts";
import { moved } from "../../dialogs/list.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { InputEvent, KeyEvent } from "../../keys/key-event.ts";
import { isGone, type UiState } from "../state.ts";
import { changeDialog, changeOpen, closeDialog, openDialog, type Step, step, topDialog } from "../step.ts";
import { typedInField } from "./fields.ts";
import { nextNeedy, showPods, showTree } from "./pods.ts";
import { goneFirst } from "./prompt.ts";

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
    keepsFor: "session",
    rule: "",
    isEverywhere: false,
    time: 0,
    scroll: 0,
    reason: emptyComposer,
    hint: null,
    isStray: false,
    isSent: false,
  };
}

/** Looks at those again that were put aside. */
export function showApprovals(state: UiState): UiState {
  return settleApprovals(changeOpen(state, { aside: [] }));
}

/** True: what is typed is meant for something else still. A pause in it ends that. */
function isGuarded(state: UiState): boolean {
  const dialog = topDialog(state);
  if (dialog?.kind !== "approval") return false;
  return state.now - Math.max(dialog.sinceMs, isBlank(state.composer) ? 0 : state.typedMs) < guardMs;
}

/** True: who was writing goes on with that, as the dialog has just appeared. */
export function isForComposer(state: UiState, dialog: ApprovalDialog, input: InputEvent): boolean {
  if (dialog.stage !== "choose" || dialog.isStray || !isGuarded(state)) return false;
  return !isBlank(state.composer) || (input.type === "key" && isText(state, input));
}

/** A character that answers nothing. */
function isText({ keys }: UiState, key: KeyEvent): boolean {
  return key.text !== null && !isNumber(key) && actionOf(keys, "choice", key) === null;
}

function isNumber({ key }: KeyEvent): boolean {
  return /^[1-9]$/.test(key);
}

const look = "Look at it first: what is pressed right after it appears does not answer.";
const stray = "That answers nothing. Esc leaves it for later; then you can write.";

/** A key before a pause: it counts from the last one. */
function tooEarly(state: UiState, dialog: ApprovalDialog): Step {
  const hint = dialog.isStray ? stray : look;
  return step(changeDialog(state, { ...dialog, sinceMs: state.now, hint }));
}

/** Time passed: what is pressed now does answer. */
export function guardPassed(state: UiState): UiState {
  const dialog = topDialog(state);
  if (dialog?.kind !== "approval" || dialog.hint !== look || isGuarded(state)) return state;
  return changeDialog(state, { ...dialog, hint: null });
}

export function approvalTyped(state: UiState, dialog: ApprovalDialog, input: InputEvent): Step {
  const approval = state.open?.session.approvals.find(({ digest }) => digest === dialog.digest);
  if (approval === undefined) return step(state);
  if (dialog.isSent) return leaves(state, input);
  if (isGone(state)) return withoutProcess(state, input);
  if (dialog.stage === "reason") return writesReason(state, dialog, input);
  // Who writes a sentence here is to grant nothing by it, however slowly it is written.
  if (input.type === "paste" || isText(state, input)) return tooEarly(state, { ...dialog, isStray: true });
  const closes = dialog.isStray && actionOf(state.keys, "choice", input) === "choice_close";
  if (isGuarded(state) && !closes) return tooEarly(state, dialog);
  const pressed = { dialog, approval, key: input };
  return dialog.stage === "choose" ? chooses(state, pressed) : setsRule(state, pressed);
}

/** There is nothing to answer now, and nobody is held up by it. */
function leaves(state: UiState, input: InputEvent): Step {
  if (input.type === "paste") return step(state);
  if (actionOf(state.keys, "choice", input) === "choice_close") return step(putAside(state));
  switch (actionOf(state.keys, "composer", input)) {
    case "pods":
      return showPods(putAside(state));
    case "tree":
      return showTree(putAside(state));
    case "next_needy_pod":
      return nextNeedy(putAside(state));
    default:
      return step(state);
  }
}

/** Nobody takes an answer: first it is started again. */
function withoutProcess(state: UiState, input: InputEvent): Step {
  if (input.type === "paste") return step(state);
  if (input.key === "1" || actionOf(state.keys, "choice", input) === "choice_take") return goneFirst(state);
  return leaves(state, input);
}

/** The connection is lost, and an answer may have been on its way. */
export function answersLost(state: UiState): UiState {
  const hint = "The connection was lost: whether the answer counts is not known.";
  return {
    ...state,
    dialogs: state.dialogs.map((one) =>
      one.kind === "approval" && one.isSent ? { ...one, isSent: false, hint } : one,
    ),
  };
}

interface Pressed {
  readonly dialog: ApprovalDialog;
  readonly approval: PendingApproval;
  readonly key: KeyEvent;
}

function chooses(state: UiState, { dialog, approval, key }: Pressed): Step {
  const choices = choicesOf(approval);
  const change = (to: Partial<ApprovalDialog>) => step(changeDialog(state, { ...dialog, hint: null, ...to }));
  const pick = (at: number): Step => {
    const choice = choices[at];
    if (choice === undefined) return step(state);
    return dialog.isStray
      ? change({ selected: at, isStray: false })
      : picks(state, { dialog, approval, choice });
  };
  if (isNumber(key)) return pick(Number(key.key) - 1);
  switch (actionOf(state.keys, "choice", key)) {
    case "choice_previous":
      return change({
        selected: moved({ filter: "", selected: dialog.selected }, choices.length, -1).selected,
        isStray: false,
      });
    case "choice_next":
      return change({
        selected: moved({ filter: "", selected: dialog.selected }, choices.length, 1).selected,
        isStray: false,
      });
    case "choice_page_up":
    case "choice_page_down":
      return pages(state, { dialog, approval, key });
    case "choice_take":
      return dialog.isStray ? tooEarly(state, dialog) : pick(dialog.selected);
    case "choice_close":
      return step(putAside(state));
    case "cancel":
      return change({ hint: cancelled });
    default:
      return step(state);
  }
}

function pages(state: UiState, { dialog, approval, key }: Pressed): Step {
  const isUp = actionOf(state.keys, "choice", key) === "choice_page_up";
  const { rows } = approvalRoom(dialog, approval, state.size);
  const down = Math.min(rows, rowsBelow(dialog, approval, state.size));
  const scroll = isUp ? Math.max(0, dialog.scroll - rows) : dialog.scroll + down;
  return step(changeDialog(state, { ...dialog, hint: null, scroll }));
}

/** Null: all of it was looked at. */
function unseen({ size }: UiState, dialog: ApprovalDialog, approval: PendingApproval): string | null {
  if (approvalRoom(dialog, approval, size).rows === 0)
    return "Make the terminal higher: what would be allowed has no room.";
  const below = rowsBelow(dialog, approval, size);
  return below === 0 ? null : `Look at all of it before it is allowed: ${below} more rows with PgDn.`;
}

const cancelled = "Esc leaves it for later. Ctrl-C again leaves the terminal, and the Pod goes on.";

/** All that wait now wait on, and are shown again when that is asked for. */
function putAside(state: UiState): UiState {
  const aside = state.open?.session.approvals.map(({ digest }) => digest) ?? [];
  return closeDialog(changeOpen(state, { aside }));
}

function picks(
  state: UiState,
  { dialog, approval, choice }: { dialog: ApprovalDialog; approval: PendingApproval; choice: ApprovalChoice },
): Step {
  if (choice.kind === "deny") return step(changeDialog(state, { ...dialog, stage: "reason", hint: null }));
  const hint = unseen(state, dialog, approval);
  if (hint !== null) return step(changeDialog(state, { ...dialog, hint }));
  const { digest } = dialog;
  switch (choice.kind) {
    case "once":
      return answers(state, dialog, { digest, answer: "allow" });
    case "session":
    case "always": {
      const { kind: keepsFor, rule } = choice;
      const shown = { ...dialog, stage: "rule", keepsFor, rule, selected: 0, scroll: 0, hint: null } as const;
      return step(changeDialog(state, { ...shown, sinceMs: state.now }));
    }
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

function setsRule(state: UiState, { dialog, approval, key }: Pressed): Step {
  const change = (to: Partial<ApprovalDialog>) => step(changeDialog(state, { ...dialog, hint: null, ...to }));
  const rows = ruleRows(dialog);
  const turn = (by: 1 | -1) => {
    if (dialog.selected === 1) return change({ isEverywhere: !dialog.isEverywhere });
    if (dialog.selected !== 2) return step(state);
    return change({ time: (dialog.time + by + grantTimes.length) % grantTimes.length });
  };
  if (key.key === "left") return turn(-1);
  if (key.key === "right") return turn(1);
  switch (actionOf(state.keys, "choice", key)) {
    case "choice_previous":
      return change({
        selected: moved({ filter: "", selected: dialog.selected }, rows, -1).selected,
        isStray: false,
      });
    case "choice_next":
      return change({
        selected: moved({ filter: "", selected: dialog.selected }, rows, 1).selected,
        isStray: false,
      });
    case "choice_close":
      return change({ stage: "choose", selected: 0, scroll: 0, isStray: false });
    case "choice_page_up":
    case "choice_page_down":
      return pages(state, { dialog, approval, key });
    case "choice_take": {
      const hint = unseen(state, dialog, approval);
      if (hint !== null) return change({ hint });
      return dialog.isStray ? tooEarly(state, dialog) : allowsByRule(state, dialog);
    }
    case "cancel":
      return change({ hint: cancelled });
    default:
      return step(state);
  }
}

function allowsByRule(state: UiState, dialog: ApprovalDialog): Step {
  const { digest, rule } = dialog;
  if (dialog.keepsFor === "session")
    return answers(state, dialog, { digest, answer: "allow", keep: { for: "session", rule } });
  const ms = grantTimes[dialog.time]?.ms ?? null;
  return answers(state, dialog, {
    digest,
    answer: "allow",
    keep: {
      for: "always",
      rule,
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
