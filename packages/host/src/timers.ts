/** Timers over the one primitive that real and virtual time have in common. */
import type { Timers } from "@yoi/base";

export function timersOver(after: Timers["after"]): Timers {
  return {
    after,
    sleep(delayMs, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const stop = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(delayMs, () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        });
        signal?.addEventListener("abort", stop, { once: true });
      });
    },
  };
}
