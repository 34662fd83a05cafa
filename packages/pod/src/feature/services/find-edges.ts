/** Requirements and the providers that fit them: id, version range and methods. */
import type { FeatureDescriptor, FeatureId, ServiceId, ServiceRequirement } from "@yoi/feature";
import type { ServiceProvider } from "./find-providers.ts";
import type { ServiceRefusal } from "./refusals.ts";

/** A requirement with a provider that fits it. */
export interface Edge {
  readonly from: FeatureId;
  readonly to: FeatureId;
  readonly requirement: ServiceRequirement;
  /** Of the service. */
  readonly version: string;
}

export interface FoundEdges {
  readonly edges: readonly Edge[];
  readonly unmet: readonly (ServiceRefusal & { readonly feature: FeatureId; readonly required: boolean })[];
}

/** Any version there is: nothing needs to be evaluated. */
const anyVersion = "*";

/** True when the version is in the range. False for what is no version, or no range. */
type Satisfies = (version: string, range: string) => boolean;

export async function findEdges(
  descriptors: readonly FeatureDescriptor[],
  providers: ReadonlyMap<ServiceId, ServiceProvider>,
): Promise<FoundEdges> {
  const satisfies = await satisfiesFor(descriptors);
  const edges: Edge[] = [];
  const unmet: FoundEdges["unmet"][number][] = [];
  for (const { id: from, requires_services } of descriptors) {
    for (const requirement of requires_services) {
      const provider = providers.get(requirement.id);
      const why = whyNotMet(from, requirement, provider, satisfies);
      const { id: service, required } = requirement;
      if (why !== null) unmet.push({ feature: from, required, service, why });
      else if (provider !== undefined)
        edges.push({ from, to: provider.feature, requirement, version: provider.declaration.version });
    }
  }
  return { edges, unmet };
}

export function targetsOf(edges: readonly Edge[]): (id: FeatureId) => readonly FeatureId[] {
  const byConsumer = Map.groupBy(edges, ({ from }) => from);
  return (id) => (byConsumer.get(id) ?? []).map(({ to }) => to);
}

/** As a sentence that names all there is to name; null: it is met. */
function whyNotMet(
  consumer: FeatureId,
  { id, version: range, methods }: ServiceRequirement,
  provider: ServiceProvider | undefined,
  satisfies: Satisfies,
): string | null {
  if (provider === undefined)
    return `${consumer} requires the service ${id}: no feature that can be installed provides it.`;
  const { feature, declaration } = provider;
  if (range !== anyVersion && !satisfies(declaration.version, range)) {
    return `${consumer} requires the service ${id} in a version ${JSON.stringify(range)}: ${feature} provides ${declaration.version}.`;
  }
  const lacking = (methods ?? []).filter((method) => !declaration.methods.includes(method));
  if (lacking.length === 0) return null;
  return `${consumer} requires ${lacking.join(", ")} of the service ${id}: ${feature} provides only ${declaration.methods.join(", ")}.`;
}

/** The library is loaded only where there is something to evaluate: most sets of features ask for nothing of the kind. */
async function satisfiesFor(descriptors: readonly FeatureDescriptor[]): Promise<Satisfies> {
  const isNeeded = descriptors.some(({ requires_services }) =>
    requires_services.some(({ version }) => version !== anyVersion),
  );
  if (!isNeeded) return () => true;
  const { default: semver } = await import("semver");
  return (version, range) => semver.satisfies(version, range);
}
