/** Idle timeout: every silence has a limit, and a timer that is not needed is gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timers } from "@yoi/base";
import { idleLimits, withIdleTimeout, type ModelEvent, type StreamOptions } from "@yoi/model";
import { idleLimitsByKind } from "../src/idle-timeout.ts";
import { fakeModel, finish, shown } from "./fake-model.ts";
import { failureOf, read, requestOf, user } from "./support.ts";

const hello = requestOf([user(1, "hello")]);
const limits = { openMs: 20, uploadBytesPerSecMin: 1000, firstEventMs: 30, idleMs: 90, totalMs: 5000 };

/** Timers that a test fires by hand. */
function handTimers() {
  const pending = new Map<number, { readonly delayMs: number; readonly fire: () => void }>();
  let next = 0;
  const timers: Timers = {
    after(delayMs, fire) {
      const id = next++;
      pending.set(id, { delayMs, fire });
      return () => pending.delete(id);
    },
    sleep: () => Promise.reject(new Error("the idle timeout does not sleep")),
  };
  return {
    timers,
    delays: () => [...pending.values()].map(({ delayMs }) => delayMs),
    /** Without the one that runs over the whole request. */
    silences: () => [...pending.values()].map(({ delayMs }) => delayMs).filter((ms) => ms !== limits.totalMs),
    /** Fires the timers that were set to `delayMs`. */
    fire: (delayMs: number) => {
      for (const [id, timer] of pending) {
        if (timer.delayMs !== delayMs) continue;
        pending.delete(id);
        timer.fire();
      }
    },
  };
}

const cancelled: ModelEvent = {
  type: "failure",
  failure: { kind: "cancelled", message: "The request was cancelled.", retryable: false },
  usage: {
    input_tokens: 7,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  },
};

/** Plays events, then is silent until aborted, as an adapter is. */
function silentAfter(events: readonly ModelEvent[], onSilence: () => void) {
  return async function* (_attempt: number, { signal }: StreamOptions): AsyncGenerator<ModelEvent> {
    yield* events;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      setImmediate(onSilence);
    });
    yield cancelled;
  };
}

test("every kind of provider has limits on silence; those whose models think without a word have longer ones", () => {
  const minutes = 300_000;
  assert.deepEqual(idleLimitsByKind, {
    anthropic: idleLimits,
    openai: { ...idleLimits, firstEventMs: minutes, idleMs: minutes },
    google: { ...idleLimits, openMs: minutes, firstEventMs: minutes, idleMs: minutes },
    "openai-compatible": { ...idleLimits, openMs: minutes, firstEventMs: minutes },
  });
});

test("the limits are those of the design", () => {
  assert.deepEqual(idleLimits, {
    openMs: 20_000,
    uploadBytesPerSecMin: 16_384,
    firstEventMs: 30_000,
    idleMs: 90_000,
    totalMs: 3_600_000,
  });
});

// Spec 1 D-14 (e): a stream that stalls is found, wherever it stalls; pings count as life.
test("D-14 each silence has its limit and becomes a timeout with the usage so far", async () => {
  const ping: ModelEvent = { type: "ping" };
  const rows: readonly [readonly ModelEvent[], number, RegExp][] = [
    [[], 22, /did not accept the request within 0\.022 s/],
    [[ping], 30, /did not begin its answer within 0\.03 s/],
    [[ping, ping], 90, /did not go on with its answer within 0\.09 s/],
    [shown, 90, /did not go on with its answer/],
  ];
  for (const [events, limitMs, message] of rows) {
    const hand = handTimers();
    const model = fakeModel(
      silentAfter(events, () => {
        assert.deepEqual(hand.silences(), [limitMs]);
        hand.fire(limitMs);
      }),
    );
    const answer = await read(withIdleTimeout(model, hand.timers, limits), hello);
    const failure = failureOf(answer);
    assert.deepEqual(
      { kind: failure.kind, retryable: failure.retryable },
      { kind: "timeout", retryable: true },
    );
    assert.match(failure.message, message);
    assert.equal(answer.terminal.usage?.input_tokens, 7);
    assert.deepEqual(hand.delays(), []);
  }
});

test("the time to accept a request is counted from the end of its upload, as long as the slowest line needs for it", async () => {
  const rows: readonly [number, number][] = [
    [0, 20],
    [1, 21],
    [1000, 1020],
    [4_000_000, 4_000_020],
  ];
  for (const [bytes, limitMs] of rows) {
    const hand = handTimers();
    const play = silentAfter([], () => {
      assert.deepEqual(hand.silences(), [limitMs]);
      hand.fire(limitMs);
    });
    const model = withIdleTimeout(fakeModel(play, bytes), hand.timers, limits);
    assert.equal(failureOf(await read(model, hello)).kind, "timeout");
  }
});

test("a request that is kept alive by pings has a limit on the whole, and is not sent again after it", async () => {
  const hand = handTimers();
  let pings = 0;
  const model = fakeModel(async function* (_attempt, { signal }) {
    while (!signal.aborted && pings < 1000) {
      yield { type: "ping" };
      await new Promise(setImmediate);
      pings += 1;
      if (pings === 100) hand.fire(limits.totalMs);
    }
    yield cancelled;
  });
  const failure = failureOf(await read(withIdleTimeout(model, hand.timers, limits), hello));
  assert.equal(pings, 100);
  assert.deepEqual([failure.kind, failure.retryable], ["timeout", false]);
  assert.match(failure.message, /did not finish its answer within 5 s; try again later\.$/);
  assert.deepEqual(hand.delays(), []);
});

test("no silence is counted while the request is put on record, or while the consumer works; no timer is left at the end", async () => {
  const hand = handTimers();
  const model = withIdleTimeout(
    fakeModel(() => [...shown, finish]),
    hand.timers,
    limits,
  );
  const answer = await read(model, hello, {
    beforeSend: async () => assert.deepEqual(hand.delays(), []),
    onEvent: () => assert.deepEqual(hand.delays(), [limits.totalMs]),
  });
  assert.equal(answer.terminal.type, "finish");
  assert.deepEqual(hand.delays(), []);
});

test("the caller's cancel is no timeout, and leaves no timer", async () => {
  const hand = handTimers();
  const controller = new AbortController();
  const model = withIdleTimeout(fakeModel(silentAfter(shown, () => controller.abort())), hand.timers, limits);
  assert.equal(failureOf(await read(model, hello, { signal: controller.signal })).kind, "cancelled");
  assert.deepEqual(hand.delays(), []);
});

test("leaving early, and a throw of beforeSend, leave no timer", async () => {
  const hand = handTimers();
  const model = withIdleTimeout(fakeModel(silentAfter(shown, () => {})), hand.timers, limits);
  const options = { signal: new AbortController().signal, beforeSend: async () => {} };
  for await (const event of model.stream(hello, options)) if (event.type === "block_delta") break;
  assert.deepEqual(hand.delays(), []);
  await assert.rejects(read(model, hello, { beforeSend: () => Promise.reject(new Error("no")) }), /no/);
  assert.deepEqual(hand.delays(), []);
});
