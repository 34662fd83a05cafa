/** Left out: what stands in a request where the content of an old result was, and which content is long enough for that. */
import { type CommittedItem, idOf, type Projection, utf8Length } from "@yoi/base";
import { Once } from "./once.ts";

/** Bytes. Shorter content stays: what would stand in its place is hardly shorter. */
export const prunedContentBytesMin = 256;

/** Names what is not here and where the model finds it. @param id the `entryId` of the item. */
export function leftOutLine(id: string, bytes: number): string {
  return `[left out: ${grouped(bytes)} bytes; SessionRead ${id} shows them]`;
}

/** Digits in threes, the same everywhere: no locale has a say in what is sent. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

const lines = new Once<string | null>();

/** What stands for the content of a pruned result; null: the content stays. */
function lineFor(committed: CommittedItem, content: string): string | null {
  return lines.of(committed.item, idOf(committed), () => {
    const bytes = utf8Length(content);
    return bytes < prunedContentBytesMin ? null : leftOutLine(idOf(committed), bytes);
  });
}

export function isPruned({ seq, item }: CommittedItem, { prune_before }: Projection): boolean {
  return item.type === "tool_result" && prune_before !== null && seq < prune_before;
}

/** The item without what pruning takes from it; the same one where it takes nothing. */
export function prunedItem(committed: CommittedItem, projection: Projection): CommittedItem {
  const { item } = committed;
  if (item.type !== "tool_result" || !isPruned(committed, projection)) return committed;
  const { images, ...rest } = item;
  const line = item.content === undefined ? null : lineFor(committed, item.content);
  if (images === undefined && line === null) return committed;
  return { ...committed, item: line === null ? rest : { ...rest, content: line } };
}

/** Whether the provider refused a request for this part of the item. */
export function isQuarantined(
  { seq }: CommittedItem,
  part: "images" | "reasoning",
  { quarantined = [] }: Projection,
): boolean {
  return quarantined.some((one) => one.target === seq && one.part === part);
}
