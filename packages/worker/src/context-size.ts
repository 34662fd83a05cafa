/** ContextEstimate: how large the next request would be, from the provider's last count and the bytes that came since. */
import type { Item } from "@yoi/base";
import type { History } from "./history.ts";
import { addSize, bytesPerToken, estimateTokens, type ItemSize, sizeOfItem, sizeShown } from "./item-size.ts";
import type { ContextSize } from "./loop-points.ts";

/** What of a history an estimate is made from. */
export type Measurable = Pick<History, "items" | "projection" | "measured" | "calibration">;

export class ContextEstimate {
  readonly #head: ItemSize;
  readonly #model: () => string;

  /**
   * @param headBytes of system prompt and tool schemas.
   * @param model in force, as `provider/id`.
   */
  constructor(headBytes: number, model: () => string) {
    this.#head = { bytes: headBytes, images: 0 };
    this.#model = model;
  }

  /** Of committed history with `queued` behind it. */
  of(history: Measurable, queued: readonly Item[] = []): ContextSize {
    const { items, projection } = history;
    // An answer that broke before its usage came was counted as nothing: that measures nothing.
    const measured = history.measured === null || history.measured.tokens === 0 ? null : history.measured;
    const counted = measured?.items ?? 0;
    let size = measured === null ? this.#head : { bytes: 0, images: 0 };
    for (let index = counted; index < items.length; index += 1) {
      const committed = items[index];
      if (committed !== undefined) size = addSize(size, sizeShown(committed, projection));
    }
    for (const item of queued) size = addSize(size, sizeOfItem(item));
    const rate = bytesPerToken(history.calibration, this.#model());
    return {
      items: items.length + queued.length,
      tokens: (measured?.tokens ?? 0) + estimateTokens(size, rate),
    };
  }
}
