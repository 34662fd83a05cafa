/** Child log: what a child has on record behind a place, over all segments in between. Only its log is asked, never the child. */
import { type SegmentId, segmentId } from "@yoi/base";
import type { PodStore } from "@yoi/pod-store";
import type { ChildPlace, LogDamage, LogPiece, SegmentRef, SessionStore } from "@yoi/session-store";
import { readTimelineSegment } from "../timeline/timeline.ts";
import { isMeant, type PodRef } from "./same-pod.ts";

export interface ChildLogStores {
  readonly sessions: Pick<SessionStore, "readBehind" | "readLast" | "readStart" | "writtenMs">;
  readonly pods: Pick<PodStore, "read">;
}

/** The segment that the child's name refers to now; null: it has none yet, or the name is another Pod's. */
export async function activeOf(
  { pods }: Pick<ChildLogStores, "pods">,
  child: PodRef,
): Promise<SegmentRef | null> {
  const record = await pods.read(child.name);
  if (!isMeant(record, child) || record.pointer.state !== "active") return null;
  return { session: child.session, segment: record.pointer.segment };
}

/** Of one segment; `damage` ends it. */
export interface ChildPiece extends LogPiece {
  readonly segment: SegmentId;
}

export interface DamagedSegment {
  readonly segment: SegmentId;
  readonly damage: LogDamage;
}

/**
 * Everything behind `place` up to the end of `active`, oldest segment first; null: from the child's beginning. A segment that was left is read to its end
 * before those that came after it, also where the child went back behind what happened there: it happened. Throws what the store throws; of a segment that is gone nothing can be told, and what came after it is.
 */
export async function* childLogBehind(
  { sessions }: Pick<ChildLogStores, "sessions">,
  active: SegmentRef,
  place: ChildPlace | null,
): AsyncGenerator<ChildPiece, void> {
  const since = (await segmentsSince(sessions, active, place)).map((segment) => ({ segment, seq: -1 }));
  const left = place === null ? [] : [{ segment: segmentId(place.segment), seq: place.seq }];
  for (const { segment, seq } of [...left, ...since]) {
    const ref = { session: active.session, segment };
    if ((await sessions.writtenMs(ref)) === null) continue;
    for await (const piece of sessions.readBehind(ref, seq)) yield { ...piece, segment };
  }
}

/** Those that came after that of `place`, oldest first. */
async function segmentsSince(
  sessions: ChildLogStores["sessions"],
  { session, segment: active }: SegmentRef,
  place: ChildPlace | null,
): Promise<readonly SegmentId[]> {
  const chain: SegmentId[] = [];
  let next: SegmentId | null = active;
  while (next !== null && next !== place?.segment && !chain.includes(next)) {
    chain.unshift(next);
    const found = await readTimelineSegment(sessions, { session, segment: next });
    next = found?.start.left?.segment_id ?? null;
  }
  if (place === null || next === place.segment) return chain;
  // A segment in between is gone, or begins as none. Ids grow with time, as far as clocks do: what is older was there when the place was.
  return chain.filter((segment) => segment > place.segment);
}
