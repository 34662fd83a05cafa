/** Lineage: every segment of a Pod's session, why each began and where it goes on from. Only their first and last lines are read. */
import { entryId, type PodName, type SegmentId, type SessionId } from "@yoi/base";
import type { PodStore } from "@yoi/pod-store";
import type { SegmentFile, SegmentRef, SessionStore } from "@yoi/session-store";
import {
  originOfStart,
  readTimelineSegment,
  refOfOrigin,
  type Timeline,
  timelineOf,
  type TimelineSegment,
} from "../timeline/timeline.ts";
import { activeSegment, findPod } from "./find-pod.ts";

export interface LineageStores {
  readonly pods: Pick<PodStore, "read" | "list">;
  readonly sessions: Pick<SessionStore, "readStart" | "readLast" | "listSegments">;
}

export interface LineageSegment {
  readonly segment: SegmentId;
  readonly role: "active" | "earlier" | "compactor" | "left_over";
  readonly generation: number;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** undone: it goes on from where a compaction began. */
  readonly why: "new" | "compacted" | "undone" | "rewound" | "forked" | "compactor";
  /** The entry that its history goes on from; null: none. */
  readonly from: { readonly session: SessionId; readonly segment: SegmentId; readonly id: string } | null;
  /** As its last line says. */
  readonly entries: number;
  /** Of its log, payloads in blobs not among them. */
  readonly bytes: number;
  /** Completed turns that history had when it began. */
  readonly turnsBefore: number;
}

export interface Lineage {
  readonly pod: PodName;
  readonly session: SessionId;
  /** Newest first; then compactors and what no pointer named, oldest id first. */
  readonly segments: readonly LineageSegment[];
  /** The Pod that it was forked from; null: it was not. Its name is null where no Pod has that session any more. */
  readonly source: { readonly pod: string | null; readonly session: SessionId; readonly id: string } | null;
  /** What should be the next older segment; null: nothing is missing. */
  readonly missing: { readonly segment: SegmentId; readonly reason: string } | null;
  /** Files of the session that do not begin as a segment. */
  readonly unreadable: readonly SegmentId[];
}

/** Throws pod_unknown, schema_newer, io_failed. */
export async function lineageOf({ pods, sessions }: LineageStores, name: string): Promise<Lineage> {
  const record = await findPod(pods, name);
  const active = activeSegment(record);
  const timeline = await timelineOf(sessions, active);
  const files = await sessions.listSegments(active.session);
  const known = new Set(timeline.segments.map(({ ref }) => ref.segment));
  const others: TimelineSegment[] = [];
  const unreadable: SegmentId[] = [];
  for (const { ref } of files) {
    if (known.has(ref.segment)) continue;
    const found = await readTimelineSegment(sessions, ref);
    if (found === null) unreadable.push(ref.segment);
    else others.push(found);
  }
  const around: Around = { timeline, files, sessions };
  const shown: LineageSegment[] = [];
  for (const segment of timeline.segments)
    shown.push(await shownSegment(segment, shown.length === 0 ? "active" : "earlier", around));
  for (const one of others)
    shown.push(
      await shownSegment(one, one.start.purpose === "compaction" ? "compactor" : "left_over", around),
    );
  const { missing } = timeline;
  return {
    pod: record.name,
    session: active.session,
    segments: shown,
    source: await sourceOf(pods, sessions, timeline),
    missing: missing === null ? null : { segment: missing.ref.segment, reason: missing.reason },
    unreadable,
  };
}

interface Around {
  readonly timeline: Timeline;
  readonly files: readonly SegmentFile[];
  readonly sessions: LineageStores["sessions"];
}

async function shownSegment(
  { ref, generation, start, startedMs, head }: TimelineSegment,
  role: LineageSegment["role"],
  { timeline: { segments }, files, sessions }: Around,
): Promise<LineageSegment> {
  const { forked_from: forked, turn_count: turnsBefore } = start;
  const origin = originOfStart(start);
  const isUndone = segments.some(
    ({ start: { compacted_from: from } }) =>
      forked !== undefined && from?.segment_id === forked.segment_id && from.seq === forked.seq,
  );
  const why = (): LineageSegment["why"] => {
    if (start.purpose === "compaction") return "compactor";
    if (start.compacted_from !== undefined) return "compacted";
    if (forked === undefined) return "new";
    // Where it left another one it is this Pod's own, wherever its history goes on from.
    if (start.left === undefined) return "forked";
    return isUndone ? "undone" : "rewound";
  };
  const older = origin === null ? null : refOfOrigin(ref, origin);
  const generationThere = older === null ? 0 : await generationOf(older, generation, segments, sessions);
  return {
    segment: ref.segment,
    role,
    generation,
    startedMs,
    why: why(),
    from: origin === null || older === null ? null : { ...older, id: entryId(generationThere, origin.seq) },
    entries: head === null ? 0 : head.seq + 1,
    bytes: files.find((file) => file.ref.segment === ref.segment)?.bytes ?? 0,
    turnsBefore,
  };
}

/** Where it is gone, the one before is the best guess. */
async function generationOf(
  ref: SegmentRef,
  generation: number,
  known: readonly TimelineSegment[],
  sessions: LineageStores["sessions"],
): Promise<number> {
  const there =
    known.find((one) => one.ref.segment === ref.segment) ?? (await readTimelineSegment(sessions, ref));
  return there?.generation ?? Math.max(0, generation - 1);
}

async function sourceOf(
  pods: LineageStores["pods"],
  sessions: LineageStores["sessions"],
  { segments }: Timeline,
): Promise<Lineage["source"]> {
  const first = segments.at(-1);
  const forked = first?.start.forked_from;
  if (first === undefined || forked?.session_id === undefined) return null;
  const { session_id: session, seq } = forked;
  const generation = await generationOf(refOfOrigin(first.ref, forked), first.generation, [], sessions);
  const listings = await pods.list();
  const found = listings.find((one) => !("fault" in one) && one.record.pointer.session === session);
  return { pod: found?.name ?? null, session, id: entryId(generation, seq) };
}
