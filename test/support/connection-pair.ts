/** Connections in memory: a pair of ends with a bounded buffer each way, and a place where clients connect. They behave like a local socket. */
import type { Connection, Listen } from "@yoi/protocol";

/** What a local socket's buffer holds, about. */
const bufferBytesDefault = 64 * 1024;

/** One direction. Bytes that were given stay readable after the giving side is over, as in a socket. */
class Pipe {
  readonly #bufferBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #readable = Promise.withResolvers<void>();
  #drained = Promise.withResolvers<void>();
  /** Nobody reads any more: what is given is refused. */
  deaf = false;

  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes;
  }

  /** Bytes that were given and not read. */
  get waiting(): number {
    return this.#bytes;
  }

  /** Nothing can be given any more. */
  get ended(): boolean {
    return this.#ended;
  }

  async give(bytes: Uint8Array): Promise<void> {
    this.#refuseWhenOver();
    this.#pieces.push(bytes.slice());
    this.#bytes += bytes.length;
    this.#readable.resolve();
    while (this.#bytes > this.#bufferBytes) {
      await this.#drained.promise;
      this.#refuseWhenOver();
    }
  }

  async take(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.deaf) return null;
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#bytes -= piece.length;
        this.#drained.resolve();
        this.#drained = Promise.withResolvers();
        return piece;
      }
      if (this.#ended) return null;
      await this.#readable.promise;
      this.#readable = Promise.withResolvers();
    }
  }

  end(): void {
    this.#ended = true;
    this.#readable.resolve();
  }

  /** The giving side is gone: what was given can still be read. */
  abandon(): void {
    this.end();
    this.#drained.resolve();
  }

  /** The reading side is gone: nothing can be given any more, and what waits is lost. */
  deafen(): void {
    this.deaf = true;
    this.#pieces.length = 0;
    this.#bytes = 0;
    this.#readable.resolve();
    this.#drained.resolve();
  }

  #refuseWhenOver(): void {
    if (this.#ended || this.deaf) throw new Error("the connection is over");
  }
}

class PairEnd implements Connection {
  readonly incoming: AsyncIterable<Uint8Array>;
  readonly closed: Promise<void>;
  readonly #closing = Promise.withResolvers<void>();
  readonly #to: Pipe;
  readonly #from: Pipe;
  #readToEnd = false;
  #iterated = false;

  constructor(to: Pipe, from: Pipe) {
    this.#to = to;
    this.#from = from;
    this.closed = this.#closing.promise;
    this.incoming = {
      [Symbol.asyncIterator]: () => {
        if (this.#iterated) throw new Error("incoming is iterated once");
        this.#iterated = true;
        return { next: async () => await this.#next() };
      },
    };
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#to.give(bytes);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  end(): void {
    this.#to.end();
    this.#closeWhenOver();
  }

  destroy(): void {
    this.#to.abandon();
    this.#from.deafen();
    this.#closing.resolve();
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    const piece = await this.#from.take();
    if (piece !== null) return { done: false, value: piece };
    this.#readToEnd = true;
    this.#closeWhenOver();
    return { done: true, value: undefined };
  }

  #closeWhenOver(): void {
    if (this.#readToEnd && this.#to.ended) this.#closing.resolve();
  }
}

export interface ConnectionPair {
  readonly client: Connection;
  readonly server: Connection;
  /** Bytes that the server gave and the client did not read yet. */
  readonly toClient: () => number;
  readonly toServer: () => number;
}

/** A write resolves while no more than `bufferBytes` wait to be read. */
export function connectionPair(options: { readonly bufferBytes?: number } = {}): ConnectionPair {
  const bufferBytes = options.bufferBytes ?? bufferBytesDefault;
  const up = new Pipe(bufferBytes);
  const down = new Pipe(bufferBytes);
  return {
    client: new PairEnd(up, down),
    server: new PairEnd(down, up),
    toClient: () => down.waiting,
    toServer: () => up.waiting,
  };
}

export interface MemoryPlace {
  readonly listen: Listen;
  /** Rejects while nobody listens. */
  readonly connect: (options?: { readonly bufferBytes?: number }) => Promise<Connection>;
  readonly connectPair: (options?: { readonly bufferBytes?: number }) => ConnectionPair;
}

/** A place to listen at, without a socket. */
export function memoryPlace(): MemoryPlace {
  let accept: ((connection: Connection) => void) | null = null;
  const connectPair = (options?: { readonly bufferBytes?: number }): ConnectionPair => {
    if (accept === null) throw new Error("nobody listens");
    const pair = connectionPair(options);
    accept(pair.server);
    return pair;
  };
  return {
    listen: async (taker) => {
      if (accept !== null) throw new Error("somebody listens already");
      accept = taker;
      return {
        close: async () => {
          accept = null;
        },
      };
    },
    connect: async (options) => connectPair(options).client,
    connectPair,
  };
}
