/** RateLimit: at most so many in any minute. */
import type { Clock } from "@yoi/base";

const windowMs = 60_000;

export class RateLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #perMinuteMax: number;
  /** When the last ones were taken, oldest first. */
  readonly #taken: number[] = [];

  constructor(clock: Pick<Clock, "monotonic">, perMinuteMax: number) {
    this.#clock = clock;
    this.#perMinuteMax = perMinuteMax;
  }

  /** False: too many in the last minute. What was refused does not count. */
  take(): boolean {
    const now = this.#clock.monotonic();
    while (this.#taken[0] !== undefined && now - this.#taken[0] >= windowMs) this.#taken.shift();
    if (this.#taken.length >= this.#perMinuteMax) return false;
    this.#taken.push(now);
    return true;
  }
}
