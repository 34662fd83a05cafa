/** Where what is told of a Pod begins: a stream from near the end says only behind its first entries in which segment those are. */
import type { Draft } from "./draft.ts";

/** @param segment of the entries that were told so far, or of the next one. */
export function beginIn(draft: Draft, segment: string): void {
  const { firstSeq } = draft.held;
  if (draft.session.first === null && firstSeq !== null) draft.set({ first: { segment, seq: firstSeq } });
}
