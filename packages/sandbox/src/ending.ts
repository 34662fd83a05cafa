/** Ending processes: asked first, then ended, then waited for. */
import { type Timers, YoiError } from "@yoi/base";

/** How long an asked process has to end by itself. */
export const graceMs = 1_000;
/** How long an ended process may take to be gone: the kernel has to finish its last system call. */
export const goneMs = 10_000;

/** Sends a signal; false when there is nothing to send it to. A negative pid is a group. */
export function signalProcess(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  // 0, 1 and -1 would be this group, init, and everything.
  if (!Number.isInteger(pid) || Math.abs(pid) < 2) throw new RangeError(`not a process of ours: ${pid}`);
  try {
    process.kill(pid, signal);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && (thrown.code === "ESRCH" || thrown.code === "EPERM"))
      return false;
    throw thrown;
  }
}

/** Waits until `isGone`, looking at first every millisecond; false when `limitMs` passed before. */
export async function waitUntil(isGone: () => boolean, limitMs: number, timers: Timers): Promise<boolean> {
  for (let waited = 0, step = 1; ; step = Math.min(step * 2, 50)) {
    if (isGone()) return true;
    if (waited >= limitMs) return false;
    await timers.sleep(step);
    waited += step;
  }
}

/** Waits for what says itself when it is over, which no look by the clock notices as soon; for `limitMs` at most. */
export async function within(over: Promise<unknown>, limitMs: number, timers: Timers): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<void>((resolve) => {
    cancel = timers.after(limitMs, resolve);
  });
  await Promise.race([over, late]);
  cancel();
}

export function notGone(what: string): YoiError {
  return new YoiError(
    "io_failed",
    `${what} could not be ended within ${goneMs / 1000} s: it is stuck in the kernel; look at it with ps.`,
  );
}
