/** Superseded: a segment that its Pod left already, which only an older copy of the Pod's metadata can still name. */
import { YoiError } from "@yoi/base";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { readTimelineSegment, type TimelineSegment } from "./timeline.ts";

type ListedStore = Pick<SessionStore, "readStart" | "readLast" | "listSegments">;

/** It goes on from another segment, and only what a Pod's name referred to is worked in. */
export function wasActive({ start, generation, isWorkedIn }: TimelineSegment): boolean {
  return start.purpose === undefined && generation > 0 && isWorkedIn;
}

/** Reads the first and last lines of segments that are younger than `active` by their ids: mostly none. Throws log_damaged where one of them was active after it. */
export async function refuseSuperseded(store: ListedStore, name: string, active: SegmentRef): Promise<void> {
  const listed = await store.listSegments(active.session);
  const own = listed.some(({ ref }) => ref.segment > active.segment)
    ? await readTimelineSegment(store, active)
    : null;
  if (own === null) return;
  for (const { ref } of listed.toReversed()) {
    if (ref.segment <= active.segment) continue;
    const one = await readTimelineSegment(store, ref);
    if (one !== null && wasActive(one) && one.generation > own.generation)
      throw new YoiError(
        "log_damaged",
        `The metadata of the Pod ${name} names the segment ${active.segment}, and the Pod went on from that: the newest that it worked in is ${ref.segment}. So this is an older copy of the metadata, and nothing was changed. ${wayOn(name, ref.segment)}`,
      );
  }
}

/** What helps where the metadata is older than the logs. */
export function wayOn(name: string, segment: string): string {
  return `Put back the newest copy of the metadata, or go on in another Pod from where this one was: \`yoi pod fork ${name} NEW --segment ${segment}\`.`;
}
