/** Waiting that is never silent. */
import type { Timers } from "@yoi/base";

/** How long something may take before it is said what is waited for. */
export const silentMs = 1_000;

export interface SlowPorts {
  readonly timers: Pick<Timers, "after">;
  /** A sentence for the user. */
  readonly say: (text: string) => void;
}

/** Does `work`, and says `text` where that is slow. */
export async function sayIfSlow<T>(
  { timers, say }: SlowPorts,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const cancel = timers.after(silentMs, () => say(text));
  try {
    return await work();
  } finally {
    cancel();
  }
}
