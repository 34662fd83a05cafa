/** RateLimit: at most so many in any minute. */
import type { Clock } from "@yoi/base";

const windowMs = 60_000;

/** One of those that there can be. */
export interface Taken {
  readonly atMs: number;
}

export class RateLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #perMinuteMax: number;
  /** The last ones that were taken, oldest first. */
  #taken: Taken[] = [];

  constructor(clock: Pick<Clock, "monotonic">, perMinuteMax: number) {
    this.#clock = clock;
    this.#perMinuteMax = perMinuteMax;
  }

  /** Null: too many in the last minute. What was refused does not count. */
  take(): Taken | null {
    const now = this.#clock.monotonic();
    while (this.#taken[0] !== undefined && now - this.#taken[0].atMs >= windowMs) this.#taken.shift();
    if (this.#taken.length >= this.#perMinuteMax) return null;
    const taken = { atMs: now };
    this.#taken.push(taken);
    return taken;
  }

  /** It came to nothing, and does not count. */
  giveBack(taken: Taken): void {
    this.#taken = this.#taken.filter((one) => one !== taken);
  }
}
