/** ItemSize: how much of a request an item takes, and how many tokens that is about, by what the provider counted for others. */
import {
  type Calibration,
  canonicalJson,
  type CommittedItem,
  type Item,
  type Projection,
  utf8Length,
} from "@yoi/base";
import { isQuarantined, prunedItem } from "@yoi/model";

/** What is shown of something: text as bytes of JSON, and pictures, whose base64 says nothing of what they cost. */
export interface ItemSize {
  readonly bytes: number;
  readonly images: number;
}

export const noSize: ItemSize = Object.freeze({ bytes: 0, images: 0 });

/** Rough for any text, and only used for a model of which no provider has counted anything yet. */
export const bytesPerTokenDefault = 4;
/** Text that takes more tokens for its bytes, or fewer, is rare; a count that says so is of something else. */
export const bytesPerTokenMin = 1.5;
export const bytesPerTokenMax = 8;
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

/** As the projection has it sent. */
export function sizeShown(committed: CommittedItem, projection: Projection): ItemSize {
  const { seq, item } = committed;
  const isBefore = (from: number | null = null) => from !== null && seq < from;
  const isWithout = (part: "images" | "reasoning") => isQuarantined(committed, part, projection);
  const pruned = prunedItem(committed, projection);
  if (pruned !== committed) return measure(pruned.item);
  if (item.type === "reasoning" && (isBefore(projection.reasoning_before) || isWithout("reasoning")))
    return noSize;
  const size = sizeOfItem(item);
  return size.images > 0 && (isBefore(projection.images_before) || isWithout("images"))
    ? { ...size, images: 0 }
    : size;
}
