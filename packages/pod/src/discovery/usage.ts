/** What Pods used: the sum of every record of every segment of their sessions. Read from the stores; no Pod is constructed and no lease is taken. */
import {
  addSpent,
  messageOf,
  noSpent,
  type PodName,
  podName,
  type SegmentId,
  type SessionId,
  type Spent,
  YoiError,
} from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { ChildrenSpent, type ChildrenSpentStores } from "../spawn/children-spent.ts";
import { inParallel } from "../spawn/in-parallel.ts";
import { refOf } from "../spawn/same-pod.ts";
import { SegmentSpent } from "../usage/segment-spent.ts";
import { spendingProblems } from "../usage/spending-problems.ts";
import type { DiscoveryStores } from "./find-pod.ts";
import { findPlace, type Place, placesOf } from "./kinship.ts";
import { podUnknown } from "./pod-unknown.ts";

/** What a segment is to its Pod: the one that it goes on in, one that it left, one of a compactor, or one that nothing came of. */
export type SegmentPart = "active" | "left" | "compactor" | "unused";

export interface SegmentUsage {
  readonly segment: SegmentId;
  readonly part: SegmentPart;
  /** Null: it does not begin as a segment. */
  readonly generation: number | null;
  /** Of its own records. */
  readonly spent: Spent;
}

export interface PodUsage {
  readonly name: string;
  /** Null: its metadata cannot be read, or it is gone. */
  readonly session: SessionId | null;
  /** Oldest first. */
  readonly segments: readonly SegmentUsage[];
  /** Of all segments. */
  readonly spent: Spent;
  /** Why not all of it is known; null: it is. */
  readonly error: string | null;
  /** Where records and what the log says of them differ, one sentence each. Only when it was asked for. */
  readonly problems: readonly string[];
  readonly children: readonly PodUsage[];
}

export interface UsageStores {
  readonly pods: DiscoveryStores["pods"];
  readonly sessions: Pick<SessionStore, "listSegments" | "readBehind" | "read">;
}

export interface UsageOptions {
  /** One Pod; null: all. */
  readonly name: string | null;
  /** With all below it. */
  readonly tree: boolean;
  readonly verify: boolean;
}

/** Pods whose logs are read at a time. */
const podsAtOnceMax = 4;

/** Throws pod_unknown. */
export async function podUsage(
  stores: UsageStores,
  { name, tree, verify }: UsageOptions,
): Promise<readonly PodUsage[]> {
  const places = placesOf(await stores.pods.list());
  const wanted = name === null ? places : [placeNamed(places, podName(name))];
  const seen = new Map<Place, PodUsage>();
  const flat = wanted.flatMap((place) => (tree ? withAllBelow(place) : [place]));
  await inParallel(flat, podsAtOnceMax, async (place) => {
    seen.set(place, await usageOf(stores, place, verify));
  });
  const nodeOf = (place: Place): readonly PodUsage[] => {
    const own = seen.get(place);
    return own === undefined ? [] : [{ ...own, children: place.below.flatMap(nodeOf) }];
  };
  return wanted.flatMap(nodeOf);
}

/** What a Pod used in its whole life, with all below it, as the segments say in which they are now: no other one is read. Null: there is no such Pod. */
export async function treeSpent(stores: ChildrenSpentStores, name: PodName): Promise<Spent | null> {
  const record = await stores.pods.read(name);
  return record === null ? null : new ChildrenSpent(stores, null).of(refOf(record));
}

/** Of Pods with all below them. */
export function totalSpent(pods: readonly PodUsage[]): Spent {
  return pods.reduce((sum, pod) => addSpent(addSpent(sum, pod.spent), totalSpent(pod.children)), noSpent);
}

function placeNamed(places: readonly Place[], name: string): Place {
  const found = findPlace(places, name);
  if (found === null || found.listing === null) throw podUnknown(name);
  return found;
}

function withAllBelow(place: Place): readonly Place[] {
  return [place, ...place.below.flatMap(withAllBelow)];
}

async function usageOf(stores: UsageStores, { name, listing }: Place, verify: boolean): Promise<PodUsage> {
  const nothing = { name, segments: [], spent: noSpent, problems: [], children: [] };
  if (listing === null)
    return { ...nothing, session: null, error: `There is no Pod named ${name} any more.` };
  if ("fault" in listing) return { ...nothing, session: null, error: listing.error };
  const { record } = listing;
  const { session } = record.pointer;
  try {
    return { ...nothing, session, ...(await sessionUsage(stores, record, verify)) };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { ...nothing, session, error: messageOf(error) };
  }
}

/** A segment with what its records add up to. */
interface ReadSegment {
  readonly ref: SegmentRef;
  readonly sum: SegmentSpent;
}

async function sessionUsage(
  { sessions }: UsageStores,
  { name, pointer }: PodRecord,
  verify: boolean,
): Promise<Pick<PodUsage, "segments" | "spent" | "error" | "problems">> {
  const read: ReadSegment[] = [];
  const damage: string[] = [];
  for (const { ref } of await sessions.listSegments(pointer.session)) {
    const sum = new SegmentSpent();
    for await (const piece of sessions.readBehind(ref, -1)) {
      for (const entry of piece.entries) sum.take(entry);
      if (piece.damage === null) continue;
      const { path, offset, reason } = piece.damage;
      damage.push(
        `The log ${path} of the Pod ${name} is damaged at byte ${offset} (${reason}): what it used is counted up to there.`,
      );
    }
    read.push({ ref, sum });
  }
  const active = pointer.state === "active" ? pointer.segment : null;
  const history = historyOf(read, active);
  const partOf = ({ ref, sum }: ReadSegment): SegmentPart => {
    if (ref.segment === active) return "active";
    if (history.includes(sum)) return "left";
    return sum.start?.purpose === undefined ? "unused" : "compactor";
  };
  const view = verify && pointer.state === "active" ? await sessions.read(pointer) : null;
  return {
    segments: read.map((one) => ({
      segment: one.ref.segment,
      part: partOf(one),
      generation: one.sum.start === null ? null : (one.sum.start.generation ?? 0),
      spent: one.sum.own,
    })),
    spent: read.reduce((total, { sum }) => addSpent(total, sum.own), noSpent),
    error: damage[0] ?? null,
    problems:
      view === null
        ? []
        : spendingProblems(
            view,
            history,
            read.map(({ sum }) => sum),
          ),
  };
}

/** The active segment and those that the Pod left for it, newest first. */
function historyOf(read: readonly ReadSegment[], active: SegmentId | null): readonly SegmentSpent[] {
  const chain: SegmentSpent[] = [];
  let next = active;
  while (next !== null) {
    const found = read.find(({ ref }) => ref.segment === next)?.sum;
    if (found === undefined || chain.includes(found)) break;
    chain.push(found);
    const left = found.start?.left;
    next = left === undefined || left.session_id !== undefined ? null : left.segment_id;
  }
  return chain;
}
