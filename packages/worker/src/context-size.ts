/** ContextEstimate: how large the next request would be, from the provider's last count and the bytes that came since. */
import type { Item, MeasuredContext } from "@yoi/base";
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
    const model = this.#model();
    // What nobody counted, or another model's tokenizer did, measures nothing.
    const isMeasure = ({ tokens, model: of }: MeasuredContext) =>
      tokens > 0 && (of === undefined || of === model);
    const measured = history.measured !== null && isMeasure(history.measured) ? history.measured : null;
    const counted = measured?.items ?? 0;
    // Of a head that is another one by now, the difference.
    const head =
      measured === null ? this.#head.bytes : this.#head.bytes - (measured.head_bytes ?? this.#head.bytes);
    let size: ItemSize = { bytes: head, images: 0 };
    for (let index = counted; index < items.length; index += 1) {
      const committed = items[index];
      if (committed !== undefined) size = addSize(size, sizeShown(committed, projection));
    }
    for (const item of queued) size = addSize(size, sizeOfItem(item));
    const rate = bytesPerToken(history.calibration, model);
    return {
      items: items.length + queued.length,
      tokens: Math.max(0, (measured?.tokens ?? 0) + estimateTokens(size, rate)),
    };
  }
}
