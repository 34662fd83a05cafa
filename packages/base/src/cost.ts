/** Cost: what requests cost, as whole billionths of a US dollar, so that sums are exact; and how many of them cost nobody knows what. */
import type { Usage } from "./usage.ts";

/** What tokens cost, in US dollars per million. */
export interface TokenRates {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

export interface Price extends TokenRates {
  /** The rates of a request whose whole prompt has more than `over_tokens`. */
  readonly long?: TokenRates & { readonly over_tokens: number };
}

export interface Cost {
  /** Of the requests whose cost is known. */
  readonly nano_usd: number;
  /** Requests without a known price, or without counts: their cost is not 0, and not in `nano_usd`. */
  readonly unpriced_requests: number;
}

export const noCost: Cost = Object.freeze({ nano_usd: 0, unpriced_requests: 0 });

/** `nanoUsd` of one more request; undefined: its cost is not known. */
export function addRequestCost(cost: Cost, nanoUsd: number | undefined): Cost {
  return nanoUsd === undefined
    ? { ...cost, unpriced_requests: cost.unpriced_requests + 1 }
    : { ...cost, nano_usd: cost.nano_usd + nanoUsd };
}

/** What came between two running totals. */
export function subtractCost(after: Cost, before: Cost): Cost {
  return {
    nano_usd: after.nano_usd - before.nano_usd,
    unpriced_requests: after.unpriced_requests - before.unpriced_requests,
  };
}

/** A rate as billionths of a dollar per million tokens: whole, for every rate that anybody charges. */
function nanoPerMillion(rate: number): bigint {
  return BigInt(Math.round(rate * 1e9));
}

/**
 * What one request cost, in billionths of a US dollar, rounded half up. The cached parts of the prompt have rates of their own. Never more than what a
 * number holds exactly.
 */
export function costOf(usage: Usage, price: Price): number {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const rates = price.long !== undefined && input_tokens > price.long.over_tokens ? price.long : price;
  const parts: readonly (readonly [tokens: number, rate: number])[] = [
    [Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens), rates.input],
    [cache_read_tokens, rates.cache_read],
    [cache_write_tokens, rates.cache_write],
    [output_tokens, rates.output],
  ];
  const million = 1_000_000n;
  const sum = parts.reduce((total, [tokens, rate]) => total + BigInt(tokens) * nanoPerMillion(rate), 0n);
  const nano = (sum + million / 2n) / million;
  return nano > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(nano);
}

/** An amount for people, as `$0.0042`: two digits after the point from a dollar on, four below, and never 0 for what was something. */
export function dollars(nanoUsd: number): string {
  if (nanoUsd === 0) return "$0";
  const usd = nanoUsd / 1e9;
  if (usd < 0.0001) return "<$0.0001";
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
