/** Timers that say how many of them are pending: one that is left behind shows. */
import type { Timers } from "@yoi/base";

export function countedTimers(timers: Timers): { readonly timers: Timers; readonly pending: () => number } {
  const pending = new Set<symbol>();
  return {
    pending: () => pending.size,
    timers: {
      ...timers,
      after: (delayMs, fire) => {
        const timer = Symbol("timer");
        pending.add(timer);
        const cancel = timers.after(delayMs, () => {
          pending.delete(timer);
          fire();
        });
        return () => {
          pending.delete(timer);
          cancel();
        };
      },
    },
  };
}
