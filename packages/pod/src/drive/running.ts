/** Running: one run that goes on, with the notification runs that follow it, and what stopped it. */
import type { RunOutcome } from "@yoi/worker";
import { type RunStop, stoppedAs } from "../turn/close-run.ts";

export class Running {
  /** What stopped it first; nothing that comes later changes it. */
  stop: RunStop | null = null;
  /** The time was up when its answer was whole: its turn still ends, unless something else stops that, and nothing follows. */
  isLate = false;
  readonly ended: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Ids of its first `invoke` and of those with which it went on, over compactions too. */
  readonly #invokes = new Set<string>();
  #controller = new AbortController();

  /** It, or a run that follows it, is on record. */
  invoked(id: string): void {
    this.#invokes.add(id);
  }

  /** Whether it is the run whose `invoke` a client saw. */
  isNamed(run: string): boolean {
    return this.#invokes.has(run);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whoever stopped it means to go on with the turn: what was not begun of it is left for then. */
  get isResumable(): boolean {
    return this.stop !== null && this.stop.by !== "cancel";
  }

  stopFor(stop: RunStop): void {
    if (this.stop !== null) return;
    this.stop = stop;
    this.#controller.abort();
  }

  /** From here on only the end of its turn is left to do, and what stops it now stops that. */
  goLate(): void {
    this.isLate = true;
    this.stop = null;
    this.#controller = new AbortController();
  }

  /** What the worker says of its end, as its record says it. */
  asStopped(outcome: RunOutcome): RunOutcome {
    return this.stop === null ? outcome : stoppedAs(outcome, this.stop);
  }
}
