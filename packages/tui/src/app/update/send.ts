/** What a person sends to the Pod. It is shown as on its way until the Pod has it on record, and comes back where it is refused: no text is ever lost. */
import type { Composer } from "../../composer/composer.ts";
import { composerOf, emptyComposer, isBlank, partsOf, textOf } from "../../composer/composer.ts";
import { remembered } from "../../composer/history.ts";
import type { PodState } from "@yoi/protocol";
import type { Sendable } from "../effect.ts";
import type { AskAnswer } from "../event.ts";
import type { Addressee, OpenPod, Sending, UiState } from "../state.ts";
import { isSameAddressee } from "../state.ts";
import { changeOpen, note, type Step, step, followed } from "../step.ts";

/** An input: now, or, while a run goes on, with its next request or behind it. */
export function inputFor(composer: Composer, state: PodState, when: "boundary" | "run_end"): Sendable {
  const parts = partsOf(composer);
  return state === "running" ? { as: "queue", parts, when } : { as: "submit", parts };
}

/** Takes what is written out of the composer, into the history, and on its way. */
export function send(state: UiState, what: Sendable, composer: Composer): Step {
  const { open } = state;
  if (open === null) return step(state);
  const text = textOf(composer);
  const again = state.unanswered.find((one) => one.pod === open.name && one.text === text);
  const n = again?.n ?? state.counter + 1;
  const isOut = open.isAttached && open.session.link !== "ended";
  const sending: Sending = { n, what, composer, isOut };
  const next = changeOpen(
    {
      ...kept(state, composer),
      counter: Math.max(state.counter, n),
      unanswered: state.unanswered.filter((one) => one !== again),
    },
    { sending: [...open.sending, sending] },
  );
  const effects = isOut
    ? [{ type: "ask", attachment: open.attachment, ask: { kind: "send", sending: n, what } } as const]
    : [];
  return { state: next, effects: [{ type: "add_history", text }, ...effects] };
}

/** In the history, as something that was sent. */
export function kept(state: UiState, composer: Composer): UiState {
  return { ...state, history: remembered(state.history, composer) };
}

/** What waited for the Pod to be there goes out. Inputs become what the Pod's state asks for. */
export function sendWaiting(state: UiState): Step {
  const { open } = state;
  if (open === null || !open.isAttached || open.session.link !== "up") return step(state);
  const { own, others } = unsentFor(state, { pod: open.name });
  const begun = own.reduce<Step>(
    (so, composer, at) => followed(so, (now) => sendFirst(now, composer, at)),
    step({ ...state, unsent: others }),
  );
  return followed(begun, (now) => outAgain(now));
}

/** What waits for the one, and what waits for others. */
function unsentFor({ unsent }: UiState, to: Addressee) {
  const isOwn = (one: UiState["unsent"][number]) => isSameAddressee(one.to, to);
  return {
    own: unsent.filter(isOwn).map(({ composer }) => composer),
    others: unsent.filter((one) => !isOwn(one)),
  };
}

/** Whom it was for is not there, and does not come: to where it is written again. */
export function unsentBack(state: UiState, to: Addressee): UiState {
  const { own, others } = unsentFor(state, to);
  if (own.length === 0) return state;
  const rest = { ...state, unsent: others };
  if (state.open === null || ("pod" in to && to.pod === state.open.name)) return backTo(rest, own);
  if ("start" in to)
    return note(rest, "warn", "What you wrote for the new Pod was not sent: it is in the history (Up).");
  const there = backTo({ ...rest, composer: state.drafts[to.pod] ?? emptyComposer }, own);
  return { ...rest, drafts: { ...rest.drafts, [to.pod]: there.composer } };
}

function backTo(state: UiState, composers: readonly Composer[]): UiState {
  return composers.reduceRight((so, composer) => giveBack(so, composer), state);
}

/** The last thing that waits for a Pod to be there, into the composer again; null: nothing does. */
export function takeBack(state: UiState): UiState | null {
  const last = state.open?.sending.findLast(({ isOut }) => !isOut);
  if (last !== undefined && state.open !== null) {
    const sending = state.open.sending.filter((one) => one !== last);
    return giveBack(changeOpen(state, { sending }), last.composer);
  }
  const unsent = state.unsent.at(-1);
  return unsent === undefined
    ? null
    : giveBack({ ...state, unsent: state.unsent.slice(0, -1) }, unsent.composer);
}

function sendFirst(state: UiState, composer: Composer, at: number): Step {
  const podState = at === 0 ? (state.open?.session.state ?? "idle") : "running";
  const { state: next, effects } = send(state, inputFor(composer, podState, "boundary"), composer);
  // It is in the history since it was typed.
  return { state: next, effects: effects.filter(({ type }) => type !== "add_history") };
}

function outAgain(state: UiState): Step {
  const { open } = state;
  if (open === null || open.sending.every(({ isOut }) => isOut)) return step(state);
  const effects = open.sending
    .filter(({ isOut }) => !isOut)
    .map(
      ({ n, what }) =>
        ({ type: "ask", attachment: open.attachment, ask: { kind: "send", sending: n, what } }) as const,
    );
  return step(
    changeOpen(state, { sending: open.sending.map((one) => ({ ...one, isOut: true })) }),
    ...effects,
  );
}

/** It is on record. */
export function sent(state: UiState, n: number): Step {
  const { open } = state;
  if (open === null) return step(state);
  return step(changeOpen(state, { sending: open.sending.filter((one) => one.n !== n) }));
}

type NotSent = Extract<AskAnswer, { readonly kind: "not_sent" }>;

/** Kept of what was not answered: more than anybody sends again. */
const unansweredMax = 20;

/** Sent again as it is, it is the same submission. */
export function keptUnanswered(state: UiState, pod: string, { n, composer }: Sending): UiState {
  const unanswered = [...state.unanswered, { n, pod, text: textOf(composer) }].slice(-unansweredMax);
  return { ...state, unanswered };
}

/** What became of it, as a sentence. */
export function notSentText(pod: string, { isKnown, why }: NotSent): string {
  return isKnown
    ? `${pod} did not take what you sent: ${why}`
    : `Whether ${pod} has what you sent is not known: ${why} Sent again as it is, it is taken once.`;
}

/** It is not, or that is not known: the text comes back. An input that found the Pod at work since is queued. */
export function notSent(state: UiState, answer: NotSent): Step {
  const { open } = state;
  const found = open?.sending.find(({ n }) => n === answer.sending);
  if (open === null || found === undefined) return step(state);
  if (answer.isBusy && found.what.as === "submit") {
    const what: Sendable = { as: "queue", parts: found.what.parts, when: "boundary" };
    const sending = open.sending.map((one) => (one === found ? { ...one, what } : one));
    return step(changeOpen(state, { sending }), {
      type: "ask",
      attachment: open.attachment,
      ask: { kind: "send", sending: found.n, what },
    });
  }
  const rest = changeOpen(state, { sending: open.sending.filter((one) => one !== found) });
  const known = answer.isKnown ? rest : keptUnanswered(rest, open.name, found);
  const text = answer.isKnown ? answer.why : notSentText(open.name, answer);
  return step(note(giveBack(known, found.composer), "error", text));
}

/** In front of what is written meanwhile. */
export function giveBack(state: UiState, composer: Composer): UiState {
  if (isBlank(state.composer)) return { ...state, composer };
  return { ...state, composer: composerOf(`${textOf(composer)}\n${textOf(state.composer)}`) };
}

/** What a Pod that is left did not take becomes its draft, in front of what is written for it. */
export function draftOf(state: UiState, open: OpenPod): Composer {
  const waiting = open.sending.filter(({ isOut }) => !isOut).map(({ composer }) => composer);
  return waiting.reduceRight(
    (so, composer) => giveBack({ ...state, composer: so }, composer).composer,
    state.composer,
  );
}

/** What is said when its process has ended; true until it is there again. */
export function goneText(name: string): string {
  return `The process of ${name} has ended: Enter restores it.`;
}
