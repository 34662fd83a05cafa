/** PauseTimer: a run that waits for its provider or the network goes on by itself when the time has come. */
import type { Clock, Timers } from "@yoi/base";
import { limitMsMax } from "@yoi/model";
import { passesByItself, type SessionState } from "@yoi/session-store";
import { limitWaits, pauseWaitMs } from "@yoi/worker";

/** A timer does not count while the machine sleeps: the clock is looked at this often. */
export const clockLookMs = 60_000;
/** Of the wait, and at most: so much later a Pod may go on, so that those that wait for the same do not all come at once. */
export const spreadShare = 0.1;
export const spreadMsMax = 60_000;

/** A pause that ends by itself. */
export interface Wait {
  /** Where it is on record: each one is waited for once. */
  readonly id: string;
  readonly until: number;
}

/** Null: the session is not paused, or waits for somebody. */
export function waitOf({ run, segment }: Pick<SessionState, "run" | "segment">): Wait | null {
  if (run.state !== "paused" || run.until === null) return null;
  if (!passesByItself(run.reason)) return null;
  return { id: `${segment}/${run.since}`, until: run.until };
}

/** When a Pod goes on: at `until`, a day from now at most, and later by its own share of the spread. At once where that is past. */
export function dueMs({ id, until: said }: Wait, nowMs: number): number {
  // Whoever wrote it may have had a clock that was ahead.
  const until = Math.min(said, nowMs + limitMsMax);
  // The last digits of a segment's id are random.
  const share = Number.parseInt(/([0-9a-f]{8})\/\d+$/.exec(id)?.[1] ?? "0", 16) / 2 ** 32;
  return until + Math.floor(share * Math.min(spreadMsMax, Math.max(0, until - nowMs) * spreadShare));
}

export interface PauseTimerParts {
  readonly clock: Clock;
  readonly timers: Pick<Timers, "after">;
  /** What is waited for now; null: nothing is. */
  readonly wait: () => Wait | null;
  /** Rejects where it could not get on record. */
  readonly goOn: () => Promise<unknown>;
}

/** A wait that was met. */
interface Met {
  readonly id: string;
  due: number;
  /** The same on the clock that nobody sets, which may stand while the machine sleeps. */
  dueMonotonic: number;
  isOver: boolean;
  /** Times that it could not be gone on. */
  failed: number;
}

export class PauseTimer {
  readonly #parts: PauseTimerParts;
  /** The last one. */
  #met: Met | null = null;
  #cancel: () => void = () => {};

  constructor(parts: PauseTimerParts) {
    this.#parts = parts;
  }

  /** What is waited for may be another thing now, or nothing. */
  look(): void {
    this.#cancel();
    this.#cancel = () => {};
    const { clock, timers, wait, goOn } = this.#parts;
    const now = wait();
    if (now === null) return;
    if (this.#met?.id !== now.id) {
      const due = dueMs(now, clock.now());
      const dueMonotonic = clock.monotonic() + due - clock.now();
      this.#met = { id: now.id, due, dueMonotonic, isOver: false, failed: 0 };
    }
    const met = this.#met;
    if (met.isOver) return;
    const leftMs = Math.min(met.due - clock.now(), met.dueMonotonic - clock.monotonic());
    if (leftMs > 0) {
      this.#cancel = timers.after(Math.min(leftMs, clockLookMs), () => this.look());
      return;
    }
    met.isOver = true;
    goOn().catch(() => this.#again(met));
  }

  /** A full disk may have room again. */
  #again(met: Met): void {
    const { clock } = this.#parts;
    const waitMs = pauseWaitMs(limitWaits, met.failed);
    met.failed += 1;
    met.due = clock.now() + waitMs;
    met.dueMonotonic = clock.monotonic() + waitMs;
    met.isOver = false;
    this.look();
  }
}
