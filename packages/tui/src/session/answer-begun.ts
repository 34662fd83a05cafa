/** What the beginning and the end of an answer mean to blocks. */
import type { Draft } from "./draft.ts";

/** No input of the run is taken back any more. */
export function answerBegun(draft: Draft): void {
  const { inputs } = draft.held;
  if (inputs.length === 0) return;
  for (const { id, attached } of inputs)
    for (const one of [id, ...attached]) {
      const block = draft.open(one);
      if (block !== null) draft.finish(block);
    }
  draft.hold({ inputs: [] });
}

/** What only arrived comes on no record any more. */
export function answerOver(draft: Draft): void {
  draft.drop(draft.arriving);
}

/** A run ended, in whatever way. */
export function runOver(draft: Draft): void {
  answerBegun(draft);
  answerOver(draft);
  for (const block of draft.opened)
    if (block.kind === "call" && block.output !== "") draft.put(block, { ...block, output: "" }, false);
  draft.set({ run: null, retry: null });
}
