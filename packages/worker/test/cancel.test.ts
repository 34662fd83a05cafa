/** Cancel at every observable step of a run, with that step going on and with it hanging: the run ends, history is whole, nothing leaks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "@yoi/model";
import { bench, type Bench, echo, gate, tool } from "./support/bench-worker.ts";
import { newsIn, richPoints, richScenario, richTools, type Tick } from "./support/rich-run.ts";

interface Trial {
  readonly bench: Bench;
  readonly steps: string[];
  readonly executed: string[];
  readonly controller: AbortController;
}

/** `hang`: the step at which the cancel comes never ends by itself. */
function trial(cancelAt: number, hang: boolean): Trial {
  const steps: string[] = [];
  const executed: string[] = [];
  const controller = new AbortController();
  const see = (where: string): boolean => {
    steps.push(where);
    if (steps.length !== cancelAt) return false;
    controller.abort();
    return true;
  };
  const tick: Tick = (where) => (see(where) && hang ? new Promise(() => {}) : Promise.resolve());
  const points = richPoints(tick, () => b.history);
  const b: Bench = bench({
    scenario: richScenario,
    tools: richTools(tick, (call) => executed.push(call)),
    points,
    observer: (event) => void see(event.type),
    model: (scripted): Model => ({
      provider: scripted.provider,
      id: scripted.id,
      limits: scripted.limits,
      capabilities: scripted.capabilities,
      price: scripted.price,
      adapter: scripted.adapter,
      lowering: scripted.lowering,
      lower: (request) => scripted.lower(request),
      async *stream(request, options) {
        for await (const event of scripted.stream(request, options)) {
          await tick(`model ${event.type}`);
          yield event;
        }
      },
    }),
  });
  b.history.onAppend = async (bodies) => {
    see(`append ${bodies[0]?.kind}`);
    await Promise.resolve();
    see(`appended ${bodies[0]?.kind}`);
  };
  return { bench: b, steps, executed, controller };
}

function assertWhole({ bench: b, executed }: Trial): void {
  const { history } = b;
  history.assertReplays();
  assert.deepEqual(history.unanswered, []);
  assert.equal(b.pendingTimers(), 0);
  history.assertBuilds(b.tools.definitions);
  assert.equal(new Set(executed).size, executed.length, "a call ran twice");
  for (const { item } of history.items) {
    if (item.type !== "tool_result" || item.summary !== "not executed") continue;
    assert.ok(!executed.includes(item.call), `${item.call} ran and is called not executed`);
  }
}

for (const hang of [false, true]) {
  test(`cancel at every step${hang ? " that then hangs" : ""}`, async () => {
    let at = 1;
    let cancelled = 0;
    for (; ; at += 1) {
      const one = trial(at, hang);
      const outcome = await one.bench.run("go", { signal: one.controller.signal });
      assertWhole(one);
      if (one.steps.length < at) {
        assert.deepEqual(outcome, { kind: "finished", text: "All done." });
        break;
      }
      const where = `step ${at}: ${one.steps[at - 1]}`;
      if (outcome.kind === "cancelled") cancelled += 1;
      // Only a cancel behind the last decision comes too late.
      else assert.equal(outcome.kind, "finished", where);
      // Nothing of it reaches the next run, which ends well and executes no call again.
      one.bench.history.onAppend = () => {};
      assert.equal((await one.bench.run("again")).kind, "finished", where);
      assert.equal(newsIn(one.bench.history), 1, where);
      assertWhole(one);
    }
    assert.ok(at > 100, `only ${at} steps`);
    assert.ok(cancelled > at * 0.9, `only ${cancelled} of ${at} cancelled`);
  });
}

test("a cancel at every step that leaves open what was not started: the same turn goes on, and runs that once", async () => {
  let [at, open] = [1, 0];
  for (; ; at += 3) {
    const one = trial(at, false);
    const { history } = one.bench;
    const outcome = await one.bench.run("go", { signal: one.controller.signal, leavesOpen: true });
    if (one.steps.length < at) break;
    const where = `step ${at}: ${one.steps[at - 1]}`;
    history.assertReplays();
    for (const call of history.unanswered) assert.equal(call.started, false, where);
    if (history.unanswered.length > 0) open += 1;
    history.onAppend = () => {};
    const before = [...one.executed];
    const left = history.unanswered.map(({ call }) => call);
    if (outcome.kind === "cancelled") {
      assert.equal((await one.bench.run(null)).kind, "finished", where);
    } else assert.equal(outcome.kind, "finished", where);
    for (const call of left) assert.ok(!before.includes(call), where);
    assertWhole(one);
  }
  assert.ok(open >= 4, `only ${open} of ${at} stops left a call open`);
});

test("control: an open call and one that ran twice are noticed", async () => {
  const open = trial(0, false);
  open.bench.history.onAppend = (bodies) => {
    if (bodies[0]?.kind === "tool_started") throw new Error("the process died");
  };
  await assert.rejects(open.bench.run("go"));
  assert.throws(() => assertWhole(open));

  const wrong = trial(0, false);
  await wrong.bench.run("go");
  assertWhole(wrong);
  assert.throws(
    () => assertWhole({ ...wrong, executed: [...wrong.executed, wrong.executed[0] ?? ""] }),
    /ran twice/,
  );
});

test("a tool that ignores the cancel is given up after its grace, and what it does later is nobody's", async () => {
  const never = gate<{ summary: string }>();
  const began = gate();
  const stubborn = tool("Echo", async () => {
    began.open();
    return never.promise;
  });
  const b = bench({
    scenario: `steps: [{ tool_calls: [{ name: Echo }, { name: Nice }] }, { text: end }]`,
    tools: [
      stubborn,
      tool("Nice", async (_args, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return { summary: "stopped, half done" };
      }),
    ],
  });
  const controller = new AbortController();
  const run = b.start("go", { signal: controller.signal });
  await began.promise;
  controller.abort();
  let ended = false;
  void run.then(() => {
    ended = true;
  });
  await b.host.advance(4_999);
  assert.equal(ended, false);
  await b.host.advance(1);
  assert.deepEqual(await run, { kind: "cancelled" });
  assert.deepEqual(b.history.story().slice(3), [
    "result: stopped, half done",
    "error: outcome unknown, check before repeating",
    "note: interrupt",
  ]);
  const before = b.history.entries.length;
  never.open({ summary: "late" });
  await b.host.advance(10);
  assert.equal(b.history.entries.length, before);
  assert.deepEqual(await b.run("again"), { kind: "finished", text: "end" });
});

test("calls that wait for a slot when the cancel comes are closed as not executed", async () => {
  const began = gate();
  const b = bench({
    scenario: `steps: [{ tool_calls: [{ name: Wait }, { name: Echo }] }, { text: end }]`,
    limits: { parallelCallsMax: 1 },
    tools: [
      echo(),
      tool("Wait", async (_args, { signal }) => {
        began.open();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        throw new Error("stopped");
      }),
    ],
  });
  const controller = new AbortController();
  const run = b.start("go", { signal: controller.signal });
  await began.promise;
  controller.abort();
  assert.deepEqual(await run, { kind: "cancelled" });
  assert.deepEqual(b.history.story().slice(3), ["error: stopped", "error: not executed"]);
  assert.deepEqual(b.history.batches[3], ["tool_started", "tool_started"]);
});

test("a run whose signal has aborted before does nothing at all", async () => {
  const b = bench({});
  assert.deepEqual(await b.run("go", { signal: AbortSignal.abort() }), { kind: "cancelled" });
  assert.deepEqual(b.history.batches, [["invoke", "user_input"]]);
  assert.deepEqual(b.events, []);
});

test("what is on screen when the stream is cancelled is what history keeps", async () => {
  const b = bench({
    scenario: `{ chunk: 4, steps: [{ attempts: [{ text: one two three, pace_ms: 50 }, { text: end }] }] }`,
  });
  const controller = new AbortController();
  const run = b.start("go", { signal: controller.signal });
  await b.host.advance(110);
  controller.abort();
  assert.deepEqual(await run, { kind: "cancelled" });
  const shown = b.events.map((event) => (event.type === "block_delta" ? event.text : "")).join("");
  assert.equal(shown, "one two ");
  assert.deepEqual(b.history.story(), ["user: go", "cut text: one two ", "note: interrupt"]);
});

test("a model that ignores the cancel can neither send nor say anything afterwards", async () => {
  for (const stage of ["before sending", "while answering"] as const) {
    const reached = gate();
    const later = gate();
    let refused = false;
    const b = bench({
      model: (scripted): Model => ({
        provider: "deaf",
        id: "deaf",
        limits: scripted.limits,
        capabilities: scripted.capabilities,
        price: scripted.price,
        adapter: scripted.adapter,
        lowering: 1,
        lower: (request) => scripted.lower(request),
        async *stream(request, options) {
          const wire = await scripted.lower(request);
          if (stage === "while answering") await options.beforeSend(wire);
          reached.open();
          await later.promise;
          if (stage === "before sending") {
            await options.beforeSend(wire).catch((error: unknown) => {
              refused = true;
              throw error;
            });
          }
          yield { type: "block_start", index: 0, block: "text" };
          yield { type: "block_delta", index: 0, text: "too late" };
        },
      }),
    });
    const controller = new AbortController();
    const run = b.start("go", { signal: controller.signal });
    await reached.promise;
    controller.abort();
    await b.host.advance(5_000);
    assert.deepEqual(await run, { kind: "cancelled" });
    const before = [b.history.entries.length, b.events.length];
    later.open();
    await b.host.advance(1_000);
    assert.deepEqual([b.history.entries.length, b.events.length], before);
    assert.equal(refused, stage === "before sending");
  }
});
