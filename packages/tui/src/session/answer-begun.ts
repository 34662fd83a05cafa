/** What the beginning and the end of an answer mean to blocks. */
import type { Draft } from "./draft.ts";

/** The input of the run is not taken back any more. */
export function answerBegun(draft: Draft): void {
  const { input } = draft.held;
  if (input === null) return;
  for (const id of [input.id, ...input.attached]) {
    const block = draft.open(id);
    if (block !== null) draft.finish(block);
  }
  draft.hold({ input: null });
}

/** What only arrived comes on no record any more. */
export function answerOver(draft: Draft): void {
  draft.drop(draft.arriving);
}

/** A run ended, in whatever way. */
export function runOver(draft: Draft): void {
  answerBegun(draft);
  answerOver(draft);
  draft.set({ run: null, retry: null });
}
