/** Fold of a rotation: history goes on in another segment. */
import { entryId } from "@yoi/base";
import type { Rotation } from "@yoi/protocol";
import { answerBegun, answerOver } from "./answer-begun.ts";
import type { Draft } from "./draft.ts";
import { beginIn } from "./begin-in.ts";
import { forgetPartials } from "./fold-partial.ts";

export function foldRotation(draft: Draft, { segment, generation, why, from, left }: Rotation): void {
  answerBegun(draft);
  answerOver(draft);
  // What is kept of it is among what is carried on.
  forgetPartials(draft);
  draft.learnGeneration(generation - 1);
  beginIn(draft, left.segment);
  if (why === "forked") {
    for (const block of draft.opened)
      if (block.kind === "call") draft.put(block, { ...block, progress: "unknown", output: "" }, true);
    // Of another one only the number is known.
    const place =
      from.segment === left.segment ? entryId(generation - 1, from.seq) : `${from.seq} of ${from.segment}`;
    const text = `the session went back (to the entry ${place}): the model reads no more of what stands above since then. /rewind leads back to it`;
    draft.add(`fork ${segment}`, { kind: "note", level: "info", text });
  }
  const told = [...draft.held.results.values()].map(({ id, command }) => [id, command] as const);
  draft.hold({
    segment,
    generation,
    cameAlong: true,
    isBeginning: false,
    results: new Map(),
    resultsBefore: new Map(told),
    queued: new Map(),
  });
  draft.set({ link: "catching_up", cursor: null });
}
