/** Spent: what a Pod's session has used since it began. It only grows: going back in history gives nothing back. */
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
  };
}
