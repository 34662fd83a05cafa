/** Closing what a cut run left open: every call gets its one result, partial text is kept, and a durable note says what happened. */
import {
  type AssistantItem,
  type AssistantItemEntry,
  type CallId,
  type EntryBody,
  type Item,
  type ItemStatus,
  notExecuted,
  outcomeUnknown,
  type PartialBlock,
  type SystemItemEntry,
  type ToolResultEntry,
  type UnansweredCall,
} from "@yoi/base";
import type { History } from "./history.ts";
import { isBlank } from "./request-order.ts";

/**
 * What has to enter history before a new input does, for a run that was cut: incomplete items of the answer that was streaming, a result for every
 * unanswered call, and one `interrupt` note. Empty when nothing is open. Pure; append it in one batch with (before) the input.
 * Not for a resume: the worker itself asks the gates again for calls that were not started.
 */
export function closingEntries(history: History): EntryBody[] {
  const entries = closing(openPartials(history), history.unanswered);
  return entries.length === 0 && endsInTornAnswer(history) ? [cutNote(true, [])] : entries;
}

/** What a resume closes: the same, but calls of a whole answer that were not started stay open, and an answer that is not whole gets its note. */
export function resumingEntries(history: Omit<History, "append">): EntryBody[] {
  const torn = tornCalls(history);
  const entries = closing(
    openPartials(history),
    history.unanswered.filter((call) => call.started || torn.has(call.call)),
  );
  if (entries.length > 0 || history.unanswered.length > 0) return entries;
  return endsInAnswer(history) && !endsInWholeAnswer(history) ? [cutNote(true, [])] : [];
}

type Said = Pick<History, "items" | "measured">;

/** True when nothing is left to ask the model. */
export function endsInWholeAnswer(history: Said): boolean {
  return statusOf(lastSaid(history)) === "completed" && !endsInTornAnswer(history);
}

/** Usage ends the batch of an answer: without it a crash tore the batch, and blocks or calls may be missing. */
function endsInTornAnswer(history: Said): boolean {
  return endsInAnswer(history) && history.measured?.items !== countSaid(history);
}

/**
 * Calls of an answer whose batch was torn. They never ran: the gates are asked once the batch is durable. And they must not: with the rest of
 * the batch a refusal of theirs may be lost, such as that of a call that was cut in its arguments.
 */
function tornCalls(history: Pick<History, "items" | "measured" | "unanswered">): ReadonlySet<CallId> {
  const torn = new Set<CallId>();
  if (history.unanswered.length === 0) return torn;
  for (const { item } of history.items.slice(history.measured?.items ?? 0)) {
    if (item.type === "tool_call") torn.add(item.call);
  }
  return torn;
}

function endsInAnswer(history: Said): boolean {
  return statusOf(lastSaid(history)) !== null;
}

function lastSaid(history: Pick<History, "items">): Item | undefined {
  return history.items[countSaid(history) - 1]?.item;
}

/** How many items there are without the notes at the end that say where the session goes on from: those ask for nothing, and answer nothing. */
export function countSaid({ items }: Pick<History, "items">): number {
  return items.findLastIndex(({ item }) => item.type !== "system_item" || item.kind !== "lineage") + 1;
}

function statusOf(item: Item | undefined): ItemStatus | null {
  return item?.type === "assistant_message" || item?.type === "reasoning" ? item.status : null;
}

/** Behind an answer that broke off: the note that says so. */
export function cutNote(kept: boolean, droppedCalls: readonly string[]): SystemItemEntry {
  return interruptNote("the answer was cut off", cutSentences(kept, droppedCalls));
}

export function closingResult(call: UnansweredCall): ToolResultEntry {
  const summary = call.started ? outcomeUnknown : notExecuted;
  return {
    kind: "tool_result",
    item: { type: "tool_result", call: call.call, name: call.name, summary, is_error: true },
  };
}

function closing(partials: readonly PartialBlock[], calls: readonly UnansweredCall[]): EntryBody[] {
  if (partials.length === 0 && calls.length === 0) return [];
  const kept = partials.flatMap(incompleteItem);
  const droppedCalls = partials.filter((p) => p.block === "tool_call").map((p) => p.name ?? "");
  const sentences = [
    ...(partials.length > 0 ? cutSentences(kept.length > 0, droppedCalls) : []),
    ...callSentences(calls),
  ];
  return [...kept, ...calls.map(closingResult), interruptNote("the run was cut short", sentences)];
}

/** A note committed behind a partial block has closed it, also where no item could be kept of it. */
function openPartials(history: Pick<History, "items" | "partials">): readonly PartialBlock[] {
  if (history.partials.length === 0) return [];
  const note = history.items.findLast(({ item }) => item.type === "system_item" && item.kind === "interrupt");
  return history.partials.filter((partial) => note === undefined || partial.request > note.seq);
}

function incompleteItem(partial: PartialBlock): AssistantItemEntry[] {
  const { request, index, block, text } = partial;
  if (block === "tool_call") return [];
  const type = block === "text" ? "assistant_message" : "reasoning";
  const item: AssistantItem = { type, text, status: "incomplete" };
  return isBlank(item) ? [] : [{ kind: "assistant_item", request, index, item }];
}

function cutSentences(kept: boolean, droppedCalls: readonly string[]): string[] {
  const first = kept
    ? "Your previous answer was cut off; what had arrived of it is kept. If it is still needed, go on where it stops, without repeating it."
    : "Your previous answer was cut off before any of it could be kept.";
  if (droppedCalls.length === 0) return [first];
  return [
    first,
    `Its calls were not complete and were not executed: ${droppedCalls.join(", ")}. Make them again if they are still needed.`,
  ];
}

function callSentences(calls: readonly UnansweredCall[]): string[] {
  const named = (started: boolean) =>
    calls
      .filter((call) => call.started === started)
      .map((call) => `${call.name} (${call.call})`)
      .join(", ");
  if (calls.length === 0) return [];
  const unknown = named(true);
  const never = named(false);
  return [
    "The run was cut short in the middle of its tool calls.",
    ...(unknown === "" ? [] : [`Started, and their outcome is unknown; check before repeating: ${unknown}.`]),
    ...(never === "" ? [] : [`Not executed: ${never}.`]),
  ];
}

function interruptNote(reason: string, sentences: readonly string[]): SystemItemEntry {
  return {
    kind: "system_item",
    item: { type: "system_item", kind: "interrupt", source: "host", reason, body: sentences.join(" ") },
  };
}
