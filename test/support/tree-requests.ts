/** What tests ask of the children of a simulated Pod, and the feature by which they ask it. */
import type { ScopeRule } from "@yoi/base";
import {
  featureId,
  type FeatureModule,
  type ManagementCall,
  type PodManagement,
  type SpawnRequest,
} from "@yoi/feature";

/** A scope for children of the simulated workspace: its rules, with reading the workspace. */
export function lends(...targets: readonly string[]): readonly ScopeRule[] {
  return [
    { target: "/w", permission: "read", recursive: true },
    ...targets.map((target): ScopeRule => ({ target, permission: "write", recursive: true })),
  ];
}

/** A child that may read the workspace and write the targets. */
export function aRequest(name: string, ...targets: readonly string[]): SpawnRequest {
  return {
    name,
    profile: null,
    scope: lends(...targets),
    instruction: null,
    task: `do what ${name} does`,
  };
}

let calls = 0;
/** A call of its own. */
export function aCall(signal: AbortSignal = new AbortController().signal): ManagementCall {
  return { call: `${(calls += 1)}.0`, signal };
}

/** A built-in feature that does nothing but to keep what it is handed. */
export function managing(managed: { pods: PodManagement | null }): FeatureModule {
  return {
    descriptor: {
      id: featureId("builtin:manage"),
      runtime: "builtin",
      display_name: "Manage",
      version: "1.0.0",
      description: "For tests.",
      authorities: [{ authority: { kind: "pod_management" }, reason: "For tests.", required: true }],
      tools: [],
      hooks: [],
      background_tasks: [],
      provides_services: [],
      requires_services: [],
      state: null,
    },
    install: ({ handles }) => {
      managed.pods = handles.pods;
    },
  };
}
