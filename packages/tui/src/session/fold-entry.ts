/** Fold of an entry: what is on record, in the order of the log. */
import { type Entry, flattenInput, isKnown, type LogEntry, type RequestConfig } from "@yoi/base";
import { answerBegun, answerOver, runOver } from "./answer-begun.ts";
import { callBody, commandBody } from "./call-body.ts";
import type { Draft } from "./draft.ts";
import { foldAnswered, foldAsked, foldResult, foldStarted } from "./fold-call.ts";
import { foldCarried } from "./fold-carried.ts";
import { cutPartials, foldPartial, forgetPartials, partialDone } from "./fold-partial.ts";
import { foldQueued, holdQueue, requeue, unqueue } from "./fold-queue.ts";
import { foldAccepted, foldSystemItem } from "./fold-told.ts";
import {
  compactedNote,
  completedNote,
  leftOutNote,
  note,
  type Note,
  pausedNote,
  preview,
  quarantinedNote,
  takenBackNote,
} from "./notes.ts";

export function foldEntry(draft: Draft, entry: LogEntry): void {
  if (isKnown(entry)) return foldKnown(draft, entry);
  draft.add(draft.idOf(entry.seq), note("info", `an entry of a later version: ${entry.kind}`));
}

function foldKnown(draft: Draft, entry: Entry): void {
  const id = draft.idOf(entry.seq);
  const say = (said: Note | null): void => {
    if (said !== null) draft.add(id, said);
  };
  switch (entry.kind) {
    case "segment_start": {
      const {
        generation = 0,
        left,
        config,
        segment_id: segment,
        paused = null,
        queue_held: isHeld = false,
      } = entry;
      draft.learnGeneration(generation);
      draft.hold({ segment, isBeginning: left !== undefined, model: config.model, pause: paused });
      return draft.set({ cursor: { segment, seq: entry.seq }, queueHeld: isHeld });
    }
    case "carried":
      return foldCarried(draft, entry);
    case "opened":
      return foldOpened(draft, entry);
    case "invoke":
      answerBegun(draft);
      draft.set({ run: id });
      draft.hold({ pause: null });
      // What begins or goes on by itself is no word of the user.
      if (entry.trigger === "user_send" || (entry.trigger === "resume" && entry.by === undefined))
        draft.set({ queueHeld: false });
      if (entry.trigger === "user_send") return;
      return say(note("info", entry.trigger === "resume" ? "goes on" : "takes in what arrived"));
    case "user_input": {
      const { seq, parts, attachments = 0, delivers } = entry;
      const queued = delivers === undefined ? null : unqueue(draft, delivers);
      draft.add(id, { kind: "input", parts }, false);
      const input = { seq, id, attached: [], toCome: attachments, waited: delivers !== undefined, queued };
      return draft.hold({ inputs: [...draft.held.inputs, input] });
    }
    case "assistant_item":
      return foldAnswer(draft, entry);
    case "assistant_partial":
      return foldPartial(draft, entry);
    case "tool_started":
      return foldStarted(draft, entry.call);
    case "tool_result":
      return foldResult(draft, id, entry.item);
    case "approval_asked":
      return foldAsked(draft, entry);
    case "approval_answered":
      return foldAnswered(draft, id, entry);
    case "system_item":
      return foldSystemItem(draft, id, entry);
    case "inbox_accepted":
      return foldAccepted(draft, entry.seq, id, entry.item);
    case "input_queued":
      return foldQueued(draft, entry);
    case "input_unqueued":
      unqueue(draft, entry.queued);
      return;
    case "user_command":
      return draft.add(id, commandBody(entry.command), false);
    case "llm_request":
      answerOver(draft);
      forgetPartials(draft);
      closeCalls(draft);
      return draft.hold({ model: entry.config.model });
    case "llm_usage":
      if (entry.attempt !== undefined) return;
      answerOver(draft);
      return forgetPartials(draft);
    case "run_paused": {
      const { reason, until } = entry;
      runOver(draft);
      draft.hold({ pause: until === undefined ? { reason } : { reason, until } });
      return say(pausedNote(entry));
    }
    case "run_completed":
      runOver(draft);
      if (entry.result !== "finished") holdQueue(draft);
      return say(completedNote(entry));
    case "run_errored":
      runOver(draft);
      holdQueue(draft);
      return say(note("error", `failed (${entry.code}): ${preview(entry.message)}`));
    case "turn_rolled_back":
      return foldRolledBack(draft, entry);
    case "config_changed":
      return foldConfig(draft, id, entry.config);
    case "projection":
      return say(leftOutNote(entry));
    case "quarantined":
      return say(quarantinedNote(entry, draft.idOf(entry.target)));
    case "compacted":
      draft.set({ compaction: null });
      return say(compactedNote(entry));
    case "segment_ready":
    case "tools_changed":
    case "turn_end":
    case "compaction_begun":
    case "child_cursor":
    case "extension":
      return;
    default:
      entry satisfies never;
  }
}

type Of<K extends Entry["kind"]> = Extract<Entry, { readonly kind: K }>;

function foldOpened(draft: Draft, { seq, epoch, version }: Of<"opened">): void {
  draft.hold({ epoch });
  if (draft.held.isBeginning) return draft.hold({ isBeginning: false });
  // The process that ran is gone, and with it all that was on no record.
  runOver(draft);
  cutPartials(draft);
  holdQueue(draft);
  for (const block of draft.opened) {
    if (block.kind === "call" && block.progress === "running")
      draft.put(block, { ...block, progress: "unknown", output: "" }, false);
    if (block.kind === "command") draft.put(block, { ...block, progress: "unknown", output: "" }, false);
  }
  const words = epoch <= 1 ? "the Pod began" : "the Pod was started again";
  const said = note("info", `${words} (yoi ${version})`);
  // Once for several times in a row: nothing came of those between.
  const { last } = draft;
  if (last?.kind !== "note" || last.text !== said.text) draft.add(draft.idOf(seq), said);
}

function foldAnswer(draft: Draft, { seq, request, index, item }: Of<"assistant_item">): void {
  answerBegun(draft);
  draft.set({ retry: null });
  // A request of an earlier segment: what is kept of its answer is named by its own entry.
  const id = request === 0 ? draft.idOf(seq) : `${draft.idOf(request)}.${index}`;
  partialDone(draft, id);
  if (item.type === "tool_call")
    return draft.record(item.call, callBody(item.call, item.name, item.arguments), false);
  const progress = item.status === "completed" ? "whole" : "cut";
  if (item.text.trim() !== "" || progress === "cut")
    return draft.record(
      id,
      { kind: item.type === "reasoning" ? "reasoning" : "answer", text: item.text, progress },
      true,
    );
  const blank = draft.open(id);
  if (blank !== null) draft.drop([blank]);
}

/** A request goes out with the results of all calls: of one that is open still the result was too large to be sent here. */
function closeCalls(draft: Draft): void {
  for (const block of draft.opened)
    if (block.kind === "call") draft.put(block, { ...block, progress: "unknown", output: "" }, true);
}

/** What the run was given is not history any more; what of it had waited waits again. */
function foldRolledBack(draft: Draft, { from_seq }: Of<"turn_rolled_back">): void {
  const given = draft.held.inputs.filter(({ seq }) => seq > from_seq);
  for (const { id, attached, waited } of given) {
    draft.drop(attached.flatMap((one) => draft.open(one) ?? []));
    const block = draft.open(id);
    if (block?.kind === "input") draft.put(block, takenBackNote(flattenInput(block.parts), waited), true);
  }
  requeue(
    draft,
    given.flatMap(({ queued }) => queued ?? []),
  );
  holdQueue(draft);
  draft.hold({ inputs: [], pause: null });
  runOver(draft);
}

function foldConfig(draft: Draft, id: string, { model, reasoning }: RequestConfig): void {
  const effort = reasoning === undefined ? "" : ` with the effort ${reasoning}`;
  draft.add(id, note("info", `answers come from ${model}${effort} from here on`));
  const { about } = draft.session;
  draft.hold({ model });
  if (about !== null) draft.set({ about: { ...about, model } });
}
