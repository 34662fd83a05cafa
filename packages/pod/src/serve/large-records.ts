/** LargeRecords: records too large to be read for each client by itself. Each is in memory once for all who are given it, few at a time, and one is made at a time. */
import { largeRecordsMax } from "@yoi/protocol";
import type { StreamLine } from "./stream-line.ts";

interface Held {
  readonly line: Promise<StreamLine>;
  holders: number;
}

export class LargeRecords {
  readonly #held = new Map<string, Held>();
  #making: Promise<unknown> = Promise.resolve();
  #room = Promise.withResolvers<void>();

  /** Resolves when there may be room again. */
  get room(): Promise<void> {
    return this.#room.promise;
  }

  /** By segment and seq. Whoever gets it gives it back with `release`, also where it rejects with what `make` throws. Null: there is no room for another one. */
  hold(place: string, make: () => Promise<StreamLine>): Promise<StreamLine> | null {
    let held = this.#held.get(place);
    if (held === undefined) {
      if (this.#held.size >= largeRecordsMax) return null;
      held = { line: this.#made(make), holders: 0 };
      this.#held.set(place, held);
    }
    held.holders += 1;
    return held.line;
  }

  release(place: string): void {
    const held = this.#held.get(place);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#held.delete(place);
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }

  #made(make: () => Promise<StreamLine>): Promise<StreamLine> {
    const line = this.#making.then(make);
    this.#making = line.catch(() => {});
    return line;
  }
}
