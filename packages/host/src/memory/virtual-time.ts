/** Virtual time: nothing passes unless the test says so. */
import type { Clock, Timers } from "@yoi/base";
import { timersOver } from "../timers.ts";

interface Pending {
  readonly dueMs: number;
  readonly fire: () => void;
}

export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Moves time forward, fires what falls due in order, and lets each firing's promises settle before the next. */
  advance(ms: number): Promise<void>;
  /** Forgets every timer: the process they belonged to is gone. */
  clear(): void;
}

export function virtualTime(startMs: number): VirtualTime {
  let elapsedMs = 0;
  const pending = new Set<Pending>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const nextDue = (untilMs: number): Pending | null => {
    let first: Pending | null = null;
    for (const timer of pending) {
      if (timer.dueMs <= untilMs && (first === null || timer.dueMs < first.dueMs)) first = timer;
    }
    return first;
  };
  return {
    clock: { now: () => startMs + elapsedMs, monotonic: () => elapsedMs },
    timers: timersOver((delayMs, fire) => {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), fire };
      pending.add(timer);
      return () => pending.delete(timer);
    }),
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      await settle();
      for (let timer = nextDue(untilMs); timer !== null; timer = nextDue(untilMs)) {
        pending.delete(timer);
        elapsedMs = Math.max(elapsedMs, timer.dueMs);
        timer.fire();
        await settle();
      }
      elapsedMs = untilMs;
    },
    clear: () => pending.clear(),
  };
}
