/** A history that cannot be written ends the run with that error at once: nothing is sent or executed after it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { type Bench, bench, gate, tool } from "./support/bench-worker.ts";
import { diskFull, failAppend } from "./support/log-history.ts";
import { richPoints, richScenario, richTools } from "./support/rich-run.ts";

test("the k-th append fails, for every k of a run", async () => {
  let k = 1;
  for (; ; k += 1) {
    const executed: string[] = [];
    let failed = false;
    const heard: string[] = [];
    const points = richPoints(
      async () => {},
      () => b.history,
    );
    const b: Bench = bench({
      scenario: richScenario,
      tools: richTools(
        async () => {},
        (call) => {
          assert.ok(!failed, `k = ${k}: ${call} began after the failure`);
          executed.push(call);
        },
      ),
      points: { ...points, aborted: (reason) => heard.push(reason) },
    });
    await b.history.say("go");
    const fail = failAppend(k);
    b.history.onAppend = () => {
      try {
        fail();
      } catch (error) {
        failed = true;
        throw error;
      }
    };
    const sentBefore = () => b.scripted.requests.length;
    let sentAtFailure = -1;
    const run = b.run(null).catch((error: unknown) => {
      sentAtFailure = sentBefore();
      return error;
    });
    const outcome = await run;
    if (!failed) {
      assert.deepEqual(outcome, { kind: "finished", text: "All done." });
      break;
    }
    assert.ok(outcome instanceof YoiError && outcome.code === "disk_full", `k = ${k}: ${String(outcome)}`);
    assert.equal(b.scripted.requests.length, sentAtFailure);
    assert.ok(
      b.scripted.requests.length <= b.history.kinds("llm_request").length,
      `k = ${k}: sent without a record`,
    );
    assert.equal(b.history.kinds("tool_started").length >= executed.length, true);
    assert.deepEqual(heard, ["The disk is full: make room and resume."]);
    b.history.assertReplays();

    // With room again the same worker goes on from what the log says, and no call runs twice.
    failed = false;
    b.history.onAppend = () => {};
    assert.equal((await b.run(null)).kind, "finished", `k = ${k}`);
    assert.equal(new Set(executed).size, executed.length, `k = ${k}: a call ran twice`);
    b.history.assertBuilds(b.tools.definitions);
  }
  assert.ok(k > 15, `only ${k} appends`);
});

test("control: a history that hides its failure is noticed by the same checks", async () => {
  const b = bench({
    scenario: richScenario,
    tools: richTools(
      async () => {},
      () => {},
    ),
  });
  await b.history.say("go");
  const append = b.history.append.bind(b.history);
  b.history.append = async (bodies) => {
    if (bodies[0]?.kind !== "llm_request") return append(bodies);
    // The lie: nothing is written, and the worker is told that it was.
    return [{ ...bodies[0], seq: b.history.lastSeq, batch: b.history.lastSeq, ts: 0 }];
  };
  await b.run(null).catch(() => {});
  assert.ok(b.scripted.requests.length > b.history.kinds("llm_request").length);
});

test("a piece of an answer that cannot be written ends the stream and the run", async () => {
  const b = bench({
    scenario: `{ chunk: 4, steps: [{ pace_ms: 100, text: a long answer that never ends }] }`,
  });
  b.history.onAppend = (bodies) => {
    if (bodies[0]?.kind === "assistant_partial") throw diskFull();
  };
  await assert.rejects(b.run("go"), { code: "disk_full" });
  assert.deepEqual(b.history.story(), ["user: go"]);
  assert.ok(b.events.filter((event) => event.type === "block_delta").length < 5);
});

test("a slow disk makes pieces larger, not more", async () => {
  const slow = gate();
  const b = bench({ scenario: `{ chunk: 1, steps: [{ pace_ms: 100, text: "${"x".repeat(40)}" }] }` });
  b.history.onAppend = async (bodies) => {
    if (bodies[0]?.kind === "assistant_partial") await slow.promise;
  };
  const run = b.start("go");
  await b.host.advance(2_000);
  slow.open();
  await b.host.advance(10_000);
  await run;
  const sizes = b.history
    .kinds("assistant_partial")
    .map((entry) => ("text" in entry ? entry.text.length : 0));
  assert.deepEqual(sizes.slice(0, 2), [3, 17]);
});

test("a tool that runs while another's result cannot be written is told to end, and the error is thrown", async () => {
  let told = false;
  const b = bench({
    scenario: `steps: [{ tool_calls: [{ name: Slow }, { name: Fast }] }]`,
    tools: [
      tool("Fast", async () => ({ summary: "fast" })),
      tool("Slow", async (_args, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        told = true;
        return { summary: "stopped" };
      }),
    ],
  });
  let results = 0;
  b.history.onAppend = (bodies) => {
    if (bodies[0]?.kind !== "tool_result") return;
    results += 1;
    throw diskFull();
  };
  await assert.rejects(b.run("go"), { code: "disk_full" });
  assert.equal(told, true);
  assert.ok(results <= 2);
});
