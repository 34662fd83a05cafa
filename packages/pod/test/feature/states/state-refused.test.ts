/** A Pod whose feature cannot take the state that the log has of it: its tools are refused, people are told, and what was stored stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { taskFeature } from "@yoi/builtin";
import { memoryHost } from "@yoi/host";
import type { SessionStore } from "@yoi/session-store";
import { overriding } from "../../../../../test/support/overriding.ts";
import {
  openSimulated,
  simulatedPod,
  simulatedStores,
  type SimulatedOptions,
} from "../../../../../test/support/simulated-pod.ts";
import { type Pod, readActive } from "../../../src/index.ts";
import { createCall as create, scenarioOf as steps } from "./task-life.ts";

const go = [{ type: "text", text: "go" }] as const;
const tasks = [{ taskid: 1, status: "pending", subject: "precious", description: "" }];
const reason =
  "Its state could not be restored, so its tools are refused: The tasks of this session were written in format 2, and this yoi reads 1: use the newer yoi that wrote them.";

/** A session that begins with tasks in that format. */
function beginningWith(version: number) {
  const host = memoryHost({ seed: 1 });
  const states: JsonObject = { "yoi.tasks": { version, value: { tasks, next_id: 2 } } };
  const options: SimulatedOptions = {
    host,
    leases: new Map(),
    scenario: steps({ tool_calls: [create("new"), { name: "TaskList", arguments: {} }] }),
    tools: [],
    features: [taskFeature()],
    wrapSessions: (sessions: SessionStore) =>
      overriding(sessions, { create: (start, opening) => sessions.create({ ...start, states }, opening) }),
  };
  return { host, options };
}

async function toolResults({ host }: Pick<SimulatedOptions, "host">) {
  const { view } = await readActive(simulatedStores(host, new Map()), simulatedPod);
  return view.entries.flatMap((entry) =>
    entry.kind === "tool_result" && !("opaque" in entry) ? [entry.item] : [],
  );
}

function reportOf(pod: Pod) {
  const [report] = pod.features;
  assert.ok(report !== undefined);
  return report;
}

test("a state of a newer version: no call of its tools does anything, each says why, and the report is degraded", async () => {
  const { host, options } = beginningWith(2);
  const pod = await openSimulated(options);
  assert.deepEqual(
    pod.alerts.map(({ level, source, message }) => [level, source, message]),
    [["error", "builtin:task", reason]],
  );
  const { status, skipped, diagnostics } = reportOf(pod);
  assert.equal(status, "degraded");
  assert.deepEqual(skipped, [{ kind: "state", name: "yoi.tasks", reason }]);
  assert.deepEqual(diagnostics, [{ severity: "error", message: reason }]);
  assert.equal((await pod.submit(go)).outcome.kind, "finished");
  await pod.close();
  assert.deepEqual(
    (await toolResults({ host })).map(({ name, is_error, summary, record }) => [
      is_error,
      record,
      summary ===
        `Nothing was done: ${name} needs the state of builtin:task. Tell the user, and go on without it. ${reason}`,
    ]),
    [
      [true, undefined, true],
      [true, undefined, true],
    ],
  );
});

test("control: a state of this version is in force, and its tools go on with it", async () => {
  const { host, options } = beginningWith(1);
  const pod = await openSimulated(options);
  assert.deepEqual([pod.alerts, reportOf(pod).status, reportOf(pod).skipped], [[], "installed", []]);
  await pod.submit(go);
  await pod.close();
  const [created] = await toolResults({ host });
  assert.match(created?.summary ?? "", /^created task 2 \(pending\)\nTasks: 2 total/);
});
