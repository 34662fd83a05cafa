/** The list of Pods: metadata, the owner hint and when each was last used; never a transcript. */
import { inParallel } from "@yoi/base";
import type { PodRecord, UnreadablePod } from "@yoi/pod-store";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { type DiscoveryStores, type LiveOwner, liveOwnerOf } from "./find-pod.ts";
import { placesOf } from "./kinship.ts";

export interface PodSummary extends LiveOwner {
  readonly name: string;
  /** What the user calls it; null: nothing else. */
  readonly title: string | null;
  /** Null when the metadata cannot be read. */
  readonly workspace: string | null;
  readonly model: string | null;
  readonly updatedMs: number | null;
  /** Of a child: who lent it its scope, or did. */
  readonly parent: string | null;
  /** A child whose parent is not there any more: its scope is its own. */
  readonly isOrphan: boolean;
  /** Whose loans from this Pod are open. */
  readonly children: readonly string[];
  /** Names that it has as its peers'. */
  readonly peers: readonly string[];
  /** When something was last put on record; of a Pod whose metadata cannot be read, when that was written. */
  readonly usedMs: number;
  /** What its name refers to; null: it has no log yet, or its metadata cannot be read. */
  readonly active: SegmentRef | null;
  /** Why its metadata cannot be read; null: it can. */
  readonly unreadable: Pick<UnreadablePod, "fault" | "error"> | null;
}

export interface ListingStores extends Pick<DiscoveryStores, "pods" | "lease"> {
  readonly sessions: Pick<SessionStore, "writtenMs">;
}

const nothing = {
  title: null,
  workspace: null,
  model: null,
  updatedMs: null,
  parent: null,
  isOrphan: false,
  children: [],
  peers: [],
  active: null,
} as const;

/** How many Pods are looked at at a time. */
const podsAtOnceMax = 16;

export async function listPods(stores: ListingStores): Promise<readonly PodSummary[]> {
  const listings = await stores.pods.list();
  const orphans = new Set(
    placesOf(listings).flatMap(({ name, standing }) => (standing.kind === "orphan" ? [name] : [])),
  );
  return inParallel(listings, podsAtOnceMax, async (listing): Promise<PodSummary> => {
    const owner = await liveOwnerOf(stores.lease, listing.name);
    if ("fault" in listing) {
      const { name, fault, error, writtenMs } = listing;
      return { name, ...nothing, ...owner, usedMs: writtenMs, unreadable: { fault, error } };
    }
    const { record } = listing;
    const { workspace, model } = record.manifest;
    return {
      name: listing.name,
      title: record.title ?? null,
      workspace: typeof workspace === "string" ? workspace : null,
      model: modelName(model),
      ...owner,
      updatedMs: record.updatedMs,
      parent: record.parent?.pod ?? null,
      isOrphan: orphans.has(listing.name),
      children: record.children.map((child) => child.name),
      peers: record.peers.map((peer) => peer.name),
      usedMs: Math.max(record.updatedMs, await writtenMs(stores, record)),
      active: activeOf(record),
      unreadable: null,
    };
  });
}

function activeOf({ pointer }: PodRecord): SegmentRef | null {
  return pointer.state === "pending" ? null : { session: pointer.session, segment: pointer.segment };
}

/** A Pod that was killed has metadata of its start only; its log says how far it came. */
async function writtenMs({ sessions }: ListingStores, { pointer }: PodRecord): Promise<number> {
  return pointer.state === "pending" ? 0 : ((await sessions.writtenMs(pointer)) ?? 0);
}

function modelName(model: unknown): string | null {
  if (typeof model !== "object" || model === null) return null;
  const { provider, id } = model as { provider?: unknown; id?: unknown };
  return typeof provider === "string" && typeof id === "string" ? `${provider}/${id}` : null;
}
