/** Kin of a Pod: how its lists of children, reclaimed children and peers change. Pure. */
import { type PodName, type SessionId, YoiError } from "@yoi/base";
import type { ChildRecord, PeerLink, PodRecord, ReclaimedChild } from "./store.ts";

/** Children with an open loan. */
export const childrenMax = 16;
/** Reclaimed children that are kept in mind; the oldest go first. */
export const reclaimedMax = 64;
export const peersMax = 64;

type Kin = Pick<PodRecord, "children" | "reclaimed">;

export function withChild({ children, reclaimed }: Kin, child: ChildRecord, of: PodName): Kin {
  if (child.name === of) throw new YoiError("usage", `The Pod ${of} cannot be its own child.`);
  const others = children.filter(({ name }) => name !== child.name);
  if (others.length >= childrenMax) {
    throw new YoiError(
      "limit_exceeded",
      `The Pod ${of} has ${others.length} children, the most that one can have: stop one of them first.`,
    );
  }
  return {
    children: [...others, child].toSorted(byName),
    reclaimed: reclaimed.filter(({ name }) => name !== child.name),
  };
}

export function withoutChild(
  { children, reclaimed }: Kin,
  name: PodName,
  how: Pick<ReclaimedChild, "reason" | "atMs"> | null,
  of: PodName,
): Kin {
  const child = children.find((other) => other.name === name);
  if (child === undefined)
    throw new YoiError("child_unknown", `The Pod ${of} has no child named ${name} with an open loan.`);
  const { loan, session } = child;
  const others = reclaimed.filter((other) => other.name !== name);
  return {
    children: children.filter((other) => other !== child),
    reclaimed: how === null ? others : [...others, { name, loan, session, ...how }].slice(-reclaimedMax),
  };
}

/** @param session null: a peer no longer. Null where that is so already. */
export function withPeer(
  peers: readonly PeerLink[],
  peer: PodName,
  session: SessionId | null,
  of: PodName,
): readonly PeerLink[] | null {
  if (peer === of) throw new YoiError("usage", `The Pod ${of} cannot be its own peer: name another one.`);
  const before = peers.find(({ name }) => name === peer)?.session ?? null;
  if (before === session) return null;
  const others = peers.filter(({ name }) => name !== peer);
  if (session === null) return others;
  if (others.length >= peersMax) {
    throw new YoiError(
      "limit_exceeded",
      `The Pod ${of} has ${others.length} peers, the most that one can have: take one away first.`,
    );
  }
  return [...others, { name: peer, session }].toSorted(byName);
}

function byName(a: { readonly name: PodName }, b: { readonly name: PodName }): number {
  return a.name < b.name ? -1 : 1;
}
