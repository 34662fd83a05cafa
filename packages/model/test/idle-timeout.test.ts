/** Idle timeout: every silence has a limit, and a timer that is not needed is gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timers } from "@yoi/base";
import { idleLimits, withIdleTimeout, type ModelEvent, type StreamOptions } from "@yoi/model";
import { fakeModel, finish, shown } from "./fake-model.ts";
import { failureOf, read, requestOf, user } from "./support.ts";

const hello = requestOf([user(1, "hello")]);
const limits = { openMs: 20, firstEventMs: 30, idleMs: 90 };

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
    fire: () => {
      for (const { fire } of pending.values()) fire();
      pending.clear();
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

test("the limits are those of the design", () => {
  assert.deepEqual(idleLimits, { openMs: 20_000, firstEventMs: 30_000, idleMs: 90_000 });
});

// Spec 1 D-14 (e): a stream that stalls is found, wherever it stalls; pings count as life.
test("D-14 each silence has its limit and becomes a timeout with the usage so far", async () => {
  const ping: ModelEvent = { type: "ping" };
  const rows: readonly [readonly ModelEvent[], number, RegExp][] = [
    [[], 20, /did not accept the request within 0\.02 s/],
    [[ping], 30, /did not begin its answer within 0\.03 s/],
    [[ping, ping], 90, /did not go on with its answer within 0\.09 s/],
    [shown, 90, /did not go on with its answer/],
  ];
  for (const [events, limitMs, message] of rows) {
    const hand = handTimers();
    const model = fakeModel(
      silentAfter(events, () => {
        assert.deepEqual(hand.delays(), [limitMs]);
        hand.fire();
      }),
    );
    const answer = await read(withIdleTimeout(model, hand.timers, limits), hello);
    const failure = failureOf(answer);
    assert.deepEqual(
      { kind: failure.kind, retryable: failure.retryable },
      { kind: "timeout", retryable: true },
    );
    assert.match(failure.message, message);
    assert.equal(answer.terminal.usage.input_tokens, 7);
    assert.deepEqual(hand.delays(), []);
  }
});

test("no timer runs while the request is put on record, or while the consumer works; none is left at the end", async () => {
  const hand = handTimers();
  const model = withIdleTimeout(
    fakeModel(() => [...shown, finish]),
    hand.timers,
    limits,
  );
  const answer = await read(model, hello, {
    beforeSend: async () => assert.deepEqual(hand.delays(), []),
    onEvent: () => assert.deepEqual(hand.delays(), []),
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
