/** Fold of what a segment takes over: shown where it is new, or where what came before it was not seen. */
import type { Carried, Item } from "@yoi/base";
import { callBody, commandBody } from "./call-body.ts";
import type { Draft } from "./draft.ts";
import { foldResult, foldStarted } from "./fold-call.ts";
import { foldAccepted, systemBody } from "./fold-told.ts";

export function foldCarried(draft: Draft, entry: Carried & { readonly seq: number }): void {
  switch (entry.of) {
    case "item": {
      // What was made for this segment is named by it, and everything else by where it was first.
      const isNew = entry.id === draft.idOf(entry.seq);
      if (isNew || !draft.held.cameAlong) foldItem(draft, entry.id, entry.item);
      return;
    }
    case "tool_started":
      return foldStarted(draft, entry.call);
    case "inbox_accepted":
      return foldAccepted(draft, entry.seq, entry.id ?? draft.idOf(entry.seq), entry.item);
    case "input_queued":
      return draft.hold({ queued: new Map(draft.held.queued).set(entry.seq, entry.id) });
    case "user_command":
      if (!draft.held.cameAlong) draft.add(entry.id, commandBody(entry.command), false);
      return;
    case "approval_answered":
    case "child_cursor":
    case "extension":
      return;
    default:
      entry satisfies never;
  }
}

function foldItem(draft: Draft, id: string, item: Item): void {
  switch (item.type) {
    case "user_message":
      return draft.add(id, { kind: "input", parts: item.parts });
    case "system_item":
      return draft.add(id, systemBody(item));
    case "tool_call":
      return draft.add(item.call, callBody(item.call, item.name, item.arguments), false);
    case "tool_result":
      return foldResult(draft, id, item);
    case "assistant_message":
    case "reasoning": {
      const progress = item.status === "completed" ? "whole" : "cut";
      if (item.text.trim() === "" && progress === "whole") return;
      return draft.add(id, {
        kind: item.type === "reasoning" ? "reasoning" : "answer",
        text: item.text,
        progress,
      });
    }
  }
}
