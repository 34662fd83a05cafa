/** Accepting what begins a run: what is open is closed, then the run and what began it are on record in one batch. */
import { type Entry, type EntryBody, type InputPart, YoiError, orStopped, stopped } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import { closingEntries, countSaid, endsInWholeAnswer } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { bodiesOf, type InputPorts, refuseInput, tellGiven, withAttached } from "./given-input.ts";
import type { InputQueue } from "./input-queue.ts";
import { nothingToResume } from "./state-sentences.ts";

/** A run that is on record. */
export interface AcceptedRun {
  /** How the worker takes it up. */
  readonly mode: "new" | "resume";
  /** Seq of its `invoke`. */
  readonly invoke: number;
  /** What began it: only an input can be taken back. */
  readonly isInput: boolean;
}

/** What a user gives, and the name under which it comes in once. */
export interface Input {
  readonly parts: readonly InputPart[];
  readonly submission?: string;
}

/**
 * Commits a user's input as a new run, with what its references name behind it. Calls and partial answers of an earlier run are closed before it.
 * All of it is one batch. Gives `stopped` when the signal aborts before that, and throws prompt_refused when a hook refuses it: nothing is on
 * record then.
 */
export async function acceptInput(
  gate: HistoryGate,
  { parts, submission }: Input,
  ports: InputPorts,
  signal: AbortSignal,
): Promise<AcceptedRun | typeof stopped> {
  if ((await refuseInput(gate, parts, ports, signal)) === stopped) return stopped;
  const input = { parts, ...(submission === undefined ? {} : { submission }) };
  const given = await orStopped(signal, () => withAttached(input, ports));
  if (given === stopped) return stopped;
  const entries = await gate.append([...beginningOf(gate), ...bodiesOf(given)]);
  tellGiven([given], entries, ports);
  return { mode: "new", invoke: invokeOf(entries), isInput: true };
}

/** What stands before the input of a run: what an earlier one left open is closed. */
function beginningOf(gate: HistoryGate): readonly EntryBody[] {
  return [...closingEntries(gate), { kind: "invoke", trigger: "user_send" }];
}

/** Puts a run on record that the first input that waits begins. Null: none waits any more. */
export async function acceptQueued(
  gate: HistoryGate,
  queue: InputQueue,
  signal: AbortSignal,
): Promise<AcceptedRun | typeof stopped | null> {
  const entries = await queue.first(() => beginningOf(gate), signal);
  if (entries === stopped || entries === null) return entries;
  return { mode: "new", invoke: invokeOf(entries), isInput: true };
}

function invokeOf(entries: readonly Entry[]): number {
  const invoke = entries.find(({ kind }) => kind === "invoke");
  if (invoke === undefined) throw new Error("a run was accepted without its invoke");
  return invoke.seq;
}

/** True when the last turn is not finished: the model has something to answer, or calls to have answered. */
export function hasUnfinishedTurn(
  state: Pick<SessionState, "items" | "measured" | "unanswered" | "partials">,
): boolean {
  if (state.unanswered.length > 0 || state.partials.length > 0) return true;
  return countSaid(state) > 0 && !endsInWholeAnswer(state);
}

/**
 * Puts a run on record with which the Pod goes on as the user asked: with the paused one, or else with the first input that waits, which closes what is open as any
 * input does; else with the unfinished turn, or else with what waits to be told. What is open of a turn is left to the worker, which asks the gates again.
 */
export async function acceptResume(
  gate: HistoryGate,
  queue: InputQueue,
  signal: AbortSignal,
): Promise<AcceptedRun | typeof stopped> {
  const { run, inbox } = gate.state;
  if (run.state === "paused") return resumed(gate, "user");
  const queued = await acceptQueued(gate, queue, signal);
  if (queued !== null) return queued;
  if (hasUnfinishedTurn(gate)) return resumed(gate, "user");
  if (inbox.length > 0) return acceptNotices(gate);
  throw new YoiError("nothing_to_resume", `${nothingToResume} Give a prompt to start a new one.`);
}

/** The same turn goes on. @param by who says so: what waits for the user still does where the Pod goes on by itself. */
export async function resumed(gate: HistoryGate, by: "user" | "pod"): Promise<AcceptedRun> {
  const entries = await gate.append([{ kind: "invoke", trigger: "resume", ...(by === "pod" ? { by } : {}) }]);
  return { mode: "resume", invoke: invokeOf(entries), isInput: false };
}

/** Puts a run on record that delivers what waits in the inbox; what became of a child is said to be why it begins. As before an input, what is open is closed: it is never run again unasked. */
export async function acceptNotices(gate: HistoryGate): Promise<AcceptedRun> {
  const isOfChild = gate.state.inbox.some(({ item }) => item.kind === "pod_event");
  const trigger = isOfChild ? "pod_event" : "notify";
  const entries = await gate.append([...closingEntries(gate), { kind: "invoke", trigger }]);
  return { mode: "new", invoke: invokeOf(entries), isInput: false };
}
