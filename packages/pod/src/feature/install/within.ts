/** Waits for what a module does, for a limited time. */
import type { Timers } from "@yoi/base";

/** Rejects with what `run` threw, or when the time is up; what becomes of it then is nobody's. Leaves no timer behind. */
export function within(timers: Pick<Timers, "after">, ms: number, run: () => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(ms, () => reject(new Error(`it did not end within ${ms} ms.`)));
    const done = new Promise((settle) => settle(run()));
    done.then(
      () => {
        cancel();
        resolve();
      },
      (thrown: unknown) => {
        cancel();
        reject(thrown);
      },
    );
  });
}
