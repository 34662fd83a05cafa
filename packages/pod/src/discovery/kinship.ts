/** Who is whose child, of all Pods of a data directory: the parents' records of their loans and the children's links, put together. Pure. */
import type { ChildRecord, PodListing, PodRecord, ReclaimedChild } from "@yoi/pod-store";
import { isMeant, knownAs } from "../spawn/same-pod.ts";

/** How a Pod stands to the one above it. */
export type Standing =
  /** Nobody lent it anything. */
  | { readonly kind: "own" }
  /** It was a child of a Pod that is not there any more: its scope is its own. */
  | { readonly kind: "orphan"; readonly parent: string }
  /** Whether its parent still lends it anything cannot be read. */
  | { readonly kind: "unclear"; readonly parent: string }
  | { readonly kind: "lent"; readonly parent: string; readonly child: ChildRecord }
  /** `child` is null where its parent keeps no record of the loan any more. */
  | { readonly kind: "reclaimed"; readonly parent: string; readonly child: ReclaimedChild | null };

export interface Place {
  readonly name: string;
  /** Null: a parent knows it as its child, and there is no such Pod any more. */
  readonly listing: PodListing | null;
  readonly standing: Standing;
  readonly below: readonly Place[];
}

/** Every Pod, and every child that a Pod knows of, once: the roots by name, and below each its children by name. */
export function placesOf(listing: readonly PodListing[]): readonly Place[] {
  const byName = new Map(listing.map((pod) => [pod.name, pod]));
  const recordOf = (name: string): PodRecord | null => {
    const found = byName.get(name);
    return found !== undefined && "record" in found ? found.record : null;
  };
  const childrenOf = new Map<string, { readonly name: string; readonly standing: Standing }[]>();
  const placed = new Set<string>();
  const put = (parent: string, name: string, standing: Standing): void => {
    placed.add(name);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), { name, standing }]);
  };

  // A child that names its parent stands there; what the parent says of it is how.
  for (const { name } of listing) {
    const record = recordOf(name);
    const link = record?.parent ?? null;
    const above = link === null ? undefined : byName.get(link.pod);
    if (record === null || link === null || above === undefined) continue;
    if ("fault" in above) put(above.name, name, { kind: "unclear", parent: above.name });
    else if (isMeant(above.record, link)) put(above.name, name, standingWith(above.record, record));
  }
  // A child whose own metadata does not say so, because it is damaged or gone, stands where its parent knows it.
  for (const { name: parent } of listing) {
    const { children = [], reclaimed = [] } = recordOf(parent) ?? {};
    for (const child of [...children, ...reclaimed]) {
      if (placed.has(child.name) || recordOf(child.name) !== null) continue;
      const isLent = "state" in child;
      const standing = isLent
        ? ({ kind: "lent", parent, child } as const)
        : ({ kind: "reclaimed", parent, child } as const);
      put(parent, child.name, standing);
    }
  }

  const shown = new Set<string>();
  const placeOf = (name: string, standing: Standing): Place => {
    shown.add(name);
    const below = (childrenOf.get(name) ?? [])
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      // Links that were written by no yoi may go round in a circle.
      .filter((child) => !shown.has(child.name));
    return {
      name,
      listing: byName.get(name) ?? null,
      standing,
      below: below.map((child) => placeOf(child.name, child.standing)),
    };
  };
  const rootOf = (name: string): Place => {
    const link = recordOf(name)?.parent ?? null;
    return placeOf(name, link === null ? { kind: "own" } : { kind: "orphan", parent: link.pod });
  };
  const roots = listing.filter(({ name }) => !placed.has(name)).map(({ name }) => rootOf(name));
  const circles = listing.flatMap(({ name }) => (shown.has(name) ? [] : [rootOf(name)]));
  return [...roots, ...circles];
}

/** The place of one Pod, wherever it stands. */
export function findPlace(places: readonly Place[], name: string): Place | null {
  for (const place of places) {
    const found = place.name === name ? place : findPlace(place.below, name);
    if (found !== null) return found;
  }
  return null;
}

function standingWith(parent: PodRecord, record: PodRecord): Standing {
  const lent = knownAs(parent.children, record);
  if (lent !== undefined) return { kind: "lent", parent: parent.name, child: lent };
  return { kind: "reclaimed", parent: parent.name, child: knownAs(parent.reclaimed, record) ?? null };
}
