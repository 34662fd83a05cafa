/** Ancestry: the parts of a timeline that what the model knows now goes back to. The rest are branches that were left. */
import { originOfStart, refOfOrigin, type Timeline, type TimelineSegment } from "./timeline.ts";

/** Entries of a segment, both ends included. */
export interface TimelinePart {
  readonly segment: TimelineSegment;
  readonly from: number;
  /** Infinity: up to its end, which may grow. */
  readonly through: number;
}

/** The active segment whole, then of each that history goes on from what was there at that entry. Newest first. */
export function ancestryOf({ segments }: Timeline): readonly TimelinePart[] {
  const parts: TimelinePart[] = [];
  let next: TimelinePart | null = partOf(segments[0], Infinity);
  while (next !== null) {
    parts.push(next);
    const { segment }: TimelinePart = next;
    const origin = originOfStart(segment.start);
    const from = origin === null ? null : refOfOrigin(segment.ref, origin);
    // Generations fall, so this ends.
    const older = segments.find(
      ({ ref, generation }) =>
        ref.segment === from?.segment && ref.session === from.session && generation < segment.generation,
    );
    next = partOf(older, origin?.seq ?? -1);
  }
  return parts;
}

/** What of the timeline is not its ancestry: what came behind the place to which the Pod went back. Newest first. */
export function abandonedOf(timeline: Timeline): readonly TimelinePart[] {
  const known = new Map(ancestryOf(timeline).map(({ segment, through }) => [segment, through]));
  return timeline.segments.flatMap((segment): TimelinePart[] => {
    const through = known.get(segment);
    if (through === undefined) return [{ segment, from: 0, through: Infinity }];
    return segment.head !== null && segment.head.seq > through
      ? [{ segment, from: through + 1, through: Infinity }]
      : [];
  });
}

function partOf(segment: TimelineSegment | undefined, through: number): TimelinePart | null {
  return segment === undefined ? null : { segment, from: 0, through };
}
