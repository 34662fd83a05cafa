/** Which feature gets which service of which other, and in which order they are installed: from the descriptors alone, whatever their order. */
import type { FeatureDescriptor, FeatureId, ServiceRequirement } from "@yoi/feature";
import { componentsOf } from "./find-cycles.ts";
import { type Edge, findEdges, targetsOf } from "./find-edges.ts";
import { findProviders } from "./find-providers.ts";
import { Refusals, type ServiceRefusal } from "./refusals.ts";

/** A requirement that is met, by a feature that is not blocked. */
export interface ResolvedService {
  readonly requirement: ServiceRequirement;
  readonly provider: FeatureId;
  /** Of the service. */
  readonly version: string;
}

export interface ServiceResolution {
  /** Without those that are blocked. Providers before consumers; otherwise the given order. */
  readonly order: readonly FeatureId[];
  /** Why they cannot be installed. */
  readonly blocked: ReadonlyMap<FeatureId, readonly ServiceRefusal[]>;
  /** What those that are not blocked go without. */
  readonly degraded: ReadonlyMap<FeatureId, readonly ServiceRefusal[]>;
  /** What each feature of `order` gets. An optional requirement that is not met is not among it: it gets no client. */
  readonly resolved: ReadonlyMap<FeatureId, readonly ResolvedService[]>;
}

/** The ids of the descriptors are unique. Never throws for what they say. */
export async function resolveServices(descriptors: readonly FeatureDescriptor[]): Promise<ServiceResolution> {
  const ids = descriptors.map(({ id }) => id);
  const blocked = new Refusals();
  const degraded = new Refusals();
  const { providers, rejected } = findProviders(descriptors);
  for (const { feature, service, why } of rejected) blocked.add(feature, { service, why });
  const { edges, unmet } = await findEdges(descriptors, providers);
  for (const { feature, required, service, why } of unmet)
    (required ? blocked : degraded).add(feature, { service, why });
  const circular = blockCircles(ids, edges, blocked);
  loseBlocked(
    edges.filter((edge) => !circular.has(edge)),
    blocked,
    degraded,
  );

  const installed = ids.filter((id) => !blocked.has(id));
  const kept = withoutOptionalCircles(
    installed,
    edges.filter(({ from, to }) => !blocked.has(from) && !blocked.has(to)),
    degraded,
  );
  const byConsumer = Map.groupBy(kept, ({ from }) => from);
  return {
    order: inOrder(installed, targetsOf(kept)),
    blocked: blocked.of(() => true),
    degraded: degraded.of((id) => !blocked.has(id)),
    resolved: new Map(
      installed.map((id) => [
        id,
        (byConsumer.get(id) ?? []).map(({ requirement, to, version }) => ({
          requirement,
          provider: to,
          version,
        })),
      ]),
    ),
  };
}

/** Features that require each other: none of them could be the first. Returns what makes the circles. */
function blockCircles(
  ids: readonly FeatureId[],
  edges: readonly Edge[],
  blocked: Refusals,
): ReadonlySet<Edge> {
  const circular = new Set<Edge>();
  const required = edges.filter(({ requirement }) => requirement.required);
  const circle = componentsOf(ids, targetsOf(required));
  for (const edge of required) {
    if (circle.get(edge.from) !== circle.get(edge.to)) continue;
    const members = ids.filter((id) => circle.get(id) === circle.get(edge.from));
    circular.add(edge);
    blocked.add(edge.from, refusal(edge, `${inCircle(members)}.`));
  }
  return circular;
}

/** What is blocked takes those with it that require it, and those that require them. */
function loseBlocked(edges: readonly Edge[], blocked: Refusals, degraded: Refusals): void {
  const consumers = Map.groupBy(edges, ({ to }) => to);
  const lost = [...blocked.ids];
  for (let provider = lost.pop(); provider !== undefined; provider = lost.pop()) {
    for (const edge of consumers.get(provider) ?? []) {
      const { required } = edge.requirement;
      if (required && !blocked.has(edge.from)) lost.push(edge.from);
      (required ? blocked : degraded).add(edge.from, refusal(edge, "which cannot be installed."));
    }
  }
}

/** What is left of circles hangs on something optional, and goes without it. */
function withoutOptionalCircles(
  ids: readonly FeatureId[],
  edges: readonly Edge[],
  degraded: Refusals,
): readonly Edge[] {
  const circle = componentsOf(ids, targetsOf(edges));
  return edges.filter((edge) => {
    if (edge.requirement.required || circle.get(edge.from) !== circle.get(edge.to)) return true;
    const members = ids.filter((id) => circle.get(id) === circle.get(edge.from));
    degraded.add(edge.from, refusal(edge, `${inCircle(members)}: it goes without.`));
    return false;
  });
}

function refusal({ from, to, requirement: { id } }: Edge, why: string): ServiceRefusal {
  return { service: id, why: `${from} requires the service ${id} of ${to}, ${why}` };
}

function inCircle(members: readonly FeatureId[]): string {
  if (members.length === 1) return "which is itself";
  return `in a circle of features that require each other (${members.toSorted().join(", ")})`;
}

/** The given order, except that each one's providers come first. `targets` has no cycle. */
function inOrder(
  ids: readonly FeatureId[],
  targets: (id: FeatureId) => readonly FeatureId[],
): readonly FeatureId[] {
  const placed = new Set<FeatureId>();
  const place = (id: FeatureId): void => {
    if (placed.has(id)) return;
    for (const provider of targets(id)) place(provider);
    placed.add(id);
  };
  ids.forEach(place);
  return [...placed];
}
