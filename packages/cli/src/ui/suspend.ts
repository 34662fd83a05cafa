/** Suspending the program, as the shell's Ctrl-Z does. */
import type { Timers } from "@yoi/base";

/** A stop that came reaches every thread within this. */
const stopMs = 50;

/**
 * Resolves when it goes on: a timer stands still while it is stopped, and passes where nothing stops it.
 * @param stop `stopOwnGroup` of host
 */
export async function suspend(stop: () => void, timers: Pick<Timers, "sleep">): Promise<void> {
  stop();
  await timers.sleep(stopMs);
}
