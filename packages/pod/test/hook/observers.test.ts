/** Results of one answer come in at the same time; who observes them is asked about one after the other, and holds up none of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@yoi/base";
import { goOn, hook, hookBench } from "./support/hook-bench.ts";

const names = ["A", "B", "C"];
const scenario = JSON.stringify({
  steps: [{ tool_calls: names.map((name) => ({ name, arguments: {} })) }, { text: "end" }],
});

/** All change one path: each begins when the result of the one before is on record. */
function tools(trace: string[], claim: boolean): readonly Tool[] {
  return names.map((name) => ({
    definition: { name, description: "For a test.", input_schema: { type: "object" } },
    readOnly: false,
    claim: () => (claim ? { path: "/one", mode: "exclusive" } : null),
    execute: async () => {
      trace.push(`${name} runs`);
      return { summary: name };
    },
  }));
}

for (const claim of [false, true]) {
  test(`a slow observer is asked about one result at a time, while the calls go on (${claim ? "one path" : "beside each other"})`, async () => {
    const trace: string[] = [];
    let asked = 0;
    const slow = hook("post_tool_call", async ({ toolName }) => {
      asked += 1;
      assert.equal(asked, 1, "never beside itself");
      trace.push(`asked about ${toolName}`);
      await b.host.timers.sleep(4_000);
      trace.push(`answered about ${toolName}`);
      asked -= 1;
      return goOn;
    });
    const b = hookBench({ scenario, tools: tools(trace, claim), hooks: [slow] });
    const began = b.host.clock.monotonic();
    const running = b.start("go");
    await b.host.advance(1_000);
    assert.deepEqual(
      b.history.story().filter((line) => line.startsWith("result:")),
      names.map((name) => `result: ${name}`),
      "all are on record while the first observer thinks",
    );
    assert.deepEqual(trace.filter((line) => line.endsWith("runs")).length, 3);
    for (let n = 0; n < 20; n += 1) await b.host.advance(1_000);
    assert.deepEqual(await running, { kind: "finished", text: "end" });
    assert.deepEqual(
      trace.filter((line) => !line.endsWith("runs")),
      names.flatMap((name) => [`asked about ${name}`, `answered about ${name}`]),
    );
    assert.ok(b.host.clock.monotonic() - began >= 12_000);
    assert.deepEqual(b.alerts.last, []);
  });
}

test("a cancel ends the wait for all of them at once", async () => {
  const asked: string[] = [];
  const controller = new AbortController();
  const never = hook("post_tool_call", ({ toolName }) => {
    asked.push(toolName);
    return new Promise(() => {});
  });
  const b = hookBench({ scenario, tools: tools([], false), hooks: [never] });
  const running = b.start("go", { signal: controller.signal });
  await b.host.advance(100);
  controller.abort();
  assert.deepEqual(await running, { kind: "cancelled" });
  assert.deepEqual(asked, ["A"]);
  assert.equal(b.hookTimers.pending, 0);
  b.history.assertReplays();
});

test("an observer's abort ends the run when every call has its result and every observer was asked", async () => {
  const asked: string[] = [];
  const aborting = hook("post_tool_call", async ({ toolName }) => {
    asked.push(toolName);
    return toolName === "A" ? { action: "abort", reason: "seen enough" } : goOn;
  });
  const b = hookBench({ scenario, tools: tools([], true), hooks: [aborting] });
  assert.deepEqual(await b.run("go"), {
    kind: "aborted",
    reason: "builtin:task (post_tool_call): seen enough",
  });
  assert.deepEqual(asked, names);
});
