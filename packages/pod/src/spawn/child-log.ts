/** Child log: what a child has on record behind a place, over all segments in between. Only its log is asked, never the child. */
import type { LogEntry, PodName, SegmentId, SessionId } from "@yoi/base";
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
 * Everything behind `place` up to the end of `active`, oldest segment first; null: from the child's beginning. A segment that was left by a rotation is
 * read to its end before the one that follows it. Throws what the store throws of the active one; of a segment before it that is gone nothing can be
 * told, and what follows is.
 */
export async function logBehind(
  { sessions }: Pick<ChildLogStores, "sessions">,
  active: SegmentRef,
  place: ChildPlace | null,
): Promise<readonly LogPart[]> {
  const parts: LogPart[] = [];
  let next: SegmentId | null = active.segment;
  while (next !== null && parts.every(({ segment }) => segment !== next)) {
    const segment: SegmentId = next;
    const ref = { session: active.session, segment };
    const isGone = parts.length > 0 && (await sessions.writtenMs(ref)) === null;
    const view = isGone ? null : await sessions.readDurable(ref);
    if (view === null || !view.ready) break;
    const from = place?.segment === segment ? place.seq + 1 : null;
    parts.unshift({ segment, entries: view.entries, from: from ?? 0 });
    next = from === null ? predecessor(view.entries[0]) : null;
  }
  return parts;
}

function predecessor(start: LogEntry | undefined): SegmentId | null {
  if (start === undefined || "opaque" in start || start.kind !== "segment_start") return null;
  return (start.compacted_from ?? start.forked_from)?.segment_id ?? null;
}
