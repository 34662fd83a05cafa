/** What stops a run from outside: a signal, or its time. Made before anything else of the run, so that it bounds all of it. */
import type { Clock, Timers } from "@yoi/base";
import { exitCode } from "./exit-code.ts";
import { type Failure, StoppedEarly } from "./failure.ts";
import { onStopSignals, type StopSignal } from "./signals.ts";

export interface RunStop extends Disposable {
  /** Aborts with a `StoppedEarly`, and only while the run has not begun. */
  readonly signal: AbortSignal;
  /** The first signal that came, if any. */
  readonly received: StopSignal | null;
  /** The same by its own name: a hangup counts as SIGTERM. */
  readonly receivedAs: NodeJS.Signals | null;
  /** Since this was made. */
  readonly elapsedMs: number;
  /**
   * The run begins: from here on a signal calls `pause`, and whoever runs it keeps the time that is left. Throws the `StoppedEarly` that came before.
   */
  begin(pause: () => void): void;
}

export function watchRunStop(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  timeoutMs: number | null,
  stoppedEarly = "Stopped by a signal before the run began: nothing was sent.",
): RunStop {
  const controller = new AbortController();
  const { signal } = controller;
  const startedMs = clock.monotonic();
  let stop = (by: StopSignal | "time"): void =>
    controller.abort(new StoppedEarly(failureBy(by, timeoutMs, stoppedEarly)));
  const signals = onStopSignals((received) => stop(received));
  const cancel = timeoutMs === null ? () => {} : timers.after(timeoutMs, () => stop("time"));
  return {
    signal,
    get received() {
      return signals.received;
    },
    get receivedAs() {
      return signals.receivedAs;
    },
    get elapsedMs() {
      return clock.monotonic() - startedMs;
    },
    begin(pause) {
      signal.throwIfAborted();
      cancel();
      stop = pause;
    },
    [Symbol.dispose]() {
      cancel();
      signals.dispose();
    },
  };
}

function failureBy(by: StopSignal | "time", timeoutMs: number | null, message: string): Failure {
  if (by === "time") {
    const over = `The time limit of ${(timeoutMs ?? 0) / 1000} s was over before the run began: nothing was sent.`;
    return { code: "limit_time", subtype: "limit_time", message: over, exitCode: exitCode.limit };
  }
  const code = by === "SIGTERM" ? exitCode.terminated : exitCode.interrupted;
  return { code: "interrupted", subtype: "interrupted", message, exitCode: code };
}

/**
 * `work`, or the reason of the signal as soon as it aborts; then `work` has `graceMs` to give up by itself. What comes of it later, if anything, is
 * given to `undo`. `abandoned` is called where it does not give up.
 */
export async function unlessStopped<T>(
  work: Promise<T>,
  options: {
    readonly signal: AbortSignal;
    readonly timers: Timers;
    readonly undo: (late: T) => Promise<void>;
    readonly abandoned: () => void;
  },
): Promise<T> {
  const { signal, timers, undo, abandoned } = options;
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, stopped.promise]);
  } catch (error) {
    if (!signal.aborted) throw error;
    const givenUp = new AbortController();
    const undone = work.then(undo).then(
      () => true,
      () => true,
    );
    const late = timers.sleep(graceMs, givenUp.signal).then(
      () => false,
      () => false,
    );
    if (!(await Promise.race([undone, late]))) abandoned();
    givenUp.abort();
    throw signal.reason;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const graceMs = 400;
