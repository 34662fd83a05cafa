/** ContextEstimate: how large the next request would be, from the provider's last count and the bytes that came since. */
import { canonicalJson, type Item, utf8Length } from "@yoi/base";
import type { History } from "./history.ts";
import type { ContextSize } from "./loop-points.ts";

/** Rough for any text, and only used for what no provider has counted yet. */
const bytesPerToken = 4;
/** What providers count for a picture at most, about; its base64 says nothing of it. */
const imageTokens = 1_600;

export class ContextEstimate {
  /** Bytes of system prompt and tool schemas. */
  readonly #headBytes: number;
  readonly #bytes = new WeakMap<Item, number>();

  constructor(headBytes: number) {
    this.#headBytes = headBytes;
  }

  /** Of committed history with `queued` behind it. */
  of(history: History, queued: readonly Item[] = []): ContextSize {
    const { items } = history;
    // An answer that broke before its usage came was counted as nothing: that measures nothing.
    const measured = history.measured === null || history.measured.tokens === 0 ? null : history.measured;
    const counted = measured?.items ?? 0;
    let bytes = measured === null ? this.#headBytes : 0;
    for (let index = counted; index < items.length; index += 1) {
      const committed = items[index];
      if (committed !== undefined) bytes += this.#bytesOf(committed.item);
    }
    for (const item of queued) bytes += this.#bytesOf(item);
    return {
      items: items.length + queued.length,
      tokens: (measured?.tokens ?? 0) + Math.ceil(bytes / bytesPerToken),
    };
  }

  #bytesOf(item: Item): number {
    const known = this.#bytes.get(item);
    if (known !== undefined) return known;
    const bytes = bytesShown(item);
    this.#bytes.set(item, bytes);
    return bytes;
  }
}

function bytesShown(item: Item): number {
  if (item.type !== "tool_result" && item.type !== "system_item") return utf8Length(canonicalJson(item));
  const { images = [], record: _, ...text } = item;
  return utf8Length(canonicalJson(text)) + images.length * imageTokens * bytesPerToken;
}
