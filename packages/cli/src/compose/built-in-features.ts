/** The features that ship with yoi. */
import { podName } from "@yoi/base";
import { podsFeature, type SpawnProfile, taskFeature } from "@yoi/builtin";
import type { FeatureDescriptor, FeatureModule } from "@yoi/feature";
import { nodeHost } from "@yoi/host";
import type { PodAmongTickets } from "./ticket-features.ts";

interface BuiltInParts {
  /** Those that a child can be started with. Null: the Pod is not hosted, so it has no children and no tools for them. */
  readonly profiles: readonly SpawnProfile[] | null;
  /** Null: nobody spoke of tickets, so nothing is said of them either. */
  readonly tickets: PodAmongTickets | null;
}

/** New ones at each call, in the order in which a Pod installs them. What is for tickets is loaded where there are any. */
export async function builtInFeatures({
  profiles,
  tickets,
}: BuiltInParts): Promise<readonly FeatureModule[]> {
  return [
    taskFeature(),
    ...(profiles === null ? [] : [podsFeature({ profiles })]),
    ...(tickets === null ? [] : (await import("./ticket-features.ts")).ticketFeatures(tickets)),
  ];
}

/** Of all that there are, for whoever only asks what they would be: of no Pod, and of tickets that are not touched. */
export async function builtInDescriptors(): Promise<readonly FeatureDescriptor[]> {
  const manifest = { workspace: "/", tickets: { role: "intake", close: false } } as const;
  const tickets = { name: podName("features"), manifest, host: nodeHost() };
  return (await builtInFeatures({ profiles: [], tickets })).map(({ descriptor }) => descriptor);
}
