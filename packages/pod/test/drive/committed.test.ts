/** What a Pod tells whoever watches its log: every batch of a run, when it is durable, before anything follows from it, whatever the watcher does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import {
  effectTool,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { readActive } from "../../src/index.ts";

const scenario = `
steps:
  - text: First an effect.
    tool_calls: [{ name: Effect, arguments: { what: a } }]
  - text: Done.
`;
const go = [{ type: "text", text: "go" }] as const;

function machine() {
  const host = memoryHost({ seed: 2 });
  const leases = new Map();
  return { host, leases, scenario, tools: [effectTool(new World(), host)] };
}

test("what is told is what the file holds at that moment, frozen, and all that a run adds", async () => {
  const m = machine();
  const stores = simulatedStores(m.host, m.leases);
  const told: Entry[] = [];
  const durable: Promise<boolean>[] = [];
  const pod = await openSimulated({
    ...m,
    committed: (entries) => {
      told.push(...entries);
      const last = entries.at(-1)?.seq ?? -1;
      durable.push(readActive(stores, simulatedPod).then(({ view }) => (view.head?.seq ?? -1) >= last));
    },
  });
  const { lastSeq } = pod.snapshot;
  await pod.submit(go);
  await pod.close();
  assert.deepEqual(new Set(await Promise.all(durable)), new Set([true]));
  assert.ok(told.every((entry) => Object.isFrozen(entry)));
  const { view } = await readActive(stores, simulatedPod);
  assert.deepEqual(told, view.entries.slice(lastSeq + 1));
});

test("a record is told before the events that follow from it", async () => {
  const m = machine();
  const order: string[] = [];
  const pod = await openSimulated({
    ...m,
    observer: ({ type }) => void order.push(type),
    committed: (entries) => void order.push(...entries.map(({ kind }) => kind)),
  });
  await pod.submit(go);
  await pod.close();
  for (const [record, event] of [
    ["llm_request", "request_recorded"],
    ["tool_started", "tool_start"],
    ["tool_result", "tool_end"],
    ["llm_usage", "answer"],
  ] as const)
    assert.ok(order.indexOf(record) >= 0 && order.indexOf(record) < order.indexOf(event), record);
});

test("a watcher that throws changes nothing", async () => {
  const m = machine();
  let calls = 0;
  const pod = await openSimulated({
    ...m,
    committed: () => {
      calls += 1;
      throw new Error("a bug of the watcher");
    },
  });
  assert.deepEqual((await pod.submit(go)).outcome, { kind: "finished", text: "Done." });
  await pod.close();
  assert.ok(calls > 1, "control: it was never called");
});
