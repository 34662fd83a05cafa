/** The features that ship with yoi. */
import { podName } from "@yoi/base";
import {
  podsFeature,
  type SpawnProfile,
  taskFeature,
  ticketsFeature,
  ticketStoreFeature,
} from "@yoi/builtin";
import type { FeatureDescriptor, FeatureModule } from "@yoi/feature";
import { nodeHost } from "@yoi/host";
import { type PodTickets, podTickets } from "./pod-tickets.ts";

interface BuiltInParts {
  /** Those that a child can be started with. Null: the Pod is not hosted, so it has no children and no tools for them. */
  readonly profiles: readonly SpawnProfile[] | null;
  /** Null: nobody spoke of tickets, so nothing is said of them either. */
  readonly tickets: PodTickets | null;
}

/** New ones at each call, in the order in which a Pod installs them. */
export function builtInFeatures({ profiles, tickets }: BuiltInParts): readonly FeatureModule[] {
  return [
    taskFeature(),
    ...(profiles === null ? [] : [podsFeature({ profiles })]),
    ...(tickets === null ? [] : ticketFeatures(tickets)),
  ];
}

/** Who a Pod is among tickets the store is told; the tools' feature is told only so that it knows whose events are no news. */
function ticketFeatures({ store, actor, wait }: PodTickets): readonly FeatureModule[] {
  const { author: pod, role } = actor;
  return [ticketStoreFeature({ store, actor }), ticketsFeature({ pod, role, wait })];
}

/** Of all that there are, for whoever only asks what they would be: of no Pod, and of tickets that are not touched. */
export function builtInDescriptors(): readonly FeatureDescriptor[] {
  const nobody = { workspace: "/", tickets: { role: "intake", close: false } } as const;
  const tickets = podTickets(podName("features"), nobody, nodeHost());
  return builtInFeatures({ profiles: [], tickets }).map(({ descriptor }) => descriptor);
}
