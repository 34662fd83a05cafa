/** Accepting what begins a run: what is open is closed, then the run and what began it are on record in one batch. */
import {
  type CommittedItem,
  type Entry,
  type EntryBody,
  type FileRefPart,
  flattenInput,
  type InputPart,
  itemOf,
  YoiError,
} from "@yoi/base";
import type { OnPromptSubmitAction, OnPromptSubmitContext } from "@yoi/feature";
import type { SessionState } from "@yoi/session-store";
import type { Attachments } from "@yoi/tools";
import { closingEntries, countSaid, endsInWholeAnswer } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { orStopped, stopped } from "./or-stopped.ts";
import { nothingToResume } from "./state-sentences.ts";

/** What an input is given besides the log. */
export interface InputPorts {
  /** Asked before anything is done about an input; absent: every input is taken. */
  readonly promptSubmit?: (
    context: OnPromptSubmitContext,
    signal: AbortSignal,
  ) => Promise<OnPromptSubmitAction>;
  readonly attach: (references: readonly FileRefPart[]) => Promise<Attachments>;
  readonly recall: (items: readonly CommittedItem[]) => void;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

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
  const inputText = flattenInput(parts);
  if (inputText.trim() === "") {
    throw new YoiError("prompt_empty", "The prompt is empty: say what the Pod should do.");
  }
  const { promptSubmit } = ports;
  if (promptSubmit !== undefined) {
    const context = { inputText, turnIndex: gate.turnCount };
    const answer = await orStopped(signal, () => promptSubmit(context, signal));
    if (answer === stopped) return stopped;
    if (answer.action === "cancel") {
      throw new YoiError(
        "prompt_refused",
        `The prompt was refused, and nothing of it is kept: ${answer.reason}`,
      );
    }
  }
  const attachments = await orStopped(signal, () => attached(parts, ports));
  if (attachments === stopped) return stopped;
  const { items, warnings } = attachments;
  const bodies: EntryBody[] = [
    ...closingEntries(gate),
    { kind: "invoke", trigger: "user_send" },
    {
      kind: "user_input",
      parts,
      ...(items.length === 0 ? {} : { attachments: items.length }),
      ...(submission === undefined ? {} : { submission }),
    },
    ...items.map((item): EntryBody => ({ kind: "system_item", item })),
  ];
  const entries = await gate.append(bodies);
  if (items.length > 0) {
    const committed = entries.slice(-items.length).map((entry) => ({ seq: entry.seq, item: itemOf(entry) }));
    ports.recall(committed.filter((one): one is CommittedItem => one.item !== null));
  }
  for (const warning of warnings) ports.warn(warning);
  return { mode: "new", invoke: invokeOf(entries), isInput: true };
}

function invokeOf(entries: readonly Entry[]): number {
  const invoke = entries.find(({ kind }) => kind === "invoke");
  if (invoke === undefined) throw new Error("a run was accepted without its invoke");
  return invoke.seq;
}

async function attached(parts: readonly InputPart[], { attach }: InputPorts): Promise<Attachments> {
  const references = parts.filter((part) => part.type === "file_ref");
  return references.length === 0 ? { items: [], warnings: [] } : attach(references);
}

/** True when the last turn is not finished: the model has something to answer, or calls to have answered. */
export function hasUnfinishedTurn(
  state: Pick<SessionState, "items" | "measured" | "unanswered" | "partials">,
): boolean {
  if (state.unanswered.length > 0 || state.partials.length > 0) return true;
  return countSaid(state) > 0 && !endsInWholeAnswer(state);
}

/**
 * Puts a resumed run on record; what is open is left to the worker, which asks the gates again. Where nothing is open and notices wait, going on
 * means to deliver them.
 */
export async function acceptResume(gate: HistoryGate): Promise<AcceptedRun> {
  const { run, inbox } = gate.state;
  if (run.state !== "paused" && !hasUnfinishedTurn(gate)) {
    if (inbox.length > 0) return acceptNotices(gate);
    throw new YoiError("nothing_to_resume", `${nothingToResume} Give a prompt to start a new one.`);
  }
  const entries = await gate.append([{ kind: "invoke", trigger: "resume" }]);
  return { mode: "resume", invoke: invokeOf(entries), isInput: false };
}

/** Puts a run on record that delivers what waits in the inbox; what became of a child is said to be why it begins. As before an input, what is open is closed: it is never run again unasked. */
export async function acceptNotices(gate: HistoryGate): Promise<AcceptedRun> {
  const isOfChild = gate.state.inbox.some(({ item }) => item.kind === "pod_event");
  const trigger = isOfChild ? "pod_event" : "notify";
  const entries = await gate.append([...closingEntries(gate), { kind: "invoke", trigger }]);
  return { mode: "new", invoke: invokeOf(entries), isInput: false };
}
