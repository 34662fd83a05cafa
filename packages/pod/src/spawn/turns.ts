/** Turns: what is done about one child is done one after the other; about different ones, beside each other. */
import type { PodName } from "@yoi/base";

export class Turns {
  readonly #last = new Map<PodName, Promise<unknown>>();

  /** Calls `work` when all that was asked for before it about the child has ended, however it ended. */
  take<T>(child: PodName, work: () => Promise<T>): Promise<T> {
    const next = (this.#last.get(child) ?? Promise.resolve()).then(work, work);
    this.#last.set(child, next);
    const left = (): void => {
      if (this.#last.get(child) === next) this.#last.delete(child);
    };
    next.then(left, left);
    return next;
  }

  /** Resolves when nothing goes on. */
  async ended(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
