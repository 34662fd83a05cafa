/** A paste is one thing; what is typed by hand is line by line. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Timers } from "@yoi/base";
import { pastedLines, togetherMs } from "../../src/client/pasted-lines.ts";

/** Time that passes when it is told to. */
class Hands implements Timers {
  #now = 0;
  #waiting: { readonly at: number; readonly fire: () => void }[] = [];

  after(delayMs: number, fire: () => void): () => void {
    const waiting = { at: this.#now + delayMs, fire };
    this.#waiting.push(waiting);
    return () => void (this.#waiting = this.#waiting.filter((other) => other !== waiting));
  }

  sleep(): Promise<void> {
    throw new Error("nobody sleeps here");
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      next.fire();
    }
    this.#now = end;
  }

  get pending(): number {
    return this.#waiting.length;
  }
}

test("lines that come within the time are one paste, at its end and over the end of the input", async () => {
  const timers = new Hands();
  /** Of what is typed: a line, or milliseconds in which nothing is. */
  const typed: readonly (string | number)[] = [
    "one",
    togetherMs,
    "a",
    "b",
    togetherMs - 1,
    "c",
    togetherMs,
    "d",
    "e",
  ];
  async function* lines(): AsyncGenerator<string> {
    for (const next of typed) {
      // Whoever reads is told of a line before time passes.
      await new Promise(setImmediate);
      if (typeof next === "string") yield next;
      else timers.pass(next);
    }
  }
  const seen: (readonly string[])[] = [];
  for await (const together of pastedLines(lines(), timers)) seen.push(together);
  assert.deepEqual(seen, [["one"], ["a", "b", "c"], ["d", "e"]]);
  assert.equal(timers.pending, 0);
});
