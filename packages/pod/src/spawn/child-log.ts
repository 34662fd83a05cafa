/** Child log: what a child has on record behind a place, over all segments in between. Only its log is asked, never the child. */
import { type LogEntry, type PodName, type SegmentId, segmentId, type SessionId } from "@yoi/base";
import type { PodStore } from "@yoi/pod-store";
import type { ChildPlace, SegmentRef, SessionStore } from "@yoi/session-store";

export interface ChildLogStores {
  readonly sessions: Pick<SessionStore, "readDurable" | "writtenMs">;
  readonly pods: Pick<PodStore, "read">;
}

/** A child as its parent knows it: another Pod that has its name later is not the child. */
export interface KnownChild {
  readonly name: PodName;
  readonly session: SessionId;
}

/** A segment of a child's log, with where in it the new begins. */
export interface LogPart {
  readonly segment: SegmentId;
  readonly entries: readonly LogEntry[];
  readonly from: number;
}

/** The segment that the child's name refers to now; null: it has none yet, or the name is another Pod's. */
export async function activeOf(
  { pods }: Pick<ChildLogStores, "pods">,
  { name, session }: KnownChild,
): Promise<SegmentRef | null> {
  const pointer = (await pods.read(name))?.pointer;
  return pointer?.state === "active" && pointer.session === session
    ? { session, segment: pointer.segment }
    : null;
}

/**
 * Everything behind `place` up to the end of `active`, oldest segment first; null: from the child's beginning. A segment that was left is read to its end
 * before those that came after it. Ids of segments grow with time, so what came after is known also where the active one does not go on from that of the
 * place, as behind a rewind. Throws what the store throws; of a segment that is gone nothing can be told, and what came after it is.
 */
export async function logBehind(
  stores: Pick<ChildLogStores, "sessions">,
  active: SegmentRef,
  place: ChildPlace | null,
): Promise<readonly LogPart[]> {
  const parts: LogPart[] = [];
  let next: SegmentId | null = active.segment;
  while (next !== null && (place === null || next > place.segment)) {
    const entries = await entriesOf(stores, { session: active.session, segment: next });
    if (entries === null) break;
    parts.unshift({ segment: next, entries, from: 0 });
    const before = predecessor(entries[0]);
    next = before !== null && before < next ? before : null;
  }
  if (place === null) return parts;
  const segment = segmentId(place.segment);
  const left = await entriesOf(stores, { session: active.session, segment });
  return left === null ? parts : [{ segment, entries: left, from: place.seq + 1 }, ...parts];
}

/** Null: there is no such segment. */
async function entriesOf(
  { sessions }: Pick<ChildLogStores, "sessions">,
  ref: SegmentRef,
): Promise<readonly LogEntry[] | null> {
  if ((await sessions.writtenMs(ref)) === null) return null;
  const { ready, entries } = await sessions.readDurable(ref);
  return ready ? entries : null;
}

function predecessor(start: LogEntry | undefined): SegmentId | null {
  if (start === undefined || "opaque" in start || start.kind !== "segment_start") return null;
  return (start.compacted_from ?? start.forked_from)?.segment_id ?? null;
}
