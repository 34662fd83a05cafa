/** One life of a Worker with the Task feature: installed as a Pod installs it, its state restored from the log, over a scripted model. */
import { type CommittedItem, isJsonObject, type JsonObject, type JsonValue, type Tool } from "@yoi/base";
import type { Hook } from "@yoi/feature";
import { taskFeature } from "../../../../builtin/src/index.ts";
import { memoryHost } from "../../../../host/src/index.ts";
import type { LoopPoints } from "../../../../worker/src/index.ts";
import { bench, type Bench } from "../../../../worker/test/support/bench-worker.ts";
import type { LogHistory } from "../../../../worker/test/support/log-history.ts";
import { Alerts } from "../../../src/alert/alerts.ts";
import type { FeatureHost } from "../../../src/feature/feature-host.ts";
import { type InstalledFeatures, installFeatures } from "../../../src/feature/install-features.ts";
import { createHookPoints } from "../../../src/hook/points.ts";
import { type HostHook, HookRegistry } from "../../../src/hook/registry.ts";

export interface TaskLifeOptions {
  readonly scenario: string;
  readonly history: LogHistory;
  /** Beside those of the feature. */
  readonly tools?: readonly Tool[];
  /** The host's own rule for calls. */
  readonly rule?: HostHook<"pre_tool_call">;
  readonly threshold?: LoopPoints["threshold"];
  /** Asked behind the feature's own. */
  readonly laterHook?: Hook<"pre_llm_request">;
  readonly parallelCallsMax?: number;
}

export interface TaskLife extends Bench {
  readonly installed: InstalledFeatures;
  readonly alerts: Alerts;
  /** What the feature knows, as a segment would keep it. */
  readonly tasks: () => JsonObject;
  /** What the same feature, or a new one, knows after these items. */
  readonly rewindTo: (items: readonly CommittedItem[]) => void;
}

export async function beginLife(options: TaskLifeOptions): Promise<TaskLife> {
  const {
    history,
    scenario,
    tools = [],
    rule,
    threshold = () => null,
    parallelCallsMax,
    laterHook,
  } = options;
  const host = memoryHost({ seed: 2 });
  const alerts = new Alerts({ clock: host.clock, told: () => {} });
  const hooks = new HookRegistry();
  if (rule !== undefined) {
    hooks.add("host_safety", { id: "host", mayAppend: false }, "rule", "pre_tool_call", rule);
  }
  const installed = await installTasks(hooks, alerts, tools);
  const rewindTo = (items: readonly CommittedItem[]) => {
    const problems = installed.states.restore(items, history.state.states);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
  };
  rewindTo(history.items);
  if (laterHook !== undefined) {
    hooks.add("feature", { id: "project:later", mayAppend: false }, "later", "pre_llm_request", laterHook);
  }
  const points = createHookPoints({
    registry: hooks,
    hasWriter: true,
    drain: async () => [],
    threshold,
    timers: host.timers,
    about: (owner, problem) => installed.about(owner, "warn", problem),
    redact: (text) => text,
  });
  const worker = bench({
    scenario,
    history,
    tools: [...tools, ...installed.tools],
    points,
    ...(parallelCallsMax === undefined ? {} : { limits: { parallelCallsMax } }),
  });
  return { ...worker, installed, alerts, rewindTo, tasks: () => tasksOf(installed) };
}

const nobody = (): never => {
  throw new Error("the Task feature notifies nobody");
};

export function installTasks(
  hooks: HookRegistry,
  alerts: Alerts,
  existingTools: readonly Tool[],
): Promise<InstalledFeatures> {
  const host = memoryHost({ seed: 3 });
  return installFeatures({
    modules: [taskFeature()],
    existingTools,
    hooks,
    host: noAuthorities,
    alerts,
    notifier: { notify: nobody, position: nobody, keepPosition: nobody },
    pods: null,
    clock: host.clock,
    timers: host.timers,
  });
}

/** What a feature without any right to the model, the machine or the user's things knows after `items`. */
export async function restoredTasks(
  items: readonly CommittedItem[],
  folded: JsonObject = {},
): Promise<JsonObject> {
  const alerts = new Alerts({ clock: { now: () => 0 }, told: () => {} });
  const installed = await installTasks(new HookRegistry(), alerts, []);
  const problems = installed.states.restore(items, folded);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return tasksOf(installed);
}

function tasksOf({ states }: InstalledFeatures): JsonObject {
  const snapshot = states.snapshot();
  if (snapshot.problems.length > 0) throw new Error(JSON.stringify(snapshot.problems));
  return snapshot.states;
}

/** A call of TaskCreate, for a scenario. */
export function createCall(subject: string, description = "") {
  return { name: "TaskCreate", arguments: { subject, description } };
}

/** YAML. One more answer ends the run. */
export function scenarioOf(...steps: readonly object[]): string {
  return JSON.stringify({ steps: [...steps, { text: "done" }] });
}

/** The tasks in a snapshot of all states. */
export function tasksIn(states: JsonObject): readonly JsonValue[] {
  const kept = states["yoi.tasks"];
  const value = isJsonObject(kept) ? kept["value"] : null;
  const tasks = isJsonObject(value) ? value["tasks"] : null;
  if (!Array.isArray(tasks)) throw new Error("there are no tasks in it");
  return tasks;
}

const never = () => {
  throw new Error("the Task feature asks the host for nothing");
};
const noAuthorities: FeatureHost = {
  approvalOf: never,
  files: never,
  fetch: never,
  secret: never,
  state: never,
  redact: (text) => text,
};
