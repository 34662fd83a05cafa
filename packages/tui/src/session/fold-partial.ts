/** Fold of what is on record of an answer before it is whole: shown while it arrives, and cut where its process died. */
import type { AssistantPartial } from "@yoi/base";
import { answerBegun } from "./answer-begun.ts";
import type { Draft } from "./draft.ts";
import type { PartialText } from "./held.ts";

/** Who heard it arrive knows more of it. A half of a call is nothing to be shown. */
export function foldPartial(draft: Draft, { request, index, block, from, text }: AssistantPartial): void {
  answerBegun(draft);
  if (block === "tool_call") return;
  const id = `${draft.idOf(request)}.${index}`;
  const kind = block === "text" ? "answer" : "reasoning";
  const before = draft.held.partials.get(id)?.text ?? "";
  // A piece is missing between them: text with a hole would be wrong.
  if (from > before.length) return;
  const partial: PartialText = { kind, text: before.slice(0, from) + text };
  draft.hold({ partials: new Map(draft.held.partials).set(id, partial) });
  const open = draft.open(id);
  if (open === null) return draft.record(id, { ...partial, progress: "arriving" }, false);
  if (open.kind === kind && open.progress === "arriving" && open.text.length < partial.text.length)
    draft.put(open, { ...partial, progress: "arriving" }, false);
}

/** Its item is on record. */
export function partialDone(draft: Draft, id: string): void {
  if (!draft.held.partials.has(id)) return;
  const left = new Map(draft.held.partials);
  left.delete(id);
  draft.hold({ partials: left });
}

/** The process died: what it had on record stands, until its item says the same for good. */
export function cutPartials(draft: Draft): void {
  for (const [id, partial] of draft.held.partials)
    if (partial.text.trim() !== "") draft.record(id, { ...partial, progress: "cut" }, false);
}

/** No item comes of it any more: it is not history. */
export function forgetPartials(draft: Draft): void {
  draft.drop([...draft.held.partials.keys()].flatMap((id) => draft.open(id) ?? []));
  draft.hold({ partials: new Map() });
}
