/** Outbox: the lines that wait for one connection. One write goes on at a time, and what waits meanwhile is written joined. */
import type { Timers } from "@yoi/base";
import { clientBytesMax, clientEventsMax, type Connection, type Cursor, untakenMs } from "@yoi/protocol";
import type { StreamLine } from "./stream-line.ts";

/** Bytes of a joined write; a line alone may be larger. */
export const writeBytesMax = 64 * 1024;
/** Bytes of a large line that are written at a time: each of them that is taken shows that its reader reads. */
export const pieceBytesMax = 256 * 1024;

export class Outbox {
  readonly #connection: Pick<Connection, "write">;
  readonly #timers: Pick<Timers, "after">;
  readonly #overflow: () => void;
  #waiting: StreamLine[] = [];
  /** Of what waits, one oversized line apart. */
  #bytes = 0;
  /** A line over `clientBytesMax` waits: one at a time may. */
  #isOversized = false;
  #writing: Promise<void> | null = null;
  #isOver = false;
  #place: Cursor | null = null;

  /** @param overflow called in the moment in which more waits than may, or for longer. */
  constructor(connection: Pick<Connection, "write">, timers: Pick<Timers, "after">, overflow: () => void) {
    this.#connection = connection;
    this.#timers = timers;
    this.#overflow = overflow;
  }

  /** The last entry that was given to the connection; null: none was. */
  get place(): Cursor | null {
    return this.#place;
  }

  /** Nothing that is pushed leaves any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(line: StreamLine): void {
    if (this.#isOver) {
      line.left?.();
      return;
    }
    this.#waiting.push(line);
    if (this.#isAlone(line)) this.#isOversized = true;
    else this.#bytes += line.bytes.length;
    this.#writing ??= this.#write();
    if (this.#waiting.length > clientEventsMax || this.#bytes > clientBytesMax) this.#overflow();
  }

  /** What waits is thrown away; `line` follows what is being written, and nothing follows it. */
  endWith(line: StreamLine): void {
    if (this.#isOver) return;
    this.#clear();
    this.push(line);
    this.#isOver = true;
  }

  /** What waits is still written, and nothing more. */
  end(): void {
    this.#isOver = true;
  }

  /** Resolves when nothing waits any more, or the connection is over. Never rejects. */
  async drained(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#take();
        try {
          await this.#give(joined(lines));
        } finally {
          for (const line of lines) line.left?.();
        }
      }
    } catch {
      // The connection is over: its reader sees that too, and what waits has nobody to go to.
      this.#isOver = true;
      this.#clear();
    }
    this.#writing = null;
  }

  async #give(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytesMax) {
      const cancel = this.#timers.after(untakenMs, this.#overflow);
      try {
        await this.#connection.write(bytes.subarray(at, at + pieceBytesMax));
      } finally {
        cancel();
      }
    }
  }

  #take(): readonly StreamLine[] {
    let count = 0;
    let bytes = 0;
    for (const line of this.#waiting) {
      if (count > 0 && bytes + line.bytes.length > writeBytesMax) break;
      count += 1;
      bytes += line.bytes.length;
    }
    const taken = this.#waiting.splice(0, count);
    for (const line of taken) {
      if (line.bytes.length > clientBytesMax && this.#isOversized) this.#isOversized = false;
      else this.#bytes -= line.bytes.length;
      this.#place = line.place ?? this.#place;
    }
    return taken;
  }

  #isAlone(line: StreamLine): boolean {
    return line.bytes.length > clientBytesMax && !this.#isOversized;
  }

  #clear(): void {
    const thrownAway = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#isOversized = false;
    for (const line of thrownAway) line.left?.();
  }
}

function joined(lines: readonly StreamLine[]): Uint8Array {
  const [first] = lines;
  return lines.length === 1 && first !== undefined
    ? first.bytes
    : Buffer.concat(lines.map((line) => line.bytes));
}
