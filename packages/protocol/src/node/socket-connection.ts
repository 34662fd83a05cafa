/** SocketConnection: a Connection of a local socket. Nothing that goes wrong with the socket is thrown anywhere but from `write`. */
import type { Socket } from "node:net";
import type { Connection } from "../connection.ts";

export class SocketConnection implements Connection {
  readonly incoming: AsyncIterable<Uint8Array>;
  readonly closed: Promise<void>;
  readonly #socket: Socket;

  /** @param socket open, with `allowHalfOpen`. */
  constructor(socket: Socket) {
    this.#socket = socket;
    // Whoever writes hears of it from `write`, and whoever reads finds the end.
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      if (socket.closed) resolve();
      else socket.once("close", () => resolve());
    });
    this.incoming = piecesOf(socket);
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => {
        if (error) reject(error);
        else if (this.#socket.destroyed) reject(new Error("The connection is over."));
        else resolve();
      });
    });
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

async function* piecesOf(socket: Socket): AsyncGenerator<Uint8Array, void, void> {
  try {
    // The end of what arrives is not the end of what is written.
    for await (const piece of socket.iterator({ destroyOnReturn: false })) yield piece as Buffer;
  } catch {
    // Reset, or destroyed by this side: over, as after an orderly end.
  }
}
