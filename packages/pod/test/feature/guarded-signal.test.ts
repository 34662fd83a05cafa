/** Signals as features get them: those of the platform in every use, except that a listener that throws ends nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { guardedSignal } from "../../src/feature/guarded-signal.ts";

function guarded() {
  const controller = new AbortController();
  const failed: string[] = [];
  const signal = guardedSignal(controller.signal, (thrown) => failed.push(String(thrown)));
  return { controller, signal, failed };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a listener that throws or rejects is told of, and the others are called", async () => {
  const { controller, signal, failed } = guarded();
  const heard: string[] = [];
  signal.addEventListener("abort", () => {
    throw new Error("at once");
  });
  signal.addEventListener("abort", async () => {
    await Promise.resolve();
    throw new Error("later");
  });
  const handling = {
    handleEvent(this: unknown) {
      assert.equal(this, handling);
      throw new Error("an object");
    },
  };
  signal.addEventListener("abort", handling);
  signal.addEventListener("abort", {} as never);
  signal.onabort = () => {
    throw new Error("the handler");
  };
  signal.addEventListener("abort", ({ type }) => void heard.push(type));
  controller.abort(new Error("why"));
  await settled();
  assert.deepEqual(failed.toSorted(), [
    "Error: an object",
    "Error: at once",
    "Error: later",
    "Error: the handler",
  ]);
  assert.deepEqual(heard, ["abort"]);
});

test("it is the signal itself: its type, its reason, its options, and what is made of it", async () => {
  const { controller, signal, failed } = guarded();
  assert.equal(signal, controller.signal);
  assert.ok(signal instanceof AbortSignal);
  const heard: string[] = [];
  const once = () => void heard.push("once");
  const removed = () => void heard.push("removed");
  function itself(this: unknown) {
    assert.equal(this, signal);
    heard.push("itself");
  }
  signal.addEventListener("abort", once, { once: true });
  signal.addEventListener("abort", once, { once: true });
  signal.addEventListener("abort", removed);
  signal.removeEventListener("abort", removed);
  signal.addEventListener("abort", itself);
  const ended = new AbortController();
  signal.addEventListener("abort", removed, { signal: ended.signal });
  ended.abort();
  signal.onabort = removed;
  signal.onabort = null;
  assert.equal(signal.onabort, null);
  signal.onabort = once;
  assert.equal(signal.onabort, once);
  for (const wrong of [7, "abort", undefined])
    assert.throws(() => signal.addEventListener("abort", wrong as never), TypeError);
  const derived = AbortSignal.any([signal]);
  const waited = assert.rejects(
    import("node:timers/promises").then(({ setTimeout }) => setTimeout(60_000, null, { signal })),
    { name: "AbortError" },
  );
  await settled();
  controller.abort("why");
  await waited;
  assert.deepEqual(heard, ["once", "itself", "once"]);
  assert.deepEqual(
    [signal.aborted, signal.reason, derived.aborted, derived.reason],
    [true, "why", true, "why"],
  );
  assert.throws(
    () => signal.throwIfAborted(),
    (thrown) => thrown === "why",
  );
  assert.deepEqual(failed, []);
});
