/** Conformance: what a provider's refusals and broken streams make of the next attempt, in exact times on a clock that only the test moves. */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { noUsage } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { withRetry } from "@yoi/model";
import type { Answer, StreamPosition } from "../../../../test/support/provider-answer.ts";
import { checks, hello, plain, type Adapter, type Bench } from "./adapter.ts";
import { read, type ReadAnswer } from "../support.ts";

interface Attempts {
  /** When each request left, in ms after the first. */
  readonly at: readonly number[];
  readonly answer: ReadAnswer;
}

/** Reads an answer through retries. `random` is taken in turn; each wait passes up to its last millisecond, then that. */
async function attempts(bench: Bench, random: readonly number[]): Promise<Attempts> {
  const host = memoryHost({ seed: 1 });
  const left = [...random];
  const next = (): number => {
    const value = left.shift();
    if (value === undefined) throw new Error("more randomness is asked for than the row has");
    return value;
  };
  const startMs = host.clock.monotonic();
  const at: number[] = [];
  const pass = async (waitMs: number): Promise<void> => {
    const before = bench.requests.length;
    await turn();
    await host.advance(waitMs - 1);
    assert.equal(bench.requests.length, before);
    await host.advance(1);
  };
  const passed: Promise<void>[] = [];
  const answer = await read(withRetry(bench.model, { timers: host.timers, random: { next } }), hello, {
    beforeSend: async () => void at.push(host.clock.monotonic() - startMs),
    onEvent: (event) => event.type === "retry" && passed.push(pass(event.waitMs)),
  });
  await Promise.all(passed);
  assert.deepEqual(left, []);
  return { at, answer };
}

export function retriesConformance(adapter: Adapter): void {
  const check = checks(adapter);
  const overloaded = adapter.refusal(529, "overloaded", "Overloaded");
  const limited = (retryAfter: string): Answer =>
    adapter.refusal(429, "rate_limit", "slow down", { "retry-after": retryAfter });
  const endsAfter = (after: StreamPosition): Answer => ({ ...plain, fault: { type: "end", after } });
  const inStream: Answer = { ...plain, fault: { type: "error", after: 0, error: adapter.overloaded } };

  /** Answers, randomness, when the requests leave, and how it ends: with `finish` or a kind of failure. */
  type Row = readonly [string, readonly Answer[], readonly number[], readonly number[], string];
  const rows: readonly Row[] = [
    [
      "backoff doubles",
      [overloaded, overloaded, overloaded, plain],
      [0.5, 0.5, 0.5],
      [0, 250, 750, 1750],
      "finish",
    ],
    ["full jitter, from its ends", [overloaded, overloaded, plain], [0.002, 0.999], [0, 1, 1000], "finish"],
    [
      "Retry-After in seconds, a part of one, and as a date",
      [limited("7"), limited("1.5"), limited("Thu, 01 Jan 2026 00:00:30 GMT"), plain],
      [0.5, 0.002, 0.5],
      [0, 7250, 8751, 39_001],
      "finish",
    ],
    [
      "a Retry-After that is none, or that is past, is no wait of its own",
      [limited("soon"), limited("Wed, 31 Dec 2025 00:00:00 GMT"), plain],
      [0.5, 0.5],
      [0, 250, 500],
      "finish",
    ],
    ["Retry-After at its budget", [limited("300"), plain], [0.5], [0, 300_250], "finish"],
    ["Retry-After over its budget", [limited("301")], [], [0], "rate_limit"],
    [
      "Retry-After over what is left of it",
      [limited("200"), limited("101")],
      [0.5],
      [0, 200_250],
      "rate_limit",
    ],
    [
      "four attempts and no more",
      [overloaded, overloaded, overloaded, overloaded],
      [0.5, 0.5, 0.5],
      [0, 250, 750, 1750],
      "overloaded",
    ],
    [
      "what is wrong with the request is not sent again",
      [adapter.refusal(400, "invalid_request", "bad")],
      [],
      [0],
      "invalid_request",
    ],
    ["a refused key is not sent again", [adapter.refusal(401, "auth", "no")], [], [0], "auth"],
    ["a connection that is lost before an answer", ["hang_up", plain], [0.5], [0, 250], "finish"],
    ["an error event before anything", [inStream, plain], [0.5], [0, 250], "finish"],
    ["a stream that breaks before anything is shown", [endsAfter(0), plain], [0.5], [0, 250], "finish"],
    [
      "a stream that breaks after that is not asked for again",
      [endsAfter({ deltas: 1 })],
      [],
      [0],
      "stream_broken",
    ],
  ];
  check(
    "retry: an attempt that was refused used nothing, of one that broke off nobody knows",
    [overloaded, "hang_up", endsAfter(0), plain],
    async (bench) => {
      const { answer } = await attempts(bench, [0.5, 0.5, 0.5]);
      assert.deepEqual(
        answer.retries.map(({ usage }) => usage),
        [null, noUsage, noUsage],
      );
    },
  );
  check(
    "a request that is refused in the end used nothing",
    [adapter.refusal(401, "auth", "no")],
    async (bench) => {
      assert.equal((await attempts(bench, [])).answer.terminal.usage, null);
    },
  );
  for (const [name, answers, random, times, end] of rows) {
    check(`retry: ${name}`, answers, async (bench) => {
      const { at, answer } = await attempts(bench, random);
      assert.deepEqual(at, times);
      const { terminal, retries, wires } = answer;
      assert.equal(terminal.type === "failure" ? terminal.failure.kind : terminal.type, end);
      assert.deepEqual(
        retries.map(({ attempt, attemptsMax, waitMs }) => ({ attempt, attemptsMax, waitMs })),
        times.slice(1).map((time, index) => ({
          attempt: index + 1,
          attemptsMax: 4,
          waitMs: time - (times[index] ?? 0),
        })),
      );
      assert.equal(bench.requests.length, times.length);
      for (const { raw } of bench.requests) assert.deepEqual(raw, bench.requests[0]?.raw);
      assert.equal(new Set(wires.map(({ sha256 }) => sha256)).size, 1);
    });
  }
}
