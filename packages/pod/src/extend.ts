/** What a Pod has beside its session: rules, hooks, features and all tools. */
import type { Tool } from "@yoi/base";
import type { PodManagement } from "@yoi/feature";
import { ToolTable } from "@yoi/worker";
import type { Alerts } from "./alert/alerts.ts";
import { type InstalledFeatures, installFeatures } from "./feature/install-features.ts";
import type { Notifier } from "./feature/sinks/notifier.ts";
import { switchedOffBy } from "./feature/switched-off.ts";
import type { StateProblem } from "./feature/states/feature-states.ts";
import { Panels } from "./feature/states/panels.ts";
import type { HistoryGate } from "./history/gate.ts";
import type { ShownLive } from "./drive/watchers.ts";
import { HookRegistry } from "./hook/registry.ts";
import { boundedText } from "./hook/said.ts";
import type { Sending } from "./inbox/inbox.ts";
import type { Accepted } from "./inbox/submissions.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import { PermissionGate } from "./policy/permission-gate.ts";
import { rulesWithoutEffect } from "./policy/rules-without-effect.ts";
import { CommandLane } from "./turn/command-lane.ts";

/** Resolves when the notice is durable. */
export type Notify = (notice: Sending) => Promise<Accepted>;

export interface Extended {
  readonly permissions: PermissionGate;
  readonly hooks: HookRegistry;
  readonly features: InstalledFeatures;
  readonly tools: ToolTable;
  /** In which its calls and commands of the user take turns. */
  readonly lane: CommandLane;
  readonly panels: Panels;
  readonly tellStates: (problems: readonly StateProblem[]) => void;
  readonly restoreStates: (gate: HistoryGate) => void;
}

/** No feature adds a hook after this; what keeps the user safe is added later, and its band is asked first. */
export async function extend(
  { ports: { clock, timers } }: OpenPodOptions,
  setup: PodSetup,
  alerts: Alerts,
  {
    notifier,
    pods,
    sessionTools,
    within,
    shown,
  }: {
    readonly notifier: Notifier;
    readonly pods: PodManagement | null;
    readonly sessionTools: readonly Tool[];
    /** Put around every tool: what it may touch at the moment at which it runs. */
    readonly within: (tool: Tool) => Tool;
    /** What a view shows beside history is another thing now. */
    readonly shown: (live: ShownLive) => void;
  },
): Promise<Extended> {
  const hooks = new HookRegistry();
  const permissions = new PermissionGate({ ...setup.manifest, locate: setup.locate });
  const ownTools = [...setup.tools, ...sessionTools];
  const features = await installFeatures({
    modules: setup.features,
    switchedOff: switchedOffBy(setup.manifest.features),
    existingTools: ownTools,
    hooks,
    host: setup.featureHost,
    alerts,
    notifier,
    pods,
    clock,
    timers,
  });
  const lane = new CommandLane();
  const tools = ToolTable.create(
    [...ownTools, ...features.tools].map((tool) => lane.around(within(setup.guard(tool)))),
  );
  for (const sentence of rulesWithoutEffect(setup.manifest.permissions.rules, tools.definitions))
    alerts.raise("warn", "host", sentence);
  const tellStates: Extended["tellStates"] = (problems) => {
    for (const { feature, message } of problems)
      features.about(feature, "error", boundedText(message, setup.featureHost));
  };
  const { redact } = setup.featureHost;
  const panels = new Panels({
    states: features.states,
    redact,
    shown: (panel) => shown({ type: "panel", panel }),
    problem: (feature, message) => features.about(feature, "error", boundedText(message, setup.featureHost)),
  });
  const restoreStates = ({ items, state }: HistoryGate) => {
    tellStates(features.states.restore(items, state.states));
    panels.restored();
  };
  return { permissions, hooks, features, tools, lane, panels, tellStates, restoreStates };
}
