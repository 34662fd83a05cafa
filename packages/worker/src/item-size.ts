/** ItemSize: how much of a request an item takes, and how many tokens that is about, by what the provider counted for others. */
import {
  bytesPerTokenMax,
  type Calibration,
  canonicalJson,
  type CommittedItem,
  idOf,
  type Item,
  type Projection,
  utf8Length,
} from "@yoi/base";
import { isPruned, isQuarantined, prunedItem } from "@yoi/model";

/** What is shown of something: text as bytes of JSON, and pictures, whose base64 says nothing of what they cost. */
export interface ItemSize {
  readonly bytes: number;
  readonly images: number;
}

export const noSize: ItemSize = Object.freeze({ bytes: 0, images: 0 });

/** Rough for any text, and only used for a model of which no provider has counted anything yet. */
export const bytesPerTokenDefault = 4;
/** Text that takes more tokens for its bytes is rare; a count that says so is of something else. */
export const bytesPerTokenMin = 1.5;
/** What providers count for a picture at most, about. */
export const imageTokens = 1_600;

/** Of the model named `provider/id`. */
export function bytesPerToken(calibration: Calibration, model: string): number {
  const known = calibration[model];
  if (known === undefined || known.tokens <= 0) return bytesPerTokenDefault;
  return Math.min(bytesPerTokenMax, Math.max(bytesPerTokenMin, known.bytes / known.tokens));
}

/** Whole tokens, rounded up. @param rate bytes of one token. */
export function estimateTokens({ bytes, images }: ItemSize, rate: number): number {
  return Math.ceil(bytes / rate) + images * imageTokens;
}

export function addSize(a: ItemSize, b: ItemSize): ItemSize {
  return { bytes: a.bytes + b.bytes, images: a.images + b.images };
}

/** Items are frozen, so each is measured once. */
const sizes = new WeakMap<Item, ItemSize>();

/** Of an item that is sent whole. */
export function sizeOfItem(item: Item): ItemSize {
  const known = sizes.get(item);
  if (known !== undefined) return known;
  const size = measure(item);
  if (Object.isFrozen(item)) sizes.set(item, size);
  return size;
}

function measure(item: Item): ItemSize {
  if (item.type !== "tool_result" && item.type !== "system_item")
    return { bytes: utf8Length(canonicalJson(item)), images: 0 };
  const { images = [], record: _, ...text } = item;
  return { bytes: utf8Length(canonicalJson(text)), images: images.length };
}

/** What is left of a pruned result names its id, and else depends on the item alone. Null: nothing is taken from it. */
const prunedSizes = new WeakMap<Item, { readonly id: string; readonly size: ItemSize | null }>();

function sizeOfPruned(committed: CommittedItem, projection: Projection): ItemSize | null {
  const { item } = committed;
  const id = idOf(committed);
  const known = prunedSizes.get(item);
  if (known?.id === id) return known.size;
  const pruned = prunedItem(committed, projection);
  const size = pruned === committed ? null : measure(pruned.item);
  if (Object.isFrozen(item)) prunedSizes.set(item, { id, size });
  return size;
}

/** As the projection has it sent. */
export function sizeShown(committed: CommittedItem, projection: Projection): ItemSize {
  const { seq, item } = committed;
  const isBefore = (from: number | null = null) => from !== null && seq < from;
  const isWithout = (part: "images" | "reasoning") => isQuarantined(committed, part, projection);
  if (isPruned(committed, projection)) {
    const pruned = sizeOfPruned(committed, projection);
    if (pruned !== null) return pruned;
  }
  if (item.type === "reasoning" && (isBefore(projection.reasoning_before) || isWithout("reasoning")))
    return noSize;
  const size = sizeOfItem(item);
  return size.images > 0 && (isBefore(projection.images_before) || isWithout("images"))
    ? { ...size, images: 0 }
    : size;
}
