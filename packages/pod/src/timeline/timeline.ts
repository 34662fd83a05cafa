/** Timeline: all segments that a Pod ever ran on, newest first, from their first lines and heads alone. */
import { isKnown, type SegmentOrigin, type SegmentStart } from "@yoi/base";
import type { DecodedEntry, LogHead, SegmentRef, SessionStore } from "@yoi/session-store";

export type TimelineStore = Pick<SessionStore, "readStart" | "readLast">;

export interface TimelineSegment {
  readonly ref: SegmentRef;
  /** Unique in the timeline, and the greater the newer. */
  readonly generation: number;
  readonly start: Omit<SegmentStart, "kind" | "prompt">;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Its last whole line, not held to the chain; null: what stands there is no entry. Of a segment that somebody writes it may be behind that in a moment. */
  readonly head: LogHead | null;
  /** Something stands behind what it was written with: it was a Pod's active one, or a compactor's. */
  readonly isWorkedIn: boolean;
}

export interface Timeline {
  /** The given one first. Never empty but where that one is missing. */
  readonly segments: readonly TimelineSegment[];
  /** What should be the next older one, and is not there or does not begin as a segment of this timeline; null: it is whole. */
  readonly missing: { readonly ref: SegmentRef; readonly reason: string } | null;
}

/** Follows `left` from `ref`. Throws schema_newer. */
export async function timelineOf(store: TimelineStore, ref: SegmentRef): Promise<Timeline> {
  const segments: TimelineSegment[] = [];
  for (let next: SegmentRef | null = ref; next !== null;) {
    const found: TimelineSegment | null = await readTimelineSegment(store, next);
    const reason =
      found === null ? "it is not there, or does not begin as a segment" : misfit(segments, found);
    if (found === null || reason !== null) return { segments, missing: { ref: next, reason: reason ?? "" } };
    segments.push(found);
    const { left } = found.start;
    next = left === undefined ? null : refOfOrigin(found.ref, left);
  }
  return { segments, missing: null };
}

/** Generations fall from segment to segment: so no chain goes round. */
function misfit(newer: readonly TimelineSegment[], { generation }: TimelineSegment): string | null {
  const before = newer.at(-1);
  return before === undefined || generation < before.generation
    ? null
    : `it says that it is number ${generation}, and the one behind it is number ${before.generation}`;
}

export async function readTimelineSegment(
  store: TimelineStore,
  ref: SegmentRef,
): Promise<TimelineSegment | null> {
  const start = startOf(await store.readStart(ref));
  if (start === null) return null;
  const last = await store.readLast(ref);
  return {
    ref,
    generation: start.generation ?? 0,
    start,
    startedMs: start.ts,
    head: last === null ? null : { seq: last.entry.seq, sum: last.sum },
    isWorkedIn: last !== null && last.entry.batch !== 0,
  };
}

function startOf(entry: DecodedEntry | null): (TimelineSegment["start"] & { readonly ts: number }) | null {
  if (entry === null) return null;
  // The shape of its kind has been checked field by field, but for the payload.
  if ("detached" in entry)
    return entry.kind === "segment_start"
      ? (entry.fields as unknown as SegmentStart & { readonly ts: number })
      : null;
  return isKnown(entry) && entry.kind === "segment_start" ? entry : null;
}

/** Where an origin is that a segment of `ref`'s session names. */
export function refOfOrigin(ref: SegmentRef, origin: SegmentOrigin): SegmentRef {
  return { session: origin.session_id ?? ref.session, segment: origin.segment_id };
}

/** The entry that the segment's history goes on from; null: it is the first. */
export function originOfStart({
  compacted_from,
  forked_from,
}: TimelineSegment["start"]): SegmentOrigin | null {
  return compacted_from ?? forked_from ?? null;
}
