/** The ambient powers, as ports. Only `host` implements them; every other package is handed the ones it needs. */

export interface Clock {
  /** Milliseconds since the epoch. For records; never for order or timeouts. */
  now(): number;
  /** Milliseconds from an arbitrary start that never goes back. For durations and timeouts. */
  monotonic(): number;
}

export interface Timers {
  /** Calls `fire` once after `delayMs`; the returned function cancels it. A pending timer must not be left behind by its owner. */
  after(delayMs: number, fire: () => void): () => void;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it aborts. Leaves no timer behind. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
}

export interface Ids {
  /** UUID v7, lower case, strictly increasing within a process. */
  uuidV7(): string;
}
