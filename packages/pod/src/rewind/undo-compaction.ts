/** Undoing a compaction: history goes on from the last entry before it. What came behind it stays in its segments, and is listed. */
import { entryId, type SegmentId, type SegmentOrigin, YoiError } from "@yoi/base";
import { ancestryOf, type TimelinePart } from "../timeline/ancestry.ts";
import { readEntries } from "../timeline/find-entry.ts";
import { refOfOrigin, timelineOf } from "../timeline/timeline.ts";
import { partsBetween } from "./line-of.ts";
import { rewind, type RewinderParts } from "./rewinder.ts";

export interface UndoneCompaction {
  /** The one that history goes on in. */
  readonly segment: SegmentId;
  /** Those that hold what came behind the compaction, newest first. */
  readonly kept: readonly SegmentId[];
  /** What came behind it: how many entries of each kind. */
  readonly entries: Readonly<Record<string, number>>;
  /** Files that were written since, and are as they were left. */
  readonly files: readonly string[];
}

/** While no run works. Throws target_unknown where history was never compacted, and what `rewind` throws. */
export async function undoCompaction(parts: RewinderParts): Promise<UndoneCompaction> {
  const { gate, sessions } = parts;
  const { ref, head } = gate;
  const { part, origin } = await lastCompaction(parts);
  const before = refOfOrigin(part.segment.ref, origin);
  const { left } = await partsBetween(sessions, { ref, seq: head.seq }, { ref: before, seq: origin.seq });
  const entries: Record<string, number> = {};
  for (const { ref: at, after, seq } of left)
    for await (const entry of readEntries(sessions, at, { seq: after + 1, direction: "onwards" })) {
      if (entry.seq > seq) break;
      if (!beginnings.has(entry.kind)) entries[entry.kind] = (entries[entry.kind] ?? 0) + 1;
    }
  const older = await timelineOf(sessions, before);
  const id = entryId(older.segments[0]?.generation ?? 0, origin.seq);
  const { segment, touched } = await rewind(parts, { id, side: "behind" });
  return { segment, kept: left.map((one) => one.ref.segment), entries, files: touched };
}

/** What a segment is written with: nothing of it happened then. */
const beginnings: ReadonlySet<string> = new Set([
  "segment_start",
  "carried",
  "segment_ready",
  "opened",
  "tools_changed",
]);

interface LastCompaction {
  readonly part: TimelinePart;
  readonly origin: SegmentOrigin;
}

/** The newest one that what the model knows now goes back to. */
async function lastCompaction({ gate, sessions }: RewinderParts): Promise<LastCompaction> {
  for (const part of ancestryOf(await timelineOf(sessions, gate.ref))) {
    const origin = part.segment.start.compacted_from;
    if (origin !== undefined) return { part, origin };
  }
  throw new YoiError(
    "target_unknown",
    "The history of this Pod was not compacted: there is nothing to undo.",
  );
}
