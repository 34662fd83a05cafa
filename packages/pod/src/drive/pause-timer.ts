/** PauseTimer: a run that waits for its provider or the network goes on by itself when the time has come. */
import type { Clock, Timers } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";

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
  if (run.reason !== "provider_limit" && run.reason !== "network") return null;
  return { id: `${segment}/${run.since}`, until: run.until };
}

/** When a Pod goes on: at `until`, and later by its own share of the spread. At once where that is past. */
export function dueMs({ id, until }: Wait, nowMs: number): number {
  // The last digits of a segment's id are random.
  const share = Number.parseInt(/([0-9a-f]{8})\/\d+$/.exec(id)?.[1] ?? "0", 16) / 2 ** 32;
  return until + Math.floor(share * Math.min(spreadMsMax, Math.max(0, until - nowMs) * spreadShare));
}

export interface PauseTimerParts {
  readonly clock: Pick<Clock, "now">;
  readonly timers: Pick<Timers, "after">;
  /** What is waited for now; null: nothing is. */
  readonly wait: () => Wait | null;
  readonly goOn: () => void;
}

export class PauseTimer {
  readonly #parts: PauseTimerParts;
  /** The last one that was met, and when it is over. */
  #met: { readonly id: string; readonly due: number; isOver: boolean } | null = null;
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
    if (this.#met?.id !== now.id) this.#met = { id: now.id, due: dueMs(now, clock.now()), isOver: false };
    const met = this.#met;
    if (met.isOver) return;
    const leftMs = met.due - clock.now();
    if (leftMs > 0) {
      this.#cancel = timers.after(Math.min(leftMs, clockLookMs), () => this.look());
      return;
    }
    // Whatever keeps it from going on would do so again.
    met.isOver = true;
    goOn();
  }
}
