/** Which segments of a Pod `yoi pod log` prints. */
import { type SegmentId, isUuidV7, segmentId, YoiError } from "@yoi/base";
import { activeSegment, findPod, type TimelineSegment, timelineOf } from "@yoi/pod";
import type { PodRecord } from "@yoi/pod-store";
import type { SegmentRef } from "@yoi/session-store";
import type { Stores } from "../compose/stores.ts";

export interface SegmentFlags {
  /** An id, or a generation. */
  readonly segment?: string;
  readonly all?: boolean;
}

/** A segment to be printed. */
export interface ChosenSegment {
  readonly ref: SegmentRef;
  readonly generation: number;
}

export interface ChosenSegments {
  readonly record: PodRecord;
  /** Oldest first. */
  readonly segments: readonly ChosenSegment[];
  /** The segment that the Pod's name refers to. */
  readonly active: SegmentId;
  /** What of the Pod's past is not there any more, as one sentence; null: all is there. */
  readonly missing: string | null;
}

/** The active one, where no flag says otherwise. Throws usage, pod_unknown, and what reading the starts of segments throws. */
export async function chosenSegments(
  stores: Pick<Stores, "pods" | "sessions">,
  name: string,
  { segment, all = false }: SegmentFlags,
): Promise<ChosenSegments> {
  if (all && segment !== undefined)
    throw new YoiError("usage", "--all prints every segment: give it, or --segment, not both.");
  const record = await findPod(stores.pods, name);
  const ref = activeSegment(record);
  const timeline = await timelineOf(stores.sessions, ref);
  const chosen = { record, active: ref.segment };
  const known = timeline.segments.map(({ ref: at, generation }) => ({ ref: at, generation }));
  if (segment !== undefined)
    return { ...chosen, segments: [segmentNamed(name, ref, timeline.segments, segment)], missing: null };
  // One whose beginning cannot be read is printed as far as it is good.
  const [active = { ref, generation: 0 }] = known;
  if (!all) return { ...chosen, segments: [active], missing: null };
  const { missing } = timeline;
  return {
    ...chosen,
    segments: known.length === 0 ? [active] : known.toReversed(),
    missing:
      missing === null
        ? null
        : `What was before is not shown: the segment ${missing.ref.segment} cannot be followed (${missing.reason}).`,
  };
}

/** Also one that is on no timeline, by its id: that of a compactor, or one that nothing refers to. */
function segmentNamed(
  name: string,
  { session }: SegmentRef,
  segments: readonly TimelineSegment[],
  wanted: string,
): ChosenSegment {
  const found = segments.find(({ ref, generation }) => ref.segment === wanted || `${generation}` === wanted);
  if (found !== undefined) return { ref: found.ref, generation: found.generation };
  if (isUuidV7(wanted)) return { ref: { session, segment: segmentId(wanted) }, generation: 0 };
  throw new YoiError(
    "usage",
    `The Pod ${name} has no segment ${JSON.stringify(wanted)}: give an id or a generation that \`yoi pod lineage ${name}\` shows.`,
  );
}
