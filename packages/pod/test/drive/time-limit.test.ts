/** The time limit of a run, on virtual time: in a stream, in a retry, in a tool, at the moment of the end, and what can be resumed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown, type JsonObject, type Tool, type ToolContext } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { noPoints } from "@yoi/worker";
import { openParts } from "../../../../test/inbox/parts.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import {
  effectTool,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { readActive, type RunReport } from "../../src/index.ts";

const go = [{ type: "text", text: "go" }] as const;
const reached = { kind: "limit_reached", limit: "time", maxMs: 1000 } as const;

function machine() {
  const host = memoryHost({ seed: 1 });
  return { host, leases: new Map(), world: new World() };
}

/** Waits for its abort, as a shell does until its processes are gone. */
function waitingTool(ended: string[]): Tool {
  return {
    definition: { name: "Wait", description: "Waits.", input_schema: { type: "object" } },
    readOnly: false,
    execute: (_: JsonObject, { signal }: ToolContext) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          ended.push("ended");
          resolve({ summary: "ended by the signal", is_error: true });
        });
      }),
  };
}

const moments: readonly { readonly name: string; readonly scenario: string }[] = [
  { name: "before the first event", scenario: "steps:\n  - { text: Late., delay_ms: 5000 }\n" },
  {
    name: "in the middle of an answer",
    scenario: "steps:\n  - { text: A slow answer of some length., chunk: 4, pace_ms: 300 }\n",
  },
  {
    name: "while a retry is waited for",
    scenario:
      "steps:\n  - retries: [{ wait_ms: 60000, failure: { kind: overloaded, status: 529 } }]\n    text: Late.\n",
  },
  {
    name: "in a tool",
    scenario: "steps:\n  - tool_calls: [{ name: Wait, arguments: {} }]\n  - text: After the tool.\n",
  },
];

describe("the time of a run is up", () => {
  for (const { name, scenario } of moments) {
    test(`${name}: it ends as limit_reached, on record, and can be resumed`, async () => {
      const m = machine();
      const ended: string[] = [];
      const tools = [waitingTool(ended), effectTool(m.world, m.host)];
      const pod = await openSimulated({ ...m, scenario, tools });
      const running = pod.submit(go, { timeoutMs: 1000 });
      await m.host.advance(999);
      assert.equal(pod.snapshot.state, "running");
      const before = m.host.clock.monotonic();
      await m.host.advance(1);
      await m.host.advance(10_000);
      assert.deepEqual((await running).outcome, reached);
      assert.equal(before, 999);
      assert.deepEqual(ended, name === "in a tool" ? ["ended"] : []);
      await pod.close();
      const { view } = await readActive(simulatedStores(m.host, m.leases), simulatedPod);
      const last = view.entries.findLast((entry) => isKnown(entry) && entry.kind === "run_completed");
      assert.deepEqual(last !== undefined && { ...last, seq: 0, batch: 0, ts: 0 }, {
        seq: 0,
        batch: 0,
        ts: 0,
        kind: "run_completed",
        result: "limit_reached",
        detail: "time: 1000 ms",
      });
      const again = await openSimulated({ ...m, scenario, tools });
      const resumed = again.resume();
      await m.host.advance(100_000);
      assert.equal((await resumed).outcome.kind, "finished");
      await again.close();
    });
  }
});

test("where some of the time was used before the run, it gets the rest, and its limit is told whole", async () => {
  const m = machine();
  const pod = await openSimulated({
    ...m,
    scenario: "steps:\n  - { text: Late., delay_ms: 5000 }\n",
    tools: [],
  });
  const running = pod.submit(go, { timeoutMs: 1000, leftMs: 300 });
  await m.host.advance(299);
  assert.equal(pod.snapshot.state, "running");
  await m.host.advance(1);
  assert.deepEqual((await running).outcome, reached);
  await pod.close();
});

test("a run that finishes before its time leaves no timer behind, and the next run has its own time", async () => {
  const m = machine();
  const scenario = "steps:\n  - { text: One., delay_ms: 900 }\n  - { text: Two., delay_ms: 900 }\n";
  const pod = await openSimulated({ ...m, scenario, tools: [] });
  for (const text of ["One.", "Two."]) {
    const running = pod.submit(go, { timeoutMs: 1000 });
    await m.host.advance(950);
    assert.deepEqual((await running).outcome, { kind: "finished", text });
  }
  await pod.close();
});

/** The answer becomes durable, and the time is up before the worker looks again: the append itself moves the clock. */
test("an answer that is whole on record when the time is up is a finished run", async () => {
  const m = machine();
  const pod = await openSimulated({
    ...m,
    scenario: "steps:\n  - text: In time.\n",
    tools: [],
    wrapSessions: (sessions) =>
      overriding(sessions, {
        create: async (start, opening) => {
          const opened = await sessions.create(start, opening);
          const { writer } = opened;
          const slow = overriding(writer, {
            append: async (bodies) => {
              const entries = await writer.append(bodies);
              if (bodies.some(({ kind }) => kind === "turn_end")) await m.host.advance(2000);
              return entries;
            },
          });
          return { ...opened, writer: slow };
        },
      }),
  });
  const report: RunReport = await pod.submit(go, { timeoutMs: 1000 });
  assert.ok(m.host.clock.monotonic() >= 2000, "the time was not up");
  assert.deepEqual(report.outcome, { kind: "finished", text: "In time." });
  await pod.close();
});

for (const [first, second, outcome] of [
  ["pause", "time", { kind: "paused", reason: "user", detail: "paused by the user" }],
  ["time", "pause", reached],
] as const) {
  test(`a ${first} and then the ${second}: the first one says how the run ended`, async () => {
    const m = machine();
    const stuck: Tool = {
      definition: { name: "Wait", description: "Waits.", input_schema: { type: "object" } },
      readOnly: false,
      execute: () => new Promise(() => {}),
    };
    const scenario = "steps:\n  - tool_calls: [{ name: Wait, arguments: {} }]\n";
    const pod = await openSimulated({ ...m, scenario, tools: [stuck] });
    const running = pod.submit(go, { timeoutMs: 1000 });
    await m.host.advance(first === "pause" ? 500 : 1500);
    pod.pause();
    await m.host.advance(20_000);
    assert.deepEqual((await running).outcome, outcome);
    await pod.close();
  });
}

describe("the time is up while a hook at the end of the turn is asked", () => {
  const whole = JSON.stringify({ steps: [{ text: "In time." }] });
  for (const [stop, outcome] of [
    ["cancel", { kind: "cancelled" }],
    ["pause", { kind: "paused", reason: "user", detail: "paused by the user" }],
    ["close", { kind: "paused", reason: "interrupted", detail: "the Pod was closed" }],
  ] as const) {
    test(`a ${stop} then ends it at once`, async () => {
      const m = machine();
      let asked = 0;
      const parts = await openParts({
        ...m,
        scenario: whole,
        points: (drain) => ({
          ...noPoints,
          drain,
          turnEnd: () => {
            asked += 1;
            return new Promise(() => {});
          },
        }),
      });
      const running = parts.drive.submit(go, { timeoutMs: 1000 });
      await m.host.advance(2000);
      assert.deepEqual([asked, parts.drive.state], [2, "running"]);
      const closing = stop === "close" ? parts.drive.close() : parts.drive.stop(stop);
      await m.host.advance(1);
      assert.deepEqual((await running).outcome, outcome);
      await closing;
      await parts.close();
    });
  }

  test("nothing follows it, whatever waits", async () => {
    const m = machine();
    let asked = 0;
    const parts = await openParts({
      ...m,
      scenario: whole,
      points: (drain) => ({
        ...noPoints,
        drain,
        turnEnd: async () => {
          if ((asked += 1) === 1) await new Promise(() => {});
          return { action: "finish" };
        },
      }),
    });
    const running = parts.drive.submit(go, { timeoutMs: 1000 });
    await m.host.advance(500);
    await parts.notify("news");
    await m.host.advance(1000);
    const { outcome, followed } = await running;
    assert.deepEqual([outcome, followed], [{ kind: "finished", text: "In time." }, []]);
    assert.deepEqual([parts.inbox.waiting, parts.requests.length], [1, 1]);
    await parts.close();
  });
});
