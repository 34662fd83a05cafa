/** KeptItem: an item that goes on, under the id by which the Pod knows it. */
import { type CommittedItem, idOf, type Item } from "@yoi/base";

export interface KeptItem {
  readonly id: string;
  readonly item: Item;
}

export function keptItem(one: CommittedItem): KeptItem {
  return { id: idOf(one), item: one.item };
}
