/** What Pods used: the sum of every record of every segment of their sessions. Read from the stores; no Pod is constructed and no lease is taken. */
import {
  addSpent,
  inParallel,
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
import { refOf } from "../spawn/same-pod.ts";
import { type ChildrenRecord, isNothing, recordedSpent } from "../usage/children-record.ts";
import { SegmentSpent } from "../usage/segment-spent.ts";
import { spendingProblems } from "../usage/spending-problems.ts";
import type { DiscoveryStores } from "./find-pod.ts";
import { findPlace, type Place, placesOf, type Standing } from "./kinship.ts";
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
  /** Of all segments. Of a Pod that was removed: with all below it, as its parent has it on record. Null: nobody knows. */
  readonly spent: Spent | null;
  /** Nothing is left of it but what its parent has on record. */
  readonly removed: boolean;
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
  const seen = new Map<Place, ReadPod>();
  const flat = wanted.flatMap((place) => (tree ? withAllBelow(place) : [place]));
  await inParallel(flat, podsAtOnceMax, async (place) => {
    seen.set(place, await usageOf(stores, place, verify));
  });
  const nodeOf = (place: Place, above: ChildrenRecord | null): readonly PodUsage[] => {
    const own = seen.get(place);
    if (own === undefined) return [];
    const { record, ...usage } = own;
    const children = place.below.flatMap((child) => nodeOf(child, record));
    const others = tree && record !== null ? othersOf(record, place.below) : noSpent;
    const all = isNothing(others)
      ? children
      : [...children, { ...gone, name: "(earlier children)", spent: others }];
    return [{ ...usage, ...(usage.removed ? removedUsage(place, above) : {}), children: all }];
  };
  return wanted.flatMap((place) => nodeOf(place, null));
}

const gone = { session: null, segments: [], removed: true, error: null, problems: [], children: [] } as const;

/** Its log is gone. What its parent has on record of it is with all below it. */
function removedUsage(
  { name, standing }: Place,
  above: ChildrenRecord | null,
): Pick<PodUsage, "spent" | "error"> {
  const session = sessionOf(standing);
  const spent = session === null ? undefined : above?.sessions.get(session);
  if (spent !== undefined) return { spent, error: null };
  if (standing.kind === "reclaimed" && standing.child?.reason === "not_started")
    return { spent: noSpent, error: null };
  return { spent: null, error: `There is no Pod named ${name} any more: nobody knows what it used.` };
}

/** What is on record of children that stand nowhere below any more. */
function othersOf({ sessions, earlier }: ChildrenRecord, below: readonly Place[]): Spent {
  const stand = new Set(
    below.map(({ listing, standing }) =>
      listing !== null && "record" in listing ? listing.record.pointer.session : sessionOf(standing),
    ),
  );
  return [...sessions].reduce(
    (sum, [session, spent]) => (stand.has(session) ? sum : addSpent(sum, spent)),
    earlier,
  );
}

function sessionOf(standing: Standing): string | null {
  return "child" in standing ? (standing.child?.session ?? null) : null;
}

/** What a Pod used in its whole life, with all below it, as the segments say in which they are now: no other one is read. Null: there is no such Pod. */
export async function treeSpent(stores: ChildrenSpentStores, name: PodName): Promise<Spent | null> {
  const record = await stores.pods.read(name);
  return record === null ? null : new ChildrenSpent(stores, null).of(refOf(record));
}

/** Of Pods with all below them. */
export function totalSpent(pods: readonly PodUsage[]): Spent {
  return pods.reduce(
    (sum, pod) => addSpent(addSpent(sum, pod.spent ?? noSpent), totalSpent(pod.children)),
    noSpent,
  );
}

function placeNamed(places: readonly Place[], name: string): Place {
  const found = findPlace(places, name);
  if (found === null || found.listing === null) throw podUnknown(name);
  return found;
}

function withAllBelow(place: Place): readonly Place[] {
  return [place, ...place.below.flatMap(withAllBelow)];
}

/** A Pod with what is on record of its children. */
type ReadPod = PodUsage & { readonly record: ChildrenRecord | null };

async function usageOf(stores: UsageStores, { name, listing }: Place, verify: boolean): Promise<ReadPod> {
  const nothing = {
    name,
    segments: [],
    spent: null,
    removed: false,
    problems: [],
    children: [],
    record: null,
  };
  if (listing === null) return { ...nothing, removed: true, session: null, error: null };
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
): Promise<Pick<ReadPod, "segments" | "spent" | "error" | "problems" | "record">> {
  const read: ReadSegment[] = [];
  const damage: string[] = [];
  // Read once, so that what goes on meanwhile is in its fold and in its records, or in neither.
  const view = verify && pointer.state === "active" ? await sessions.read(pointer) : null;
  for (const { ref } of await sessions.listSegments(pointer.session)) {
    const sum = new SegmentSpent();
    const isView = view !== null && pointer.state === "active" && ref.segment === pointer.segment;
    const pieces = isView ? [view] : sessions.readBehind(ref, -1);
    for await (const piece of pieces) {
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
  return {
    record: recordedSpent(history[0]?.children ?? null),
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
