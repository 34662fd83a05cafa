/** What a person sends to the Pod. It is shown as on its way until the Pod has it on record, and comes back where it is refused: no text is ever lost. */
import type { Composer } from "../../composer/composer.ts";
import { composerOf, isBlank, partsOf, textOf } from "../../composer/composer.ts";
import { remembered } from "../../composer/history.ts";
import type { PodState } from "@yoi/protocol";
import type { Sendable } from "../effect.ts";
import { openRow, type OpenPod, type Sending, type UiState } from "../state.ts";
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
  const n = state.counter + 1;
  const isOut = open.isAttached && open.session.link !== "ended";
  const sending: Sending = { n, what, composer, isOut };
  const next = changeOpen({ ...kept(state, composer), counter: n }, { sending: [...open.sending, sending] });
  const effects = isOut
    ? [{ type: "ask", attachment: open.attachment, ask: { kind: "send", sending: n, what } } as const]
    : [];
  return { state: next, effects: [{ type: "add_history", text: textOf(composer) }, ...effects] };
}

/** In the history, as something that was sent. */
export function kept(state: UiState, composer: Composer): UiState {
  return { ...state, history: remembered(state.history, composer) };
}

/** What waited for the Pod to be there goes out. Inputs become what the Pod's state asks for. */
export function sendWaiting(state: UiState): Step {
  const { open } = state;
  if (open === null || !open.isAttached || open.session.link !== "up") return step(state);
  const waiting = state.unsent;
  const begun = waiting.reduce<Step>(
    (so, composer, at) => followed(so, (now) => sendFirst(now, composer, at)),
    step({ ...state, unsent: [] }),
  );
  return followed(begun, (now) => outAgain(now));
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

/** It is not: the text comes back. An input that found the Pod at work since is queued. */
export function notSent(
  state: UiState,
  answer: { readonly sending: number; readonly why: string; readonly isBusy: boolean },
): Step {
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
  return step(note(giveBack(rest, found.composer), "error", answer.why));
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

/** Its process has ended: there is nothing to wait for. */
export function isGone(state: UiState): boolean {
  const { open } = state;
  if (open === null) return false;
  const isApart = open.session.link === "ended" || open.session.link === "lost" || !open.isAttached;
  return isApart && openRow(state)?.standing === "stopped";
}
