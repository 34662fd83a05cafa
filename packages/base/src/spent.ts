/** Spent: what a Pod's session has used since it began. It only grows: going back in history gives nothing back. */
import type { LlmRequest, LlmUsage } from "./entry.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

export interface Spent {
  /** Usage records: one for each time that a request was sent, those of compactors included. */
  readonly requests: number;
  readonly usage: Usage;
  /** Billionths of a US dollar of the requests whose cost is known. */
  readonly cost_nano_usd: number;
  /** Requests whose cost is not known. */
  readonly unpriced_requests: number;
  /** Complete answers. */
  readonly turns: number;
  /** Milliseconds in which a run went on. */
  readonly run_ms: number;
  /** About how many tokens were sent that nobody counted, by the estimate on record of their requests. They are not in `usage`; absent: none. */
  readonly estimated_tokens?: number;
  /** What those cost, about, in billionths of a US dollar, where the price is known. It is not in `cost_nano_usd`; absent: nothing. */
  readonly estimated_cost_nano_usd?: number;
}

export const noSpent: Spent = Object.freeze({
  requests: 0,
  usage: noUsage,
  cost_nano_usd: 0,
  unpriced_requests: 0,
  turns: 0,
  run_ms: 0,
});

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    requests: a.requests + b.requests,
    usage: addUsage(a.usage, b.usage),
    cost_nano_usd: a.cost_nano_usd + b.cost_nano_usd,
    unpriced_requests: a.unpriced_requests + b.unpriced_requests,
    turns: a.turns + b.turns,
    run_ms: a.run_ms + b.run_ms,
    ...estimated(
      (a.estimated_tokens ?? 0) + (b.estimated_tokens ?? 0),
      (a.estimated_cost_nano_usd ?? 0) + (b.estimated_cost_nano_usd ?? 0),
    ),
  };
}

function estimated(
  tokens: number,
  nanoUsd: number,
): Pick<Spent, "estimated_tokens" | "estimated_cost_nano_usd"> {
  return {
    ...(tokens === 0 ? {} : { estimated_tokens: tokens }),
    ...(nanoUsd === 0 ? {} : { estimated_cost_nano_usd: nanoUsd }),
  };
}

/** With one more sending that nobody counted, as its request estimated it. */
export function addEstimate(spent: Spent, estimate: LlmRequest["estimate"]): Spent {
  if (estimate === undefined) return spent;
  const { tokens, cost_nano_usd = 0 } = estimate;
  return addSpent(spent, { ...noSpent, ...estimated(tokens, cost_nano_usd) });
}

/** Nobody said what that sending used. What was refused cost nothing, and that is known. */
export function isUncounted({ usage, cost_nano_usd }: LlmUsage): boolean {
  return cost_nano_usd === undefined && usage.input_tokens === 0 && usage.output_tokens === 0;
}
