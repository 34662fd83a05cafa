/** CacheBreak: what on record made a request begin otherwise than the one before it, and from where on. */
import {
  canonicalJson,
  type CommittedItem,
  type Entry,
  type Projection,
  type RequestConfig,
} from "@yoi/base";
import { isPruned, isQuarantined, prunedItem } from "@yoi/model";

export interface CacheBreak {
  readonly kind:
    | "pruned"
    | "images_refused"
    | "reasoning_refused"
    | "quarantined"
    | "tools_changed"
    | "config_changed";
  /** Of the record. */
  readonly seq: number;
  /** Where the common beginning ends. */
  readonly at: BreakPlace;
}

/** Nothing is common; system prompt and tools are; or all before the item with that index is. */
export type BreakPlace = "nothing" | "head" | number;

/** What a request was made with. */
export interface RequestShape {
  readonly config: RequestConfig;
  readonly projection: Projection;
  readonly tools: string;
}

/**
 * @param items that were in the request before; asked for only where the two differ in what they leave out.
 * @param between what was recorded since that one.
 * @returns null: the later one begins as the earlier one ends.
 */
export function cacheBreak(
  items: () => readonly CommittedItem[],
  before: RequestShape,
  after: RequestShape,
  between: readonly Entry[],
): CacheBreak | null {
  const last = (kind: Entry["kind"]) => between.findLast((entry) => entry.kind === kind)?.seq ?? 0;
  // Tools stand before everything else.
  if (before.tools !== after.tools)
    return { kind: "tools_changed", seq: last("tools_changed"), at: "nothing" };
  const { config: then, projection: shown } = before;
  const { config: now, projection } = after;
  if (then.model !== now.model) return { kind: "config_changed", seq: last("config_changed"), at: "nothing" };
  const isOther = (["reasoning", "images", "mid_system"] as const).some((key) => then[key] !== now[key]);
  if (isOther) return { kind: "config_changed", seq: last("config_changed"), at: "head" };
  if (canonicalJson({ ...shown }) === canonicalJson({ ...projection })) return null;
  const at = items().findIndex((item) => isSentOtherwise(item, shown, projection));
  const record = between.findLast((entry) => entry.kind === "projection" || entry.kind === "quarantined");
  if (at === -1 || record === undefined) return null;
  return { kind: record.kind === "projection" ? record.reason : "quarantined", seq: record.seq, at };
}

function isSentOtherwise(committed: CommittedItem, a: Projection, b: Projection): boolean {
  if (isPruned(committed, a) !== isPruned(committed, b))
    return prunedItem(committed, a) !== committed || prunedItem(committed, b) !== committed;
  const { item } = committed;
  if (
    "images" in item &&
    (item.images?.length ?? 0) > 0 &&
    hidesImages(committed, a) !== hidesImages(committed, b)
  )
    return !isPruned(committed, b);
  if (!("provider_data" in item) || item.provider_data === undefined) return false;
  return hidesReasoning(committed, a) !== hidesReasoning(committed, b);
}

function hidesImages(committed: CommittedItem, projection: Projection): boolean {
  return committed.seq < (projection.images_before ?? 0) || isQuarantined(committed, "images", projection);
}

function hidesReasoning(committed: CommittedItem, projection: Projection): boolean {
  return (
    committed.seq < (projection.reasoning_before ?? 0) || isQuarantined(committed, "reasoning", projection)
  );
}
