/** GivenInput: an input as it goes on record, with what its references name right behind it. */
import {
  type CommittedItem,
  type Entry,
  type EntryBody,
  flattenInput,
  type InputPart,
  itemOf,
  type UserInput,
  YoiError,
  orStopped,
  stopped,
} from "@yoi/base";
import type { OnPromptSubmitAction, OnPromptSubmitContext } from "@yoi/feature";
import type { Attach, Attachments } from "@yoi/tools";
import type { HistoryGate } from "../history/gate.ts";

/** What an input attaches, and who is told of it. */
export interface Attaching {
  readonly attach: Attach;
  readonly recall: (items: readonly CommittedItem[]) => void;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

/** What an input is given besides the log. */
export interface InputPorts extends Attaching {
  /** Asked before anything is done about an input; absent: every input is taken. */
  readonly promptSubmit?: (
    context: OnPromptSubmitContext,
    signal: AbortSignal,
  ) => Promise<OnPromptSubmitAction>;
}

/** Throws prompt_empty, and prompt_refused where a hook refuses it. `stopped`: the signal aborted before that. */
export async function refuseInput(
  { turnCount }: Pick<HistoryGate, "turnCount">,
  parts: readonly InputPart[],
  { promptSubmit }: Pick<InputPorts, "promptSubmit">,
  signal: AbortSignal,
): Promise<typeof stopped | null> {
  const inputText = flattenInput(parts);
  if (inputText.trim() === "")
    throw new YoiError("prompt_empty", "The prompt is empty: say what the Pod should do.");
  if (promptSubmit === undefined) return null;
  const context = { inputText, turnIndex: turnCount };
  const answer = await orStopped(signal, () => promptSubmit(context, signal));
  if (answer === stopped) return stopped;
  if (answer.action !== "cancel") return null;
  throw new YoiError("prompt_refused", `The prompt was refused, and nothing of it is kept: ${answer.reason}`);
}

export interface GivenInput extends Attachments {
  readonly input: Omit<UserInput, "kind" | "attachments">;
}

export async function withAttached(
  input: GivenInput["input"],
  { attach }: Pick<Attaching, "attach">,
): Promise<GivenInput> {
  const references = input.parts.filter((part) => part.type !== "text");
  const attached = references.length === 0 ? { items: [], warnings: [] } : await attach(references);
  return { input, ...attached };
}

/** Of one input, to be committed in one batch. */
export function bodiesOf({ input, items }: GivenInput): readonly EntryBody[] {
  const attachments = items.length === 0 ? {} : { attachments: items.length };
  return [
    { kind: "user_input", ...input, ...attachments },
    ...items.map((item): EntryBody => ({ kind: "system_item", item })),
  ];
}

/** They are on record, as these entries. */
export function tellGiven(
  given: readonly GivenInput[],
  entries: readonly Entry[],
  { recall, warn }: Attaching,
): void {
  const attached = entries.flatMap((entry, index) =>
    entry.kind === "user_input" ? entries.slice(index + 1, index + 1 + (entry.attachments ?? 0)) : [],
  );
  const items = attached.map((entry) => ({ seq: entry.seq, item: itemOf(entry) }));
  if (items.length > 0) recall(items.filter((one): one is CommittedItem => one.item !== null));
  for (const { warnings } of given) for (const warning of warnings) warn(warning);
}
