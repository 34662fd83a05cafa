/** Waiting that a cancel ends: nothing in the loop is awaited without the signal. */
import type { Timers } from "@yoi/base";

/** The run's signal aborted. Caught once, where the run closes what is open. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
  constructor() {
    super("the run was cancelled");
  }
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new Cancelled();
}

/** `work`, or Cancelled as soon as the signal aborts; what is left then is awaited by nobody. Not called at all when it has aborted. */
export function raced<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(new Cancelled());
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(new Cancelled());
    signal.addEventListener("abort", stop, { once: true });
    const done = () => signal.removeEventListener("abort", stop);
    started(work).then(resolve, reject).then(done);
  });
}

export type Settled<T> = { readonly settled: true; readonly value: T } | { readonly settled: false };

/** `work`; once the signal aborts it has `graceMs` to settle, then it is given up. */
export function settledWithin<T>(
  signal: AbortSignal,
  grace: { readonly timers: Timers; readonly ms: number },
  work: () => Promise<T>,
): Promise<Settled<T>> {
  return new Promise<Settled<T>>((resolve, reject) => {
    let clear = () => {};
    const stop = () => {
      clear = grace.timers.after(grace.ms, () => resolve({ settled: false }));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const done = () => {
      clear();
      signal.removeEventListener("abort", stop);
    };
    started(work)
      .then((value) => resolve({ settled: true, value }), reject)
      .then(done);
  });
}

/** A throw before the first await is a rejection too. */
async function started<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

/** Calls an observer: what it throws changes nothing. */
export function told(observer: () => void): void {
  try {
    observer();
  } catch {
    // An observer cannot change a run; there is nobody else to tell.
  }
}

/** A controller that aborts with `signal`, and can abort alone. `unlink` when its work is over. */
export function linkedController(signal: AbortSignal): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { controller, unlink: () => signal.removeEventListener("abort", abort) };
}
