/** Connection: one byte stream between a client and a Pod, as both sides see it. `./node` makes them of sockets; tests make pairs in memory. */

export interface Connection {
  /**
   * Gives bytes to the other side. Resolves when the system has taken them, which is when more may be given; one call at a time. Rejects when the
   * connection is over.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** What arrives, in pieces of any size; ends with the connection. Iterated once; while it is not asked for the next piece, nothing more is read. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Ends this side once what was written is sent; what arrives is still read. */
  end(): void;
  /** Ends both sides at once. Idempotent. */
  destroy(): void;
  /** Resolves when both sides are over, however they ended. Never rejects. */
  readonly closed: Promise<void>;
}

/** Where clients connect. Closing it leaves open connections as they are. */
export interface Listener {
  close(): Promise<void>;
}

/** Binds, and gives every connection to `accept`, which must not throw. */
export type Listen = (accept: (connection: Connection) => void) => Promise<Listener>;
