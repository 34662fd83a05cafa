/** What the Pod tools declare: everything that they register, and the one authority that they need. */
import { deepFreeze } from "@yoi/base";
import { type FeatureDescriptor, featureId } from "@yoi/feature";
import type { PodToolDeclaration } from "./pod-declarations.ts";
import { podsStateDeclaration } from "./pods-state.ts";

export const podManagement = Object.freeze({ kind: "pod_management" } as const);

export function podsDescriptor(tools: readonly PodToolDeclaration[]): FeatureDescriptor {
  return deepFreeze({
    id: featureId("builtin:pods"),
    runtime: "builtin",
    display_name: "Pod tools",
    version: "1.0.0",
    description:
      "Other Pods as children: started, given work and part of this Pod's scope, read, stopped and started again; and messages to peers.",
    authorities: [
      {
        authority: podManagement,
        required: true,
        reason: "Starts and ends Pods in your name, and lends them part of this Pod's scope.",
      },
    ],
    tools,
    hooks: [],
    background_tasks: [],
    provides_services: [],
    requires_services: [],
    state: podsStateDeclaration,
  });
}
