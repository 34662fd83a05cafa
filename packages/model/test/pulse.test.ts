/** Pulse: every wait ends with its value, the beats on the way are told, and none of them is held by what is awaited. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pulse } from "../src/pulse.ts";

test("a thousand beats leave one waiter on the promise that they came beside", async (t) => {
  const pulse = new Pulse();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiters = t.mock.method(promise, "then");
  const wait = pulse.until(promise, "beat");
  for (let beat = 0; beat < 1000; beat += 1) {
    const next = wait.next();
    pulse.beat();
    assert.deepEqual(await next, { done: false, value: "beat" });
  }
  assert.equal(waiters.mock.callCount(), 1);
  const last = wait.next();
  resolve("value");
  assert.deepEqual(await last, { done: true, value: "value" });
});

test("a beat right before the value is told, one before the wait is not, many at once are one", async () => {
  const pulse = new Pulse();
  pulse.beat();
  const { promise, resolve } = Promise.withResolvers<string>();
  const wait = pulse.until(promise, "beat");
  const first = wait.next();
  pulse.beat();
  pulse.beat();
  resolve("value");
  assert.deepEqual(await first, { done: false, value: "beat" });
  assert.deepEqual(await wait.next(), { done: true, value: "value" });
});

test("what is awaited may fail, also while nobody waits for it", async () => {
  const pulse = new Pulse();
  const { promise, reject } = Promise.withResolvers<string>();
  const wait = pulse.until(promise, "beat");
  const first = wait.next();
  pulse.beat();
  assert.equal((await first).done, false);
  reject(new Error("lost"));
  await new Promise(setImmediate);
  await assert.rejects(wait.next(), /lost/);
});
