/** OwnSession: the Pod's timeline as it is looked back on, in the order of a search: what history goes back to first, each newest first. */
import { YoiError } from "@yoi/base";
import type { SegmentRef } from "@yoi/session-store";
import { abandonedOf, ancestryOf, type TimelinePart } from "./ancestry.ts";
import { carriedCopy, type EntryStore, parseEntryId } from "./find-entry.ts";
import { type Timeline, timelineOf } from "./timeline.ts";

/** Where the Pod is: nothing behind `through` is looked at, since it may not be durable. */
export interface SessionPlace {
  readonly ref: SegmentRef;
  readonly through: number;
}

export interface OwnPart extends TimelinePart {
  /** The Pod went back behind it. */
  readonly isAbandoned: boolean;
}

export interface OwnSession {
  readonly timeline: Timeline;
  readonly parts: readonly OwnPart[];
}

export async function ownSession(store: EntryStore, place: SessionPlace): Promise<OwnSession> {
  const timeline = await timelineOf(store, place.ref);
  const bounded = (part: TimelinePart, isAbandoned: boolean): OwnPart => {
    const isActive = part.segment.ref.segment === place.ref.segment;
    return { ...part, isAbandoned, through: isActive ? Math.min(part.through, place.through) : part.through };
  };
  return {
    timeline,
    parts: [
      ...ancestryOf(timeline).map((part) => bounded(part, false)),
      ...abandonedOf(timeline).map((part) => bounded(part, true)),
    ],
  };
}

export interface OwnPlace {
  /** Index in `parts`. */
  readonly part: number;
  readonly seq: number;
}

/** Where the entry with this id is, or the oldest copy of it. Throws target_unknown. */
export async function placeOf(store: EntryStore, session: OwnSession, id: string): Promise<OwnPlace> {
  const name = parseEntryId(id);
  const part = name === null ? -1 : partWith(session, name.generation, name.seq);
  if (name !== null && part !== -1) return { part, seq: name.seq };
  const copy = name === null ? null : await carriedCopy(store, session.timeline, id);
  const copied = copy === null ? -1 : partWith(session, copy.generation, copy.seq);
  if (copy !== null && copied !== -1) return { part: copied, seq: copy.seq };
  throw new YoiError(
    "target_unknown",
    `There is no entry ${JSON.stringify(id)} in this session: ids are as SessionSearch and SessionRead give them, such as 57 or 2-57.`,
  );
}

function partWith({ parts }: OwnSession, generation: number, seq: number): number {
  return parts.findIndex(
    ({ segment, from, through }) =>
      segment.generation === generation &&
      seq >= from &&
      seq <= Math.min(through, segment.head?.seq ?? Infinity),
  );
}
