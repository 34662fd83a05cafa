/** Accepting input: what is open is closed, then the run and its input are on record in one batch. */
import {
  type CommittedItem,
  type EntryBody,
  type FileRefPart,
  flattenInput,
  type InputPart,
  itemOf,
  YoiError,
} from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import type { Attachments } from "@yoi/tools";
import { closingEntries } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";

/** What an input is given besides the log. */
export interface InputPorts {
  readonly attach: (references: readonly FileRefPart[]) => Promise<Attachments>;
  readonly recall: (items: readonly CommittedItem[]) => void;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

/**
 * Commits a user's input as a new run, with what its references name behind it. Calls and partial answers of an earlier run are closed before it.
 * All of it is one batch.
 */
export async function acceptInput(
  gate: HistoryGate,
  parts: readonly InputPart[],
  ports: InputPorts,
): Promise<void> {
  if (flattenInput(parts).trim() === "") {
    throw new YoiError("prompt_empty", "The prompt is empty: say what the Pod should do.");
  }
  const references = parts.filter((part) => part.type === "file_ref");
  const { items, warnings } =
    references.length === 0 ? { items: [], warnings: [] } : await ports.attach(references);
  const bodies: EntryBody[] = [
    ...closingEntries(gate),
    { kind: "invoke", trigger: "user_send" },
    { kind: "user_input", parts, ...(items.length === 0 ? {} : { attachments: items.length }) },
    ...items.map((item): EntryBody => ({ kind: "system_item", item })),
  ];
  const entries = await gate.append(bodies);
  if (items.length > 0) {
    const committed = entries.slice(-items.length).map((entry) => ({ seq: entry.seq, item: itemOf(entry) }));
    ports.recall(committed.filter((one): one is CommittedItem => one.item !== null));
  }
  for (const warning of warnings) ports.warn(warning);
}

/** True when the last turn is not finished: the model has something to answer, or calls to have answered. */
export function hasUnfinishedTurn(state: Pick<SessionState, "items" | "unanswered" | "partials">): boolean {
  if (state.unanswered.length > 0 || state.partials.length > 0) return true;
  const last = state.items.at(-1)?.item;
  switch (last?.type) {
    case undefined:
      return false;
    case "assistant_message":
    case "reasoning":
      return last.status === "incomplete";
    case "user_message":
    case "tool_call":
    case "tool_result":
    case "system_item":
      return true;
  }
}

/** Puts a resumed run on record; what is open is left to the worker, which asks the gates again. */
export async function acceptResume(gate: HistoryGate): Promise<void> {
  const { run } = gate.state;
  if (run.state !== "paused" && !hasUnfinishedTurn(gate)) {
    throw new YoiError(
      "nothing_to_resume",
      "There is nothing to resume: the last run of this Pod ended. Give a prompt to start a new one.",
    );
  }
  await gate.append([{ kind: "invoke", trigger: "resume" }]);
}
