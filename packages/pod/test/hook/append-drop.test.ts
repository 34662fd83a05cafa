/** Append, then not sent: whatever ends the request before its commit drops all that was queued for it, without a trace. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AppendReceipt, PreLlmRequestAction } from "@yoi/feature";
import { diskFull } from "../../../worker/test/support/log-history.ts";
import { type Add, goOn, hook, type HookBench, hookBench, oneCall, owned } from "./support/hook-bench.ts";

const stopping = {
  cancel: { action: "cancel", reason: "no" },
  yield: { action: "yield", reason: "later" },
} as const satisfies Record<string, PreLlmRequestAction>;

function outcomeOf(what: keyof typeof stopping) {
  const reason = owned("pre_llm_request", stopping[what].reason);
  return what === "cancel" ? { kind: "aborted", reason } : { kind: "yielded", reason, by: { kind: "hook" } };
}

/** Appends at each request, then gives `action`. */
function appends(receipts: AppendReceipt[], action: () => PreLlmRequestAction = () => goOn): Add {
  return hook("pre_llm_request", ({ systemItems }) => {
    assert.ok(systemItems);
    receipts.push(systemItems.appendTaskReminder("x"));
    return action();
  });
}
const states = (receipts: readonly AppendReceipt[]) => receipts.map(({ state }) => state);

/** Nothing of a system item is in the log, in history or in a request. */
function assertNoTrace(b: HookBench, requests: number): void {
  assert.deepEqual(b.history.kinds("system_item"), []);
  assert.equal(JSON.stringify(b.history.items).includes("task_reminder"), false);
  assert.equal(b.scripted.requests.length, requests);
  assert.equal(JSON.stringify(b.scripted.requests).includes("task_reminder"), false);
  b.history.assertReplays();
}

describe("A1-10, F-20: append, then cancel or yield", () => {
  for (const what of ["cancel", "yield"] as const) {
    test(`A1-09, A1-10, F-20: append, then ${what} by the same hook: no commit, nothing visible`, async () => {
      const receipts: AppendReceipt[] = [];
      const b = hookBench({ hooks: [appends(receipts, () => stopping[what])] });
      assert.deepEqual(await b.run("go"), outcomeOf(what));
      assert.deepEqual(states(receipts), ["dropped"]);
      assertNoTrace(b, 0);
    });

    test(`A1-09, A1-10, F-20: append, then ${what} by a later hook: no commit, nothing visible, and the one after is not asked`, async () => {
      const receipts: AppendReceipt[] = [];
      const after = hook("pre_llm_request", () => assert.fail("asked"));
      const b = hookBench({
        hooks: [
          appends(receipts),
          appends(receipts),
          hook("pre_llm_request", async () => stopping[what]),
          after,
        ],
      });
      assert.deepEqual(await b.run("go"), outcomeOf(what));
      assert.deepEqual(states(receipts), ["dropped", "dropped"]);
      assertNoTrace(b, 0);
    });

    test(`A1-09: what a request before committed stays, and only the ${what === "cancel" ? "cancelled" : "yielded"} one drops`, async () => {
      const receipts: AppendReceipt[] = [];
      const stop = hook("pre_llm_request", ({ info }) => (info.turnIndex === 1 ? stopping[what] : goOn));
      const b = hookBench({ scenario: oneCall, hooks: [appends(receipts), stop] });
      assert.deepEqual(await b.run("go"), outcomeOf(what));
      assert.deepEqual(states(receipts), ["committed", "dropped"]);
      assert.equal(b.history.kinds("system_item").length, 1);
      assert.equal(b.scripted.requests.length, 1);
    });
  }

  test("control: with hooks that go on the same item is committed and sent", async () => {
    const receipts: AppendReceipt[] = [];
    const b = hookBench({ hooks: [appends(receipts)] });
    await b.run("go");
    assert.deepEqual(states(receipts), ["committed"]);
    assert.throws(() => assertNoTrace(b, 1));
  });
});

describe("append, then something else ends the request", () => {
  test("A1-09: a later hook that fails drops it", async () => {
    const receipts: AppendReceipt[] = [];
    const b = hookBench({
      hooks: [appends(receipts), hook("pre_llm_request", () => Promise.reject(new Error("broken")))],
    });
    assert.equal((await b.run("go")).kind, "aborted");
    assert.deepEqual(states(receipts), ["dropped"]);
    assertNoTrace(b, 0);
  });

  for (const when of [
    "before a later hook answers",
    "by the last hook itself",
    "between the last answer and the commit",
  ]) {
    test(`the run is cancelled ${when}: dropped, nothing visible`, async () => {
      const receipts: AppendReceipt[] = [];
      const controller = new AbortController();
      const cancels = hook("pre_llm_request", () => {
        if (when === "between the last answer and the commit") queueMicrotask(() => controller.abort());
        else controller.abort();
        return when === "before a later hook answers" ? new Promise(() => {}) : goOn;
      });
      const b = hookBench({ hooks: [appends(receipts), cancels] });
      assert.deepEqual(await b.start("go", { signal: controller.signal }), { kind: "cancelled" });
      assert.deepEqual(states(receipts), ["dropped"]);
      assertNoTrace(b, 0);
    });
  }

  test("a cancel at any microtask after the hooks: what is dropped is in no log, what is in the log is committed", async () => {
    const seen = new Set<string>();
    for (let wait = 0; wait < 40; wait += 1) {
      const receipts: AppendReceipt[] = [];
      const controller = new AbortController();
      const late = hook("pre_llm_request", () => {
        const abortIn = (left: number): void =>
          left === 0 ? controller.abort() : queueMicrotask(() => abortIn(left - 1));
        abortIn(wait);
        return goOn;
      });
      const b = hookBench({ hooks: [appends(receipts), late] });
      await b.run("go", { signal: controller.signal });
      const logged = JSON.stringify(b.history.entries).includes("task_reminder");
      assert.deepEqual(states(receipts), [logged ? "committed" : "dropped"], `after ${wait} microtasks`);
      seen.add(states(receipts).join());
      b.history.assertReplays();
    }
    assert.deepEqual([...seen].toSorted(), ["committed", "dropped"], "both were met");
  });

  test("A1-17: a full disk at the commit: the request is not sent, nothing becomes visible, and the feature is told", async () => {
    const receipts: AppendReceipt[] = [];
    let full = true;
    const b = hookBench({ hooks: [appends(receipts)] });
    b.history.onAppend = (bodies) => {
      if (full && bodies.some(({ kind }) => kind === "system_item")) throw diskFull();
    };
    await assert.rejects(b.run("go"), { code: "disk_full" });
    assert.deepEqual(states(receipts), ["dropped"]);
    assertNoTrace(b, 0);
    // Control: the same run on a disk with room sends the item.
    full = false;
    assert.deepEqual(await b.run(null), { kind: "finished", text: "ok" });
    assert.deepEqual(states(receipts), ["dropped", "committed"]);
    assert.equal(b.history.kinds("system_item").length, 1);
    assert.equal(JSON.stringify(b.scripted.requests).split("task_reminder").length - 1, 1);
  });

  test("what a stopped request had queued does not come back with the next", async () => {
    const receipts: AppendReceipt[] = [];
    let stop = true;
    const b = hookBench({
      hooks: [appends(receipts), hook("pre_llm_request", () => (stop ? stopping.yield : goOn))],
    });
    await b.run("go");
    stop = false;
    await b.run(null);
    assert.deepEqual(states(receipts), ["dropped", "committed"]);
    assert.equal(b.history.kinds("system_item").length, 1);
  });
});

describe("the points by themselves, whoever calls them", () => {
  const view = { items: 1, tokens: 1, turn: 0, toolCallsThisRun: 0 };
  const alive = new AbortController().signal;

  test("a request that begins drops what the one before handed out and nobody committed", async () => {
    const receipts: AppendReceipt[] = [];
    const { points } = hookBench({ hooks: [appends(receipts)] });
    const first = await points.preRequest(view, alive);
    const second = await points.preRequest(view, alive);
    assert.deepEqual(states(receipts), ["dropped", "queued"]);
    assert.ok(first.action === "continue" && second.action === "continue");
    points.queuedCommitted(first.queued);
    assert.deepEqual(states(receipts), ["dropped", "queued"], "dropped is for ever");
    points.queuedCommitted(second.queued);
    assert.deepEqual(states(receipts), ["dropped", "committed"]);
    points.aborted("later");
    assert.deepEqual(states(receipts), ["dropped", "committed"], "and so is committed");
  });

  test("where the last hook's answer comes with the end of the run nothing is handed out", async () => {
    const receipts: AppendReceipt[] = [];
    const controller = new AbortController();
    const ends = hook("pre_llm_request", () => {
      controller.abort();
      return goOn;
    });
    const { points } = hookBench({ hooks: [appends(receipts), ends] });
    assert.deepEqual(await points.preRequest(view, controller.signal), {
      action: "cancel",
      reason: "cancelled while hooks were asked",
    });
    assert.deepEqual(states(receipts), ["dropped"]);
  });

  test("a run that ends while hooks are asked closes their handle at once", async () => {
    let append = (): AppendReceipt => assert.fail("not asked");
    const waits = hook("pre_llm_request", async ({ systemItems }) => {
      append = () => systemItems?.appendTaskReminder("x") ?? assert.fail("no handle");
      return new Promise(() => {});
    });
    const { points } = hookBench({ hooks: [waits] });
    const controller = new AbortController();
    const asked = points.preRequest(view, controller.signal);
    assert.equal(append().state, "queued");
    points.aborted("over");
    assert.throws(append, { code: "feature_invalid" });
    controller.abort();
    await asked;
  });
});
