/** What features give a Pod, in one real Pod: bounded one by one, in number and in time, and never more than its log can take. */
import assert from "node:assert/strict";
import test from "node:test";
import { isKnown, type LogEntry, utf8Length } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { entryBytesMax } from "@yoi/session-store";
import { defaultLimits } from "@yoi/worker";
import {
  openSimulated,
  simulatedPod,
  type SimulatedOptions,
  simulatedStores,
} from "../../../../test/support/simulated-pod.ts";
import { type Alert, featuresDomain, type PodEvent, readActive } from "../../src/index.ts";
import { progressCallBytesMax, progressTextBytesMax } from "../../src/feature/install/host-tool.ts";
import { featuresMax } from "../../src/feature/install/preflight.ts";
import { recordBytesMax } from "../../src/feature/record-of-reports.ts";
import { alertsPerMinuteMax } from "../../src/feature/sinks/alert-sink.ts";
import { diagnosticsMax } from "../../src/feature/sinks/feature-diagnostics.ts";
import { stateBytesMax, statesBytesMax } from "../../src/feature/states/feature-states.ts";
import { noticeBytesMax } from "../../src/inbox/inbox.ts";
import { declared, descriptorOf, moduleOf, toolOf } from "./features.ts";

const say = [{ type: "text", text: "go" }] as const;
const granting: NonNullable<SimulatedOptions["featureHost"]> = {
  approvalOf: async () => ({ granted: [{ kind: "model_notification" }] }),
};

async function podWith(features: readonly FeatureModule[], steps: readonly object[]) {
  const host = memoryHost({ seed: 51 });
  const leases = new Map();
  const alerts: Alert[] = [];
  const events: PodEvent[] = [];
  const open = () =>
    openSimulated({
      host,
      leases,
      scenario: JSON.stringify({ steps }),
      tools: [],
      features,
      featureHost: granting,
      observer: (event) => void (event.type === "alert" ? alerts.push(event.alert) : events.push(event)),
    });
  const pod = await open();
  const log = async (): Promise<readonly LogEntry[]> =>
    (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries;
  return { host, open, pod, alerts, events, log };
}
const bytes = (value: unknown) => utf8Length(typeof value === "string" ? value : JSON.stringify(value));

test("A2-51, F-10: what a feature's tool gives, its live output, its alerts and its notifications are bounded in the log and for people", async () => {
  const declaration = declared("Flood");
  const huge = "漢".repeat(2_000_000);
  const refused: unknown[] = [];
  const flood: FeatureModule = {
    descriptor: descriptorOf("project:flood", {
      tools: [declaration],
      authorities: [{ authority: { kind: "model_notification" }, required: true, reason: "Tells." }],
    }),
    install: ({ tools, alerts, notifications }) => {
      const execute: ReturnType<typeof toolOf>["execute"] = async (_, { progress }) => {
        for (let nth = 0; nth < 100; nth += 1) progress(huge);
        alerts.alert("error", huge);
        await notifications.notifyModel("n".repeat(noticeBytesMax));
        await notifications
          .notifyModel("n".repeat(noticeBytesMax + 1))
          .catch((error: unknown) => refused.push(Object(error)["code"]));
        return { summary: huge, content: huge, alerts: [huge] };
      };
      tools.register({ name: "Flood", create: () => toolOf(declaration, { execute }) });
    },
  };
  const { pod, alerts, events, log } = await podWith(
    [flood],
    [{ tool_calls: [{ name: "Flood", arguments: {} }] }, { text: "Done." }],
  );
  assert.equal((await pod.submit(say)).outcome.kind, "finished");
  await pod.close();
  const entries = (await log()).filter(isKnown);
  const [result] = entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.item] : []));
  assert.ok(
    bytes(result?.summary ?? "") > 1024 && bytes(result?.summary ?? "") <= defaultLimits.summaryBytesMax,
  );
  assert.ok(
    bytes(result?.content ?? "") > 32_768 && bytes(result?.content ?? "") <= defaultLimits.contentBytesMax,
  );
  const progress = events.flatMap((event) => (event.type === "tool_progress" ? [bytes(event.text)] : []));
  const total = progress.reduce((sum, each) => sum + each, 0);
  assert.ok(progress.length > 0 && progress.every((each) => each <= progressTextBytesMax));
  assert.ok(total > progressCallBytesMax / 2 && total <= progressCallBytesMax, `${total}`);
  const ownAlerts = alerts.filter(({ message }) => message.startsWith("漢"));
  assert.ok(ownAlerts.length === 2 && ownAlerts.every(({ message }) => message.length <= 512));
  const told = entries.flatMap((entry) =>
    entry.kind === "system_item" || entry.kind === "inbox_accepted" ? [bytes(entry.item.body)] : [],
  );
  assert.deepEqual([told, refused], [[noticeBytesMax, noticeBytesMax], ["limit_exceeded"]]);
});

test("A2-50, F-09: a feature that floods has 64 diagnostics, and 16 alerts in a minute with one that says so; a minute later it may again", async () => {
  const declaration = declared("Flood");
  const flood = moduleOf(
    descriptorOf("project:flood", { tools: [declaration] }),
    ({ tools, alerts, diagnostics }) => {
      const execute = async () => {
        for (let nth = 0; nth < 5_000; nth += 1) {
          alerts.alert("error", `alert ${nth}`);
          diagnostics.error(`diagnostic ${nth}`);
        }
        return { summary: "flooded" };
      };
      tools.register({ name: "Flood", create: () => toolOf(declaration, { execute }) });
    },
  );
  const call = { tool_calls: [{ name: "Flood", arguments: {} }] };
  const { host, pod, alerts, log } = await podWith(
    [flood],
    [call, call, { text: "A." }, call, { text: "B." }],
  );
  assert.equal((await pod.submit(say)).outcome.kind, "finished");
  const first = alerts.map(({ source, message }) => [source, message]);
  assert.deepEqual(first, [
    ...Array.from({ length: alertsPerMinuteMax }, (_, nth) => ["project:flood", `alert ${nth}`]),
    [
      "project:flood",
      "This feature raised more than 16 alerts in a minute: more of them are left out for now.",
    ],
  ]);
  await host.advance(60_000);
  assert.equal((await pod.submit(say)).outcome.kind, "finished");
  assert.equal(alerts.length, 2 * first.length);
  assert.deepEqual(pod.alerts, alerts);
  const [report] = pod.features;
  const own = report?.diagnostics.filter(({ message }) => message.startsWith("diagnostic")) ?? [];
  assert.equal(own.length, diagnosticsMax);
  assert.deepEqual(
    report?.diagnostics.flatMap(({ severity, message }) => (severity === "error" ? [] : [message])),
    [
      "More diagnostics of this feature were dropped.",
      `${2 * 5_000 - alertsPerMinuteMax} alerts were left out: a feature may raise 16 in a minute.`,
    ],
  );
  await pod.close();
  assert.ok((await log()).every((entry) => !JSON.stringify(entry).includes("diagnostic 1")));
});

/** As much as one may say of itself, and of what is refused of it. */
function loud(index: number): FeatureModule {
  const wide = "漢".repeat(600);
  return {
    descriptor: descriptorOf(`package:@${"a".repeat(100)}/x${index}`, {
      version: "999999999.999999999.999999999",
      display_name: "漢".repeat(80),
      description: "漢".repeat(1024),
      authorities: Array.from({ length: 64 }, (_, nth) => ({
        authority: { kind: "filesystem", access: "read", path: `${"p".repeat(3_000)}${nth}` },
        required: false,
        reason: "漢".repeat(1024),
      })),
      state: { domain: `d${index}`, version: 1 },
    }),
    state: { restore: () => {}, snapshot: () => "x".repeat(stateBytesMax - 2) },
    install: ({ diagnostics, alerts, backgroundTasks }) => {
      for (let nth = 0; nth < 100; nth += 1) {
        diagnostics.error(wide);
        alerts.alert("error", wide);
        // Every second one is not installed, for 600 reasons.
        if (index % 2 === 1) swallow(() => backgroundTasks.register(`${wide}${nth}`, async () => {}));
      }
    },
  };
}
function swallow(run: () => void): void {
  try {
    run();
  } catch {
    // As a module may.
  }
}

test("F-10: 128 features at their limits open a new Pod, run it and open it again: no entry of the log is too large", async () => {
  const features = Array.from({ length: featuresMax }, (_, index) => loud(index));
  const { pod, open, log, alerts } = await podWith(features, [{ text: "Done." }]);
  assert.equal((await pod.submit(say)).outcome.kind, "finished");
  assert.deepEqual(new Set(pod.features.map(({ status }) => status)), new Set(["degraded", "failed"]));
  await pod.close();
  const again = await open();
  assert.deepEqual(again.features, pod.features);
  await again.close();
  const entries = (await log()).filter(isKnown);
  assert.ok(entries.every((entry) => bytes(entry) <= entryBytesMax));
  const [start] = entries;
  assert.ok(start?.kind === "segment_start");
  // Two whole ones would have no room for their versions.
  assert.deepEqual(Object.keys(start.states), ["d0"]);
  assert.ok(bytes(start.states) > stateBytesMax && bytes(start.states) <= statesBytesMax);
  const noRoom = alerts.filter(({ message }) => message.includes("there is no room for them"));
  assert.deepEqual(
    new Set(noRoom.map(({ source }) => source)),
    new Set(
      features.filter((_, index) => index % 2 === 0 && index > 0).map(({ descriptor }) => descriptor.id),
    ),
  );
  const records = entries.flatMap((entry) =>
    entry.kind === "extension" && entry.domain === featuresDomain ? [entry.payload] : [],
  );
  // The same features leave the same record, which is in the log once.
  const [record] = records;
  assert.equal(records.length, 1);
  assert.ok(bytes(record) > recordBytesMax / 2 && bytes(record) <= recordBytesMax, `${bytes(record)}`);
  assert.ok(Array.isArray(record) && record.length === featuresMax);
});
