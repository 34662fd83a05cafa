/** What was used and what it cost, for scripts and for people. A cost that is not known is never shown as 0. */
import { type Cost, dollars, type JsonObject, noCost, noUsage, type Usage } from "@yoi/base";

export interface Spent {
  readonly usage: Usage;
  readonly cost: Cost;
}

export const nothingSpent: Spent = { usage: noUsage, cost: noCost };

/** `total_cost_usd` is null where it would be too low; `cost` says what is known. */
export function costFields({ nano_usd, unpriced_requests }: Cost): JsonObject {
  const usd = nano_usd / 1e9;
  return {
    total_cost_usd: unpriced_requests === 0 ? usd : null,
    cost: { known_usd: usd, unpriced_requests },
  };
}

/** As `$0.0042`, or what is not known of it. */
export function describeCost({ nano_usd, unpriced_requests: unpriced }: Cost): string {
  if (unpriced === 0) return dollars(nano_usd);
  if (nano_usd === 0) return "cost unknown";
  return `${dollars(nano_usd)} and ${unpriced} request${unpriced === 1 ? "" : "s"} of unknown cost`;
}

/** As `900 in (640 cached), 12 out, $0.0042`. */
export function describeSpent({ usage, cost }: Spent): string {
  const cached = usage.cache_read_tokens === 0 ? "" : ` (${usage.cache_read_tokens} cached)`;
  return `${usage.input_tokens} in${cached}, ${usage.output_tokens} out, ${describeCost(cost)}`;
}
