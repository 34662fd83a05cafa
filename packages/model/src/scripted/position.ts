/** Where in its scenario a request stands: a pure function of the request's items, so that a restored Pod goes on at the right place. */
import { type CommittedItem, flattenInput, idOf, type Item } from "@yoi/base";

export interface Position {
  /** How many answers are complete: the index of the step to play. */
  readonly step: number;
  /** How many answers of this step broke off. */
  readonly attempt: number;
}

/** What one item, or the first of an answer's, says of the place. `input`: something new for the model to read. */
export type Happening =
  | { readonly type: "answer" }
  /** The last answer broke off: it is asked for again. */
  | { readonly type: "broken" }
  /** One broke off of which nothing could be kept. */
  | { readonly type: "lost" }
  | { readonly type: "input"; readonly text: string; readonly isUser: boolean }
  | { readonly type: "left_out"; readonly position: Position };

/**
 * One answer is a run of assistant items with adjoining ids: they are committed in one batch, and between two answers stands at least the
 * record of a request. It broke off when the host's note about that (`interrupt`) is right behind it; such an answer has no tool calls, those are
 * dropped. A note that adjoins nothing tells of an answer of which nothing could be kept. Everything else is complete: an answer with parallel
 * calls, one whose tools were interrupted (that note adjoins their results), one at the output limit. Answers that a compaction took out of
 * history are counted in the record of its summary. Seqs say nothing here: what a compaction keeps adjoins in its segment, whatever stood between.
 */
export function* happenings(items: readonly CommittedItem[]): Generator<Happening> {
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
        yield { type: "answer" };
        called = false;
      }
      called ||= item.type === "tool_call";
    } else if (item.type === "system_item" && item.kind === "interrupt") {
      if (isAssistant(previous) && !called) yield { type: "broken" };
      else if (!adjoins) yield { type: "lost" };
    } else {
      const position = leftOut(item);
      if (position !== null) yield { type: "left_out", position };
      else if (item.type === "user_message")
        yield { type: "input", text: flattenInput(item.parts), isUser: true };
      else if (item.type === "system_item") yield { type: "input", text: item.body, isUser: false };
    }
    previous = item;
    if (!isLater || place.seq > (last?.seq ?? 0)) last = place;
  }
}

/** Of a scenario whose steps are played in their order. */
export function positionOf(items: readonly CommittedItem[]): Position {
  let position: Position = { step: 0, attempt: 0 };
  let before = position;
  for (const happening of happenings(items)) {
    switch (happening.type) {
      case "answer":
        before = position;
        position = { step: position.step + 1, attempt: 0 };
        break;
      case "broken":
        position = { ...before, attempt: before.attempt + 1 };
        break;
      case "lost":
        position = { ...position, attempt: position.attempt + 1 };
        break;
      case "left_out":
        position = happening.position;
        break;
      case "input":
        break;
    }
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
