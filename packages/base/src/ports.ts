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

/** What a local socket needs of the file system. Paths are absolute; failures are YoiErrors. */
export interface SocketFiles {
  /** How the socket at `path`, which may be longer than an address can be, is connected to. */
  reach(path: string): SocketAddress;
  /** Where to bind the socket that is to stand at `path`. Only for the one who owns that path. */
  place(path: string): SocketPlace;
}

export interface SocketAddress {
  /** A path that an address can hold; good until `release`. */
  readonly address: string;
  release(): void;
}

export interface SocketPlace {
  /** What to bind; good until `withdraw`. Nobody looks for a socket here. */
  readonly address: string;
  /** Gives the bound socket its path, for its owner only (0600), in place of a socket of a dead process. */
  publish(): void;
  /** Takes the path away where it is still this socket's. Idempotent. To be called once the socket is closed. */
  withdraw(): void;
}
