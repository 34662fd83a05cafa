/** History as a compaction sees it: what an earlier one put first, the places where it may be cut, and what must go on. Pure. */
import type { CommittedItem, SystemItem, SystemItemKind } from "@yoi/base";

export const hostSource = "host";

const carriedOverKinds: ReadonlySet<SystemItemKind> = new Set(["summary", "user_inputs", "read_files"]);

/** What an earlier compaction wrote, which the next one writes anew. Only the host writes such items: a text that looks like one is not. */
function isCarriedOver(item: CommittedItem["item"]): item is SystemItem {
  if (item.type !== "system_item") return false;
  return item.kind === "feature_state" || (carriedOverKinds.has(item.kind) && item.source === hostSource);
}

/** The last item of a kind that the host carried over; null: there is none. */
export function carriedOver(
  items: readonly CommittedItem[],
  kind: "summary" | "user_inputs" | "read_files",
): SystemItem | null {
  const found = items.findLast(({ item }) => isCarriedOver(item) && item.kind === kind)?.item;
  return found?.type === "system_item" ? found : null;
}

/** All that is no carry-over of an earlier compaction. */
export function ownItems(items: readonly CommittedItem[]): readonly CommittedItem[] {
  return items.filter(({ item }) => !isCarriedOver(item));
}

/**
 * The indexes at which history may be cut, ascending: no answer is parted from its results, from its reasoning or in itself, and no input from what it attached.
 * Behind a call that has no result there is none.
 */
export function cutPlaces(items: readonly CommittedItem[]): readonly number[] {
  const open = new Set<string>();
  const places: number[] = [];
  for (const [index, { item }] of items.entries()) {
    const before = items[index - 1]?.item;
    if (open.size === 0 && !goesOn(before, item)) places.push(index);
    if (item.type === "tool_call") open.add(item.call);
    if (item.type === "tool_result") open.delete(item.call);
  }
  if (open.size === 0) places.push(items.length);
  return places;
}

type MaybeItem = CommittedItem["item"] | undefined;

function goesOn(before: MaybeItem, item: CommittedItem["item"]): boolean {
  if (isAnswer(item)) return isAnswer(before);
  return isAttached(item) && (before?.type === "user_message" || isAttached(before));
}

/** What an input brought along. */
export function isAttached(item: MaybeItem): boolean {
  return item?.type === "system_item" && (item.kind === "file_attachment" || item.kind === "skill");
}

export function isAnswer(item: MaybeItem): boolean {
  return item?.type === "assistant_message" || item?.type === "reasoning" || item?.type === "tool_call";
}

/** Where the last answer begins: it and all that came behind it, which no model has seen yet, go on. Nobody has answered yet: 0. */
export function mustKeepFrom(items: readonly CommittedItem[], places: readonly number[]): number {
  const last = items.findLastIndex(({ item }) => isAnswer(item));
  return places.findLast((place) => place <= last) ?? 0;
}

/** Calls without a result. */
export function openCalls(items: readonly CommittedItem[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { item } of items) {
    if (item.type === "tool_call") open.add(item.call);
    if (item.type === "tool_result") open.delete(item.call);
  }
  return open;
}
