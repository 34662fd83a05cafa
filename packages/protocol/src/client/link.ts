/** Link: the client's end of one connection, as lines: what is sent goes out in order, and what arrives is read until it ends or is wrong. */
import type { Connection } from "../connection.ts";
import { frameBytesMax } from "../limits.ts";
import { LineReader, LineTooLong } from "../line-reader.ts";
import { BadPodLine, readPodLine, type PodLine } from "../read-pod-line.ts";
import { ConnectionLost } from "./pod-client.ts";

export class Link {
  readonly #connection: Connection;
  readonly #unsent: Uint8Array[] = [];
  #sending = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  send(line: Uint8Array): void {
    this.#unsent.push(line);
    if (!this.#sending) void this.#sendAll();
  }

  destroy(): void {
    this.#connection.destroy();
  }

  /**
   * Gives each line to `take`, and resolves with why there is none any more; the connection is over then.
   * @param take throws BadPodLine for a line that may not come, and ConnectionLost to end the connection; what else it throws, this throws.
   */
  async read(take: (said: PodLine) => void): Promise<ConnectionLost> {
    try {
      return await this.#readAll(take);
    } finally {
      this.#connection.destroy();
      await this.#connection.closed;
    }
  }

  async #readAll(take: (said: PodLine) => void): Promise<ConnectionLost> {
    const reader = new LineReader(frameBytesMax);
    try {
      for await (const piece of this.#connection.incoming) {
        for (const line of reader.take(piece)) take(readPodLine(line));
      }
      return new ConnectionLost("The Pod ended the connection.");
    } catch (error) {
      if (error instanceof ConnectionLost) return error;
      if (!(error instanceof BadPodLine || error instanceof LineTooLong)) throw error;
      return new ConnectionLost(error.message, { cause: error });
    }
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    try {
      for (let line = this.#unsent.shift(); line !== undefined; line = this.#unsent.shift()) {
        await this.#connection.write(line);
      }
    } catch {
      // The connection is over, and `read` says so.
      this.#connection.destroy();
    }
    this.#sending = false;
  }
}
