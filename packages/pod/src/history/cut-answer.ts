/** What is kept of an answer that was cut, where history goes on in another segment. */
import type { EntryBody } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import { resumingEntries } from "@yoi/worker";

/** Pieces of an answer stand for nothing without the request that they came for: what is to be kept of them is an item now, with the note that they were cut. */
export function ofCutAnswer(at: SessionState): readonly EntryBody[] {
  if (at.partials.length === 0) return [];
  return resumingEntries(at).map((body) => (body.kind === "assistant_item" ? { ...body, request: 0 } : body));
}
