/** Who provides which service: one feature each. */
import type { FeatureDescriptor, FeatureId, ServiceDeclaration, ServiceId } from "@yoi/feature";
import type { ServiceRefusal } from "./refusals.ts";

export interface ServiceProvider {
  readonly feature: FeatureId;
  readonly declaration: ServiceDeclaration;
}

export interface FoundProviders {
  readonly providers: ReadonlyMap<ServiceId, ServiceProvider>;
  /** Features that provide what another provides too. */
  readonly rejected: readonly (ServiceRefusal & { readonly feature: FeatureId })[];
}

/** Of several that provide the same service none does, whatever their order. */
export function findProviders(descriptors: readonly FeatureDescriptor[]): FoundProviders {
  const declared = descriptors.flatMap(({ id: feature, provides_services }) =>
    provides_services.map((declaration): ServiceProvider => ({ feature, declaration })),
  );
  const providers = new Map<ServiceId, ServiceProvider>();
  const rejected: FoundProviders["rejected"][number][] = [];
  for (const [id, candidates] of Map.groupBy(declared, ({ declaration }) => declaration.id)) {
    const [first, ...more] = candidates;
    if (first !== undefined && more.length === 0) providers.set(id, first);
    else
      for (const { feature } of candidates)
        rejected.push({ feature, service: id, why: collision(feature, id, candidates) });
  }
  return { providers, rejected };
}

function collision(feature: FeatureId, id: ServiceId, candidates: readonly ServiceProvider[]): string {
  const all = new Set(candidates.map((candidate) => candidate.feature));
  if (all.size === 1) return `${feature} provides the service ${id} more than once.`;
  return `The service ${id} is provided by more than one feature: ${[...all].toSorted().join(", ")}.`;
}
