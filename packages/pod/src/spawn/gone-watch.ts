/** GoneWatch: a child that says that it ends, or is not reached any more, still has its lease for a moment: it is looked after until it is gone. */
import type { Clock, PodName, Timers } from "@yoi/base";

/** How long. */
export const goneMs = 15_000;
const lookFirstMs = 50;
const lookLastMs = 1_000;

export interface GoneWatchParts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Pick<Timers, "sleep">;
  /** Ends every watch: the next owner looks. */
  readonly signal: AbortSignal;
  /** Looks now; false: there is nothing more to wait for. Never throws. */
  readonly mayBeEnding: (name: PodName) => Promise<boolean>;
}

export class GoneWatch {
  readonly #parts: GoneWatchParts;
  readonly #watched = new Map<PodName, Promise<void>>();

  constructor(parts: GoneWatchParts) {
    this.#parts = parts;
  }

  /** One watch of a child at a time: who asks during one shares it. Never rejects. */
  lookAfter(name: PodName): Promise<void> {
    const going = this.#watched.get(name);
    if (going !== undefined) return going;
    const watching = this.#watch(name).finally(() => this.#watched.delete(name));
    this.#watched.set(name, watching);
    return watching;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#watched.values());
  }

  async #watch(name: PodName): Promise<void> {
    const { clock, timers, signal, mayBeEnding } = this.#parts;
    const untilMs = clock.monotonic() + goneMs;
    for (let waitMs = lookFirstMs; !signal.aborted; waitMs = Math.min(waitMs * 2, lookLastMs)) {
      if (!(await mayBeEnding(name)) || clock.monotonic() >= untilMs) return;
      // Rejects when the watch ends: then nothing more is looked at.
      await timers.sleep(waitMs, signal).catch(() => {});
    }
  }
}
