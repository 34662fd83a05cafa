/** LookAgain: a hint may get lost, and a process may die unheard, so whoever has lent something looks by itself, now and then. */
import type { Timers } from "@yoi/base";

/** From the end of one look to the next. */
export const lookAgainMs = 3_000;

export interface LookAgainParts {
  readonly timers: Pick<Timers, "after">;
  readonly isNeeded: () => boolean;
  /** Never throws. */
  readonly look: () => Promise<void>;
}

export class LookAgain {
  readonly #parts: LookAgainParts;
  /** Null: no look is to come. */
  #cancel: (() => void) | null = null;
  #isLooking = false;
  #isClosed = false;

  constructor(parts: LookAgainParts) {
    this.#parts = parts;
  }

  /** It may be needed from now on. */
  wake(): void {
    const { timers, isNeeded } = this.#parts;
    if (this.#isClosed || this.#cancel !== null || this.#isLooking || !isNeeded()) return;
    this.#cancel = timers.after(lookAgainMs, () => {
      this.#cancel = null;
      void this.#look();
    });
  }

  /** None begins any more; one that goes on does. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    await this.#parts.look();
    this.#isLooking = false;
    this.wake();
  }
}
