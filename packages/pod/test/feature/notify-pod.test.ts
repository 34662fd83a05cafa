/** Notifications of features, end to end: granted or not, from wherever a feature has code, over a kill, and as replay has them. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Entry, isKnown, type LogEntry } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import type { Model, ModelRequest } from "@yoi/model";
import { replay } from "@yoi/session-store";
import {
  openSimulated,
  simulatedPod,
  type SimulatedOptions,
  simulatedStores,
} from "../../../../test/support/simulated-pod.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { readActive, verifyPod } from "../../src/index.ts";
import { declared, descriptorOf, toolOf } from "./features.ts";

const id = "project:watch";
const say = [{ type: "text", text: "go" }] as const;
const called = JSON.stringify({
  steps: [{ tool_calls: [{ name: "Report", arguments: {} }] }, { text: "Done." }, { text: "Again." }],
});
const texts = ["from the hook", "from the tool", "from the task"];

/** Notifies from a hook before its tool, from the tool, and from a background task that the tool waits for. `killed` ends the process then. */
function watch(problems: unknown[], killed: () => void = () => {}): FeatureModule {
  const declaration = declared("Report");
  return {
    descriptor: descriptorOf(id, {
      tools: [declaration],
      hooks: [{ name: "before", point: "pre_tool_call" }],
      background_tasks: [{ name: "later", description: "For a test." }],
      authorities: [
        { authority: { kind: "model_notification" }, required: false, reason: "Tells of the build." },
      ],
    }),
    install: ({ tools, hooks, backgroundTasks, notifications }) => {
      const wanted = Promise.withResolvers<void>();
      const told = Promise.withResolvers<void>();
      const notify = (message: string) =>
        notifications.notifyModel(message).catch((error: unknown) => {
          problems.push(Object(error)["code"]);
        });
      hooks.preToolCall("before", async () => {
        await notify("from the hook");
        return { action: "continue" };
      });
      backgroundTasks.register("later", async ({ signal }) => {
        signal.addEventListener("abort", () => wanted.resolve());
        await wanted.promise;
        if (signal.aborted) return;
        await notify("from the task");
        told.resolve();
      });
      const execute = async () => {
        await notify("from the tool");
        wanted.resolve();
        await told.promise;
        killed();
        return { summary: "reported" };
      };
      tools.register({ name: "Report", create: () => toolOf(declaration, { execute }) });
    },
  };
}

const granting: NonNullable<SimulatedOptions["featureHost"]> = {
  approvalOf: async () => ({ granted: [{ kind: "model_notification" }] }),
};
const approvedWithout: NonNullable<SimulatedOptions["featureHost"]> = {
  approvalOf: async () => ({ granted: [] }),
};

function machine() {
  const requests: ModelRequest[] = [];
  const wrapModel = (model: Model): Model => ({
    ...model,
    stream: (request, options) => {
      requests.push(request);
      return model.stream(request, options);
    },
  });
  const host = memoryHost({ seed: 17 });
  return { requests, options: { host, leases: new Map(), scenario: called, tools: [], wrapModel } };
}

type Where = Pick<SimulatedOptions, "host" | "leases">;
async function logOf({ host, leases }: Where): Promise<readonly LogEntry[]> {
  return (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries;
}
const ofKind = <K extends Entry["kind"]>(log: readonly LogEntry[], kind: K) =>
  log.filter((entry): entry is LogEntry & Entry & { kind: K } => isKnown(entry) && entry.kind === kind);
/** Without what the host itself had to say. */
const delivered = (log: readonly LogEntry[]) =>
  ofKind(log, "system_item").filter(({ delivers }) => delivers !== undefined);

test("A2-17, A2-45, A2-61, F-14: what a hook, a tool and a background task notify is accepted, then in history with the feature as its source, then shown", async () => {
  const problems: unknown[] = [];
  const { requests, options } = machine();
  const pod = await openSimulated({ ...options, features: [watch(problems)], featureHost: granting });
  assert.equal((await pod.submit(say)).outcome.kind, "finished");
  assert.deepEqual(problems, []);
  const log = await logOf(options);
  const accepted = ofKind(log, "inbox_accepted");
  const told = ofKind(log, "system_item");
  assert.deepEqual(
    accepted.map(({ item }) => [item.kind, item.source, item.body]),
    texts.map((text) => ["notification", id, text]),
  );
  assert.deepEqual(
    told.map(({ delivers, item }) => [delivers, item]),
    accepted.map(({ seq, item }) => [seq, item]),
  );
  const [first, second] = ofKind(log, "llm_request");
  for (const { seq, delivers } of told)
    assert.ok(
      (first?.seq ?? NaN) < (delivers ?? NaN) && (delivers ?? NaN) < seq && seq < (second?.seq ?? NaN),
    );

  const shown = (request: ModelRequest | undefined) =>
    request?.items.flatMap(({ item }) => (item.type === "system_item" ? [item.body] : []));
  assert.deepEqual([shown(requests[0]), shown(requests[1])], [[], texts]);
  // What replay has is what the model was shown, and its answer.
  const { items, inbox } = replay(log);
  assert.deepEqual(items.slice(0, requests[1]?.items.length), requests[1]?.items);
  assert.deepEqual(inbox, []);
  await pod.close();
});

test("A2-17, A2-61: after a kill what was accepted is told once, with its source, and replay has what the model was shown", async () => {
  const problems: unknown[] = [];
  const { requests, options } = machine();
  const { host } = options;
  const killed = Promise.withResolvers<void>();
  const kill = () => {
    host.crash("process");
    killed.resolve();
  };
  const pod = await openSimulated({ ...options, features: [watch(problems, kill)], featureHost: granting });
  // Nothing that a dead process awaits ever comes.
  void pod.submit(say).catch(() => {});
  await killed.promise;
  assert.equal(host.crashed, true);
  assert.equal(requests.length, 1);

  const next = { ...options, host: host.restart() };
  const before = await logOf(next);
  assert.deepEqual(
    [ofKind(before, "inbox_accepted").length, ofKind(before, "system_item").length],
    [texts.length, 0],
  );
  const again = await openSimulated({ ...next, features: [watch(problems)], featureHost: granting });
  assert.equal(again.snapshot.waiting, texts.length);
  const resumed = again.resume();
  await next.host.advance(10_000);
  assert.equal((await resumed).outcome.kind, "finished");
  await again.close();

  const log = await logOf(next);
  assert.deepEqual(
    delivered(log).map(({ delivers, item }) => [delivers, item.source, item.body]),
    ofKind(before, "inbox_accepted").map(({ seq, item }) => [seq, id, item.body]),
  );
  const last = requests.at(-1)?.items ?? [];
  assert.deepEqual(replay(log).items.slice(0, last.length), last);
  const bodies = last.flatMap(({ item }) =>
    item.type === "system_item" && item.source === id ? [item.body] : [],
  );
  assert.deepEqual(bodies, texts);
  // And for the owner after that nothing waits.
  const after = await openSimulated({ ...next, features: [watch(problems)], featureHost: granting });
  assert.equal(after.snapshot.waiting, 0);
  assert.deepEqual(await after.submit(say).then(({ outcome }) => outcome.kind), "finished");
  assert.equal(delivered(await logOf(next)).length, texts.length);
  await after.close();
  const report = await verifyPod(simulatedStores(next.host, next.leases), simulatedPod, {
    wireRequestsMax: 10,
    openModel: async () => openScripted({ name: "sim.yaml", text: called, ports: next.host }),
  });
  assert.deepEqual([report.problems, report.requests, report.wireChecked], [[], 3, 3]);
  assert.deepEqual(problems, []);
});

test("A2-45, F-14: approved without the authority it is installed with less, each call throws, and nothing of it is in the log or shown", async () => {
  const problems: unknown[] = [];
  const { requests, options } = machine();
  const pod = await openSimulated({ ...options, features: [watch(problems)], featureHost: approvedWithout });
  assert.equal((await pod.submit(say)).outcome.kind, "finished");
  const [report] = pod.features;
  await pod.close();
  assert.deepEqual(
    problems,
    texts.map(() => "authority_denied"),
  );
  assert.deepEqual([report?.status, report?.tools], ["degraded", ["Report"]]);
  assert.deepEqual(
    report?.skipped.map(({ kind, name }) => `${kind} ${name}`),
    ["handle model_notification", "notification notifyModel"],
  );
  const log = await logOf(options);
  assert.deepEqual([...ofKind(log, "inbox_accepted"), ...ofKind(log, "system_item")], []);
  assert.equal(
    texts.some((text) => JSON.stringify([log, requests]).includes(text)),
    false,
  );
});
