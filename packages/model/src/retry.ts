/** Retry: a failed request is sent again, the same bytes, as long as nothing of an answer was shown. Wraps a model. */
import type { Random, Timers } from "@yoi/base";
import { cancelled } from "./failure.ts";
import type { Model, ModelEvent, ModelFailure, ModelRequest, StreamOptions } from "./model.ts";
import { withStream } from "./wrap.ts";

export interface RetryPolicy {
  readonly baseMs: number;
  readonly capMs: number;
  /** The first one included. */
  readonly attemptsMax: number;
  /** Spent waiting between attempts, all of them together. The attempts have limits of their own. */
  readonly waitBudgetMs: number;
  /** The same, where the provider says how long to wait. */
  readonly retryAfterBudgetMs: number;
}

export const retryPolicy: RetryPolicy = {
  baseMs: 500,
  capMs: 10_000,
  attemptsMax: 4,
  waitBudgetMs: 40_000,
  retryAfterBudgetMs: 300_000,
};

/**
 * The wait before attempt `attempt + 1` (`attempt` counts from 1), or null when it would be over the budget. Full jitter; where the
 * provider says how long, at least that, and up to `baseMs` more so that many Pods do not come back at once.
 */
export function retryWaitMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  waitedMs: number,
  random: Random,
): number | null {
  if (retryAfterMs !== undefined) {
    if (waitedMs + retryAfterMs > policy.retryAfterBudgetMs) return null;
    return Math.ceil(retryAfterMs + random.next() * policy.baseMs);
  }
  const ceilingMs = Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
  const waitMs = Math.ceil(random.next() * ceilingMs);
  return waitedMs + waitMs > policy.waitBudgetMs ? null : waitMs;
}

export interface RetryPorts {
  readonly timers: Timers;
  readonly random: Random;
}

/**
 * `model` with retries. Before the first block of an answer a retryable failure becomes a `retry` event, a wait and another attempt
 * (`beforeSend` is called for each); after it, and in the end, it is passed on as it is, with `retryAfterMs`.
 */
export function withRetry(model: Model, ports: RetryPorts, policy: RetryPolicy = retryPolicy): Model {
  async function* stream(request: ModelRequest, options: StreamOptions): AsyncGenerator<ModelEvent> {
    let waitedMs = 0;
    for (let attempt = 1; ; attempt += 1) {
      let failed: Extract<ModelEvent, { type: "failure" }> | null = null;
      let shown = false;
      for await (const event of model.stream(request, options)) {
        if (event.type === "failure") {
          failed = event;
          break;
        }
        if (event.type === "block_start") shown = true;
        yield event;
      }
      if (failed === null) return;
      const waitMs = shown ? null : nextWait(failed.failure, attempt, waitedMs);
      if (waitMs === null) {
        yield failed;
        return;
      }
      const { failure, usage } = failed;
      yield { type: "retry", attempt, attemptsMax: policy.attemptsMax, waitMs, failure, usage };
      waitedMs += waitMs;
      try {
        await ports.timers.sleep(waitMs, options.signal);
      } catch (error) {
        if (!options.signal.aborted) throw error;
        yield { type: "failure", failure: cancelled, usage: null };
        return;
      }
    }
  }

  function nextWait(failure: ModelFailure, attempt: number, waitedMs: number): number | null {
    if (!failure.retryable || attempt >= policy.attemptsMax) return null;
    return retryWaitMs(policy, attempt, failure.retryAfterMs, waitedMs, ports.random);
  }

  return withStream(model, stream);
}
