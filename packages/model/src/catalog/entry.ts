/** What the catalog says of a model. */
import type { Price, TokenRates } from "@yoi/base";

export interface ModelEntry {
  readonly provider: string;
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly outputMax: number;
  readonly images: boolean;
  /**
   * Takes `system` messages anywhere in the history. Claude models from Opus 4.8 on take them only before an answer or at the end, which
   * a history of hours does not keep, so none of them says so; OpenAI's are sent as `developer` whatever this says.
   */
  readonly midSystem: boolean;
  /** The standard rates of the vendor's own API. Null: not known, so the cost of its requests is not either. */
  readonly price: Price | null;
  /** A price that the vendor has announced. */
  readonly nextPrice?: { readonly fromMs: number; readonly price: Price };
}

/** In US dollars per million tokens. */
export function rates(input: number, output: number, cacheRead: number, cacheWrite: number): TokenRates {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
