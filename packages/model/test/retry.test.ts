/** Retry: the waits, the budgets, and when it must not happen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noUsage } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { retryPolicy, retryWaitMs, withRetry, type FailureKind, type ModelEvent } from "@yoi/model";
import fc from "fast-check";
import { failed, fakeModel, finish, shown, wire } from "./fake-model.ts";
import { failureOf, read, requestOf, user } from "./support.ts";

const hello = requestOf([user(1, "hello")]);

/** Reads an answer while virtual time passes as fast as it is waited for; gives what was waited. */
async function passing(
  play: (attempt: number) => readonly ModelEvent[],
  over: { signal?: AbortSignal; seed?: number } = {},
) {
  const host = memoryHost({ seed: over.seed ?? 1 });
  const model = fakeModel(play);
  const start = host.clock.monotonic();
  let over_ = false;
  const reading = read(withRetry(model, host), hello, over.signal ? { signal: over.signal } : {}).finally(
    () => {
      over_ = true;
    },
  );
  for (let step = 0; !over_ && step < 10_000; step += 1) await host.advance(100);
  return { answer: await reading, attempts: model.attempts(), elapsedMs: host.clock.monotonic() - start };
}

test("the policy is that of the design", () => {
  assert.deepEqual(retryPolicy, {
    baseMs: 500,
    capMs: 10_000,
    attemptsMax: 4,
    waitBudgetMs: 40_000,
    retryAfterBudgetMs: 300_000,
  });
});

test("full jitter: exact waits for given randomness, doubling to the cap", () => {
  const waits = (random: number): unknown[] =>
    [1, 2, 3, 4, 5, 6, 7].map((attempt) =>
      retryWaitMs(retryPolicy, attempt, undefined, 0, { next: () => random }),
    );
  assert.deepEqual(waits(0), [0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(waits(0.5), [250, 500, 1000, 2000, 4000, 5000, 5000]);
  assert.deepEqual(waits(0.9999), [500, 1000, 2000, 4000, 8000, 9999, 9999]);
});

test("Retry-After is at least kept, a little jittered, and bound by its own budget at n and n + 1", () => {
  const wait = (retryAfterMs: number, waitedMs = 0): number | null =>
    retryWaitMs(retryPolicy, 1, retryAfterMs, waitedMs, { next: () => 0.5 });
  assert.equal(wait(0), 250);
  assert.equal(wait(60_000), 60_250);
  assert.equal(wait(300_000), 300_250);
  assert.equal(wait(300_001), null);
  assert.equal(wait(200_000, 100_000), 200_250);
  assert.equal(wait(200_000, 100_001), null);
});

test("without Retry-After the waits together stay in the budget, at n and n + 1", () => {
  const wait = (waitedMs: number): number | null =>
    retryWaitMs(retryPolicy, 5, undefined, waitedMs, { next: () => 0.5 });
  assert.equal(wait(36_000), 4000);
  assert.equal(wait(36_001), null);
});

test("property: a wait is never negative, never over cap or budget", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
      fc.integer({ min: 0, max: 400_000 }),
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      (attempt, retryAfterMs, waitedMs, random) => {
        const waitMs = retryWaitMs(retryPolicy, attempt, retryAfterMs, waitedMs, { next: () => random });
        if (waitMs === null) return;
        assert.ok(Number.isSafeInteger(waitMs) && waitMs >= (retryAfterMs ?? 0));
        assert.ok(
          waitMs <= (retryAfterMs === undefined ? retryPolicy.capMs : retryAfterMs + retryPolicy.baseMs),
        );
        assert.ok(waitedMs + (retryAfterMs ?? waitMs) <= (retryAfterMs === undefined ? 40_000 : 300_000));
      },
    ),
    { seed: 20260102, numRuns: 500 },
  );
});

// Spec 1 D-14 (a): the limits of one attempt are not taken from the budget, so all four are reachable.
test("D-14 four attempts, each announced with its wait, then the failure as it is", async () => {
  const { answer, attempts, elapsedMs } = await passing(() => [failed()]);
  assert.equal(attempts, 4);
  assert.deepEqual(
    answer.retries.map(({ attempt, attemptsMax }) => [attempt, attemptsMax]),
    [
      [1, 4],
      [2, 4],
      [3, 4],
    ],
  );
  assert.equal(
    answer.terminal.type === "failure" && answer.terminal.failure.message,
    "It is overloaded; wait.",
  );
  assert.ok(elapsedMs >= answer.retries.reduce((sum, { waitMs }) => sum + waitMs, 0));
  assert.deepEqual(answer.wires, [wire, wire, wire, wire]);
});

test("the same seed waits the same", async () => {
  const waits = async (seed: number) =>
    (await passing(() => [failed()], { seed })).answer.retries.map(({ waitMs }) => waitMs);
  assert.deepEqual(await waits(7), await waits(7));
  assert.notDeepEqual(await waits(7), await waits(8));
});

test("an attempt that succeeds ends it; pings before the failure do not count as shown", async () => {
  const { answer, attempts } = await passing((attempt) =>
    attempt < 2 ? [{ type: "ping" }, failed()] : [...shown, finish],
  );
  assert.equal(attempts, 3);
  assert.equal(answer.terminal.type, "finish");
  assert.equal(answer.blocks.length, 1);
});

test("each attempt says what it used, and what it used is said once", async () => {
  const used = { ...noUsage, input_tokens: 900 };
  const rows = [used, null, noUsage] as const;
  const { answer } = await passing((attempt) => {
    const usage = rows[attempt];
    return usage === undefined ? [...shown, finish] : [{ ...failed(), usage }];
  });
  assert.deepEqual(
    answer.retries.map(({ usage }) => usage),
    rows,
  );
  assert.deepEqual(answer.terminal, finish);
});

test("what was shown is never sent again, and what cannot pass is not retried", async () => {
  const rows: readonly [string, readonly ModelEvent[], FailureKind][] = [
    ["a block was shown", [...shown, failed({ kind: "stream_broken" })], "stream_broken"],
    ["a block was opened", [...shown.slice(0, 1), failed({ kind: "timeout" })], "timeout"],
    ["not retryable", [failed({ kind: "auth", retryable: false })], "auth"],
    ["cancelled", [failed({ kind: "cancelled", retryable: false })], "cancelled"],
  ];
  for (const [name, events, kind] of rows) {
    const { answer, attempts } = await passing(() => events);
    assert.equal(attempts, 1, name);
    assert.equal(failureOf(answer).kind, kind);
  }
});

// Spec 1 D-14 (b): a long Retry-After is waited for, and one that is too long is told to the caller, who pauses the run.
test("D-14 Retry-After of a minute is waited for; over the budget it fails at once and says how long", async () => {
  const limited = (retryAfterMs: number) => failed({ kind: "rate_limit", retryAfterMs });
  const waited = await passing((attempt) => (attempt === 0 ? [limited(60_000)] : [...shown, finish]));
  assert.equal(waited.answer.terminal.type, "finish");
  assert.ok(waited.elapsedMs >= 60_000);
  const tooLong = await passing(() => [limited(3_600_000)]);
  assert.equal(tooLong.attempts, 1);
  const { kind, retryAfterMs } = failureOf(tooLong.answer);
  assert.deepEqual({ kind, retryAfterMs }, { kind: "rate_limit", retryAfterMs: 3_600_000 });
});

test("cancelling during a wait ends it at once and leaves no timer", async () => {
  const host = memoryHost({ seed: 1 });
  const controller = new AbortController();
  const model = fakeModel(() => [
    { ...failed({ retryAfterMs: 60_000 }), usage: { ...noUsage, input_tokens: 900 } },
  ]);
  const answer = await read(withRetry(model, host), hello, {
    signal: controller.signal,
    onEvent: ({ type }) => void (type === "retry" && setImmediate(() => controller.abort())),
  });
  assert.equal(failureOf(answer).kind, "cancelled");
  // The retry has said what that attempt used, and another was never sent.
  assert.equal(answer.terminal.usage, null);
  await host.advance(120_000);
  assert.equal(model.attempts(), 1);
});

test("what beforeSend throws comes through, also from a later attempt", async () => {
  const host = memoryHost({ seed: 1 });
  const other = new Error("other bytes");
  let calls = 0;
  const reading = read(
    withRetry(
      fakeModel(() => [failed({ retryAfterMs: 0 })]),
      host,
    ),
    hello,
    {
      beforeSend: async () => {
        calls += 1;
        if (calls === 2) throw other;
      },
    },
  );
  const settled = assert.rejects(reading, (thrown) => thrown === other);
  for (let step = 0; step < 20; step += 1) await host.advance(100);
  await settled;
});

test("everything else is the wrapped model's own", async () => {
  const inner = fakeModel(() => []);
  const model = withRetry(inner, memoryHost({ seed: 1 }));
  const { provider, id, limits, adapter, lowering } = model;
  assert.deepEqual(
    { provider, id, limits, adapter, lowering },
    { provider: "fake", id: "fake-1", limits: inner.limits, adapter: inner.adapter, lowering: 1 },
  );
  assert.equal(await model.lower(hello), wire);
  await model.close?.();
  assert.equal(inner.closes(), 1);
});
