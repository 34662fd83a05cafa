/** on_abort: told after a run that ended badly, never waited for by it, and over when the Pod closes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { abortsToldMax } from "../../src/hook/abort-observers.ts";
import { goesOn, hook, hookBench, lint, said } from "./support/hook-bench.ts";

const observed = goesOn.on_abort;

test("hooks that answer at once have been told when the run has ended; a run that ended well tells nobody", async () => {
  const reasons: string[] = [];
  let fail = true;
  const b = hookBench({
    hooks: [
      hook("on_abort", ({ reason }) => (reasons.push(`1 ${reason}`), observed)),
      hook("on_abort", ({ reason }) => (reasons.push(`2 ${reason}`), observed)),
      hook("pre_llm_request", () =>
        fail ? { action: "cancel", reason: "no\nhunter2" } : { action: "continue" },
      ),
    ],
  });
  await b.run("go");
  assert.deepEqual(reasons, [
    "1 builtin:task (pre_llm_request): no\\u000a[redacted]",
    "2 builtin:task (pre_llm_request): no\\u000a[redacted]",
  ]);
  fail = false;
  await b.run(null);
  assert.equal(reasons.length, 2);
});

test("the run's end waits for none of them, and settled() does", async () => {
  let done = false;
  const slow = async () => {
    await b.host.timers.sleep(3_000);
    done = true;
    return observed;
  };
  const controller = new AbortController();
  controller.abort();
  const b = hookBench({ hooks: [hook("on_abort", slow)] });
  assert.deepEqual(await b.start("go", { signal: controller.signal }), { kind: "cancelled" });
  assert.equal(done, false);
  let settled = false;
  const closing = b.points.settled().then(() => {
    settled = true;
  });
  await b.host.advance(2_999);
  assert.equal(settled, false);
  await b.host.advance(1);
  await closing;
  assert.equal(done, true);
  assert.deepEqual(b.hookTimers.pending, 0);
  assert.deepEqual(b.alerts.last, []);
});

test("one after the other, also over two runs: the hooks of the second are asked when those of the first have answered", async () => {
  const order: string[] = [];
  const slow = (name: string, ms: number) =>
    hook("on_abort", async ({ reason }) => {
      order.push(`${reason} ${name} begins`);
      await b.host.timers.sleep(ms);
      order.push(`${reason} ${name} ends`);
      return observed;
    });
  const b = hookBench({ hooks: [slow("a", 20), slow("b", 10)] });
  b.points.aborted("first");
  b.points.aborted("second");
  const settled = b.points.settled();
  await b.host.advance(100);
  await settled;
  assert.deepEqual(order, [
    "first a begins",
    "first a ends",
    "first b begins",
    "first b ends",
    "second a begins",
    "second a ends",
    "second b begins",
    "second b ends",
  ]);
});

test("settled() gives up after 5 s in all: who was asked then is named, who was not is not asked", async () => {
  const never = hook("on_abort", () => new Promise(() => {}), { owner: lint });
  const asked: string[] = [];
  const b = hookBench({
    hooks: [
      hook("on_abort", async () => (await b.host.timers.sleep(4_000), observed)),
      never,
      hook("on_abort", () => (asked.push("third"), observed)),
    ],
  });
  b.points.aborted("end");
  const began = b.host.clock.monotonic();
  let at = 0;
  const settled = b.points.settled().then(() => {
    at = b.host.clock.monotonic() - began;
  });
  for (let ms = 0; ms < 12_000; ms += 500) await b.host.advance(500);
  await settled;
  assert.equal(at, 5_000);
  assert.deepEqual(asked, []);
  assert.deepEqual(said(b.alerts.last), [
    "project:lint: The hook on_abort (on_abort) of project:lint was given up: the Pod is closing.",
  ]);
  assert.equal(b.hookTimers.pending, 0);
  b.points.aborted("again");
  const again = b.points.settled();
  await b.host.advance(9_000);
  await again;
  const [first, second] = said(b.alerts.last);
  assert.equal(second, first, "what was given up once is asked again the next time, from the first on");
});

test("settled() waits also for what is told while it waits", async () => {
  const reasons: string[] = [];
  const slow = hook("on_abort", async ({ reason }) => {
    await b.host.timers.sleep(1_000);
    reasons.push(reason);
    return observed;
  });
  const b = hookBench({ hooks: [slow] });
  b.points.aborted("a");
  const settled = b.points.settled().then(() => reasons.push("settled"));
  b.points.aborted("b");
  await b.host.advance(3_000);
  await settled;
  assert.deepEqual(reasons, ["a", "b", "settled"]);
});

test("16 ends of runs are told, or wait to be, at a time: one more is told to nobody, and that is said", async () => {
  assert.equal(abortsToldMax, 16);
  const told: string[] = [];
  const slow = async ({ reason }: { reason: string }) => {
    told.push(reason);
    await b.host.timers.sleep(100);
    return observed;
  };
  const b = hookBench({ hooks: [hook("on_abort", slow, { owner: lint })] });
  for (let n = 1; n <= abortsToldMax; n += 1) b.points.aborted(`${n}`);
  assert.deepEqual(b.alerts.last, []);
  b.points.aborted("one more");
  assert.deepEqual(said(b.alerts.last), [
    "project:lint: The end of a run was not told: hooks are still asked about 16 earlier ones.",
  ]);
  await b.host.advance(150);
  b.points.aborted("later");
  const settled = b.points.settled();
  await b.host.advance(5_000);
  await settled;
  assert.deepEqual(told, [...Array.from({ length: abortsToldMax }, (_, n) => `${n + 1}`), "later"]);
});

test("settled() with nothing to wait for is over at once, sets no timer, and what is aborted later is told again", async () => {
  const reasons: string[] = [];
  const b = hookBench({ hooks: [hook("on_abort", async ({ reason }) => (reasons.push(reason), observed))] });
  await b.points.settled();
  assert.deepEqual(b.hookTimers, { set: 0, pending: 0 });
  b.points.aborted("a");
  await b.points.settled();
  b.points.aborted("b");
  await b.points.settled();
  assert.deepEqual(reasons, ["a", "b"]);
  assert.equal(b.hookTimers.pending, 0);
});
