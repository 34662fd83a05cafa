/** Where in its scenario a request stands: a pure function of the request's items, so that a restored Pod goes on at the right place. */
import { type CommittedItem, idOf, type Item } from "@yoi/base";

export interface Position {
  /** How many answers are complete: the index of the step to play. */
  readonly step: number;
  /** How many answers of this step broke off. */
  readonly attempt: number;
}

/**
 * One answer is a run of assistant items with adjoining ids: they are committed in one batch, and between two answers stands at least the
 * record of a request. It broke off when the host's note about that (`interrupt`) is right behind it; such an answer has no tool calls, those are
 * dropped. A note that adjoins nothing tells of an answer of which nothing could be kept. Everything else is complete: an answer with parallel
 * calls, one whose tools were interrupted (that note adjoins their results), one at the output limit. Answers that a compaction took out of
 * history are counted in the record of its summary. Seqs say nothing here: what a compaction keeps adjoins in its segment, whatever stood between.
 */
export function positionOf(items: readonly CommittedItem[]): Position {
  let position: Position = { step: 0, attempt: 0 };
  let before = position;
  let previous: Item | null = null;
  let called = false;
  let last: Place | null = null;
  for (const committed of items) {
    const { item } = committed;
    const place = placeOf(committed);
    const isLater = last !== null && place.generation === last.generation;
    const adjoins = isLater && place.seq === (last?.seq ?? 0) + 1;
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
    } else position = leftOut(item) ?? position;
    previous = item;
    if (!isLater || place.seq > (last?.seq ?? 0)) last = place;
  }
  return position;
}

/** What the summary of a compaction says of the answers that it took out; null: it is none. */
function leftOut(item: Item): Position | null {
  if (item.type !== "system_item" || item.kind !== "summary" || item.source !== "host") return null;
  const { answers, broken } = item.record ?? {};
  return typeof answers === "number" && typeof broken === "number"
    ? { step: answers, attempt: broken }
    : null;
}

/** Where an item was written first. */
interface Place {
  readonly generation: number;
  readonly seq: number;
}

function placeOf(committed: CommittedItem): Place {
  const [seq, generation = "0"] = idOf(committed).split("-").toReversed();
  return { generation: Number(generation), seq: Number(seq) };
}

function isAssistant(item: Item | null): boolean {
  return item?.type === "assistant_message" || item?.type === "reasoning" || item?.type === "tool_call";
}
