/** Where in its scenario a request stands: a pure function of the request's items, so that a restored Pod goes on at the right place. */
import type { CommittedItem, Item } from "@yoi/base";

export interface Position {
  /** How many answers are complete: the index of the step to play. */
  readonly step: number;
  /** How many answers of this step broke off. */
  readonly attempt: number;
}

/**
 * One answer is a run of assistant items with adjoining seqs: they are committed in one batch, and between two answers stands at least the
 * record of a request. It broke off when the host's note about that (`interrupt`) is right behind it; such an answer has no tool calls, those are
 * dropped. A note that adjoins nothing tells of an answer of which nothing could be kept. Everything else is complete: an answer with parallel
 * calls, one whose tools were interrupted (that note adjoins their results), one at the output limit.
 */
export function positionOf(items: readonly CommittedItem[]): Position {
  let position: Position = { step: 0, attempt: 0 };
  let before = position;
  let previous: Item | null = null;
  let called = false;
  let seqMax = -1;
  for (const { seq, item } of items) {
    const adjoins = seq === seqMax + 1;
    if (isAssistant(item)) {
      if (!(adjoins && isAssistant(previous))) {
        before = position;
        position = { step: position.step + 1, attempt: 0 };
        called = false;
      }
      called ||= item.type === "tool_call";
    } else if (item.type === "system_item" && item.kind === "interrupt") {
      if (isAssistant(previous) && !called) position = { ...before, attempt: before.attempt + 1 };
      else if (!adjoins) position = { ...position, attempt: position.attempt + 1 };
    }
    previous = item;
    seqMax = Math.max(seqMax, seq);
  }
  return position;
}

function isAssistant(item: Item | null): boolean {
  return item?.type === "assistant_message" || item?.type === "reasoning" || item?.type === "tool_call";
}
