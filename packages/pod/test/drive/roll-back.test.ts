/** A turn that is stopped before its answer began: the input leaves history, what others put there stays, and every request can still be rebuilt. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown, type SystemItem, type Tool } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { noPoints } from "@yoi/worker";
import {
  entriesOf,
  openParts,
  type Parts,
  type PartsOptions,
  spoken,
  storedState,
  unlimited,
} from "../../../../test/inbox/parts.ts";
import { openSimulated, simulatedPod, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { verifyPod } from "../../src/index.ts";
import { stuckModel } from "./stuck-model.ts";

const scenario = JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
const graceMs = 5_000;

/** `hangs`: of each request in its turn, where it hangs. */
async function opened(hangs: readonly boolean[], more: Partial<PartsOptions> = {}) {
  const options: PartsOptions = {
    host: memoryHost({ seed: 8 }),
    leases: new Map(),
    scenario,
    wrapModel: (model) => stuckModel(model, () => (hangs[asked++] === true ? "before the answer" : null)),
    ...more,
  };
  let asked = 0;
  return { options, host: options.host, parts: await openParts(options) };
}

async function stoppedAs(parts: Parts, host: PartsOptions["host"], by: "cancel" | "pause", text: string) {
  const running = parts.submit(text);
  await host.advance(1_000);
  parts.drive.stop(by);
  await host.advance(graceMs);
  return running;
}

/** Every request that was ever sent is rebuilt from the log alone, its body too. */
async function verified(host: PartsOptions["host"], requests: number): Promise<void> {
  const report = await verifyPod(simulatedStores(host, new Map()), simulatedPod, {
    wireRequestsMax: 100,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: host }),
  });
  assert.deepEqual([report.problems, report.requests, report.wireChecked], [[], requests, requests]);
}

test("A3-38: a cancel or a pause before the answer began takes the input back, and neither replay nor restart brings it back", async () => {
  for (const by of ["cancel", "pause"] as const) {
    const { options, host, parts } = await opened([false, true]);
    await parts.submit("first");
    const report = await stoppedAs(parts, host, by, "take me back");
    assert.ok(report.outcome.kind === "rolled_back");
    assert.deepEqual([report.accepted, report.turns, parts.drive.state], [true, 0, "idle"]);
    const history = ["user: first", "model: One."];
    assert.deepEqual([spoken(parts.gate.state), spoken(await storedState(host))], [history, history]);
    // For whoever puts it back into an editor: it is in the log, right behind the invoke that the closing record names.
    const entries = (await entriesOf(host)).filter(isKnown);
    const { invoke } = report.outcome;
    assert.deepEqual(entries.at(-1)?.kind, "turn_rolled_back");
    const input = entries[invoke + 1];
    assert.deepEqual(input?.kind === "user_input" && input.parts, [{ type: "text", text: "take me back" }]);
    // There is nothing to resume.
    await assert.rejects(parts.drive.resume(unlimited), { code: "nothing_to_resume" });
    await parts.close();
    const restored = await openParts(options);
    assert.deepEqual([spoken(restored.gate.state), restored.drive.state], [history, "idle"]);
    assert.deepEqual((await restored.submit("next")).outcome, { kind: "finished", text: "Two." });
    assert.deepEqual(
      restored.requests.at(-1)?.items.map(({ item }) => item.type),
      ["user_message", "assistant_message", "user_message"],
    );
    await restored.close();
    await verified(host, 3);
  }
});

test("what an earlier run was refused is not in the report of one that was taken back", async () => {
  const { host, parts } = await opened([false, false, true], {
    scenario: JSON.stringify({
      steps: [{ tool_calls: [{ name: "Wait", arguments: {} }] }, { text: "Two." }],
    }),
    tools: [waiting()],
    points: (drain) => ({
      ...noPoints,
      drain,
      gate: async () => ({ action: "deny", reason: "no", refusal: "denied" }),
    }),
  });
  assert.equal((await parts.submit("first")).denials.length, 1);
  const report = await stoppedAs(parts, host, "cancel", "take me back");
  assert.deepEqual([report.outcome.kind, report.denials], ["rolled_back", []]);
  await parts.close();
});

describe("only that is taken back", () => {
  const cases: readonly (readonly [string, Partial<PartsOptions>, (parts: Parts) => unknown, string])[] = [
    ["a signal leaves the input to be resumed", {}, ({ drive }) => drive.interrupt(), "paused"],
    ["so does the close of the Pod", {}, ({ drive }) => void drive.close(), "paused"],
    [
      "an answer of which anything came stays",
      {
        wrapModel: (model) => model,
        scenario: JSON.stringify({
          steps: [{ attempts: [{ text: "Piece by piece it comes, and it takes a while", pace_ms: 900 }] }],
        }),
      },
      ({ drive }) => drive.stop("cancel"),
      "cancelled",
    ],
    [
      "and one that called a tool",
      {
        wrapModel: (model) => model,
        scenario: JSON.stringify({ steps: [{ tool_calls: [{ name: "Wait", arguments: {} }] }] }),
        tools: [waiting()],
      },
      ({ drive }) => drive.stop("pause"),
      "paused",
    ],
  ];
  for (const [name, more, stop, kind] of cases) {
    test(name, async () => {
      const { host, parts } = await opened([true], more);
      const running = parts.submit("go");
      await host.advance(1_000);
      stop(parts);
      await host.advance(graceMs);
      assert.equal((await running).outcome.kind, kind);
      assert.equal(spoken(parts.gate.state)[0], "user: go");
      await parts.close();
    });
  }

  test("a run that goes on with a turn, or that a notification began, has no input to take back", async () => {
    const { host, parts } = await opened([true, true, true], {
      beginsOwnRuns: true,
    });
    const running = parts.submit("go");
    await host.advance(1_000);
    parts.drive.interrupt();
    await host.advance(graceMs);
    await running;
    const resumed = parts.drive.resume(unlimited);
    await host.advance(1_000);
    parts.drive.stop("cancel");
    await host.advance(graceMs);
    assert.equal((await resumed).outcome.kind, "cancelled");
    await parts.notify("news");
    await host.advance(1_000);
    parts.drive.stop("cancel");
    await host.advance(graceMs);
    const own = parts.own.reports.map(({ outcome }) => outcome.kind);
    assert.deepEqual([own, spoken(parts.gate.state)], [["cancelled"], ["user: go", "notification: news"]]);
    await parts.close();
  });
});

function waiting(): Tool {
  return {
    definition: { name: "Wait", description: "Waits.", input_schema: { type: "object" } },
    readOnly: true,
    execute: () => new Promise(() => {}),
  };
}

test("W-08: a notification that was told in the turn that is taken back stays in history, and the next request has it", async () => {
  const { host, parts } = await opened([true]);
  await parts.notify("before");
  await stoppedAs(parts, host, "cancel", "take me back");
  assert.deepEqual([spoken(parts.gate.state), parts.inbox.waiting], [["notification: before"], 0]);
  const { outcome } = await parts.submit("next");
  assert.equal(outcome.kind, "finished");
  assert.deepEqual(spoken(parts.gate.state), ["notification: before", "user: next", "model: One."]);
  assert.deepEqual(
    parts.requests.map(({ items }) => items.map(({ item }) => item.type)),
    [["system_item", "user_message"]],
  );
  await parts.close();
  await verified(host, 2);
});

test("W-09: entries that others put into the log meanwhile stay, and so do items that hooks appended", async () => {
  const hooked: SystemItem = {
    type: "system_item",
    kind: "task_reminder",
    source: "project:ci",
    body: "from a hook",
  };
  const { host, parts } = await opened([true], {
    points: (drain) => ({
      ...noPoints,
      drain,
      preRequest: async () => ({
        action: "continue",
        queued: parts.gate.items.some(
          ({ item }) => item.type === "system_item" && item.kind === "task_reminder",
        )
          ? []
          : [hooked],
      }),
    }),
  });
  const running = parts.submit("take me back");
  await host.advance(1_000);
  await parts.gate.append([{ kind: "extension", domain: "metrics", payload: { n: 1 } }]);
  await parts.inbox.accept({ source: "test", message: "while it hangs" });
  parts.drive.stop("pause");
  await host.advance(graceMs);
  assert.equal((await running).outcome.kind, "rolled_back");
  const { state } = parts.gate;
  assert.deepEqual(
    [spoken(state), [...state.extensions], state.inbox.map(({ item }) => item.body)],
    [["task_reminder: from a hook"], [["metrics", { n: 1 }]], ["while it hangs"]],
  );
  await parts.submit("next");
  await parts.close();
  const stored = await storedState(host);
  assert.deepEqual(stored.extensions.get("metrics"), { n: 1 });
  assert.deepEqual(spoken(stored), [
    "task_reminder: from a hook",
    "user: next",
    "notification: while it hangs",
    "model: One.",
  ]);
  await verified(host, 2);
});

test("W-10: an input to a paused Pod that is taken back leaves it idle, its old turn closed once", async () => {
  const { host, parts } = await opened([false, true], {
    scenario: JSON.stringify({
      steps: [{ tool_calls: [{ name: "Wait", arguments: {} }] }, { text: "Two." }],
    }),
    tools: [waiting()],
    points: (drain) => ({ ...noPoints, drain, gate: async () => ({ action: "pause", reason: "wait" }) }),
  });
  assert.equal((await parts.submit("first")).outcome.kind, "paused");
  assert.equal((await stoppedAs(parts, host, "cancel", "take me back")).outcome.kind, "rolled_back");
  assert.equal(parts.drive.state, "idle");
  assert.equal((await parts.submit("next")).outcome.kind, "finished");
  const notes = parts.gate.items.filter(
    ({ item }) => item.type === "system_item" && item.kind === "interrupt",
  );
  assert.equal(notes.length, 1);
  await parts.close();
});

test("what the input attached is forgotten: history is recalled anew without it", async () => {
  const host = memoryHost({ seed: 8 });
  const recalled: [number, string][] = [];
  const pod = await openSimulated({
    host,
    leases: new Map(),
    scenario,
    tools: [],
    wrapModel: (model) => stuckModel(model, () => "before the answer"),
    attach: async () => ({
      items: [{ type: "system_item", kind: "file_attachment", source: "host", body: "a.ts" }],
      warnings: [],
    }),
    recall: (items, extent) => void recalled.push([items.length, extent]),
  });
  const running = pod.submit([{ type: "file_ref", path: "a.ts" }]);
  await host.advance(1_000);
  assert.equal(pod.cancel(), true);
  await host.advance(graceMs);
  assert.equal((await running).outcome.kind, "rolled_back");
  assert.deepEqual(recalled, [
    [0, "whole"],
    [1, "more"],
    [0, "whole"],
  ]);
  assert.deepEqual([pod.snapshot.state, pod.cancel()], ["idle", false]);
  await pod.close();
});
