/** Life: all segments that a Pod ever ran on, and behind them those of the Pod that it was forked from, as far as the fork goes back to it. */
import type { SegmentRef } from "@yoi/session-store";
import { ancestryOf } from "./ancestry.ts";
import {
  originOfStart,
  refOfOrigin,
  timelineOf,
  type TimelineSegment,
  type TimelineStore,
} from "./timeline.ts";

export interface LifeSegment {
  readonly segment: TimelineSegment;
  /** Up to here it is what history goes back to; -1: none of it is. */
  readonly line: number;
  /** Of the Pod that is asked for, up to here. */
  readonly through: number;
}

/** Newest first, which is by falling generation; of another Pod's while it is there. Throws schema_newer. */
export async function* lifeOf(
  store: TimelineStore,
  ref: SegmentRef,
  seq = Infinity,
): AsyncGenerator<LifeSegment, void> {
  const timeline = await timelineOf(store, ref);
  const [newest] = timeline.segments;
  const line = new Map(ancestryOf(timeline).map(({ segment, through }) => [segment, through]));
  for (const segment of timeline.segments) {
    const through = segment === newest ? seq : Infinity;
    yield { segment, line: Math.min(line.get(segment) ?? -1, through), through };
  }
  const oldest = timeline.missing === null ? timeline.segments.at(-1) : undefined;
  const origin = oldest === undefined ? null : originOfStart(oldest.start);
  if (oldest === undefined || origin?.session_id === undefined) return;
  yield* lifeOf(store, refOfOrigin(oldest.ref, origin), origin.seq);
}
