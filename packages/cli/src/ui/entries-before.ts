/** What stands before a place in a Pod's logs, over its segments, read from the end of each: nothing that is older than what is asked for is looked into. */
import { isKnown, type LogEntry, segmentId, type SessionId } from "@yoi/base";
import { readTimelineSegment, refOfOrigin } from "@yoi/pod";
import type { Cursor } from "@yoi/protocol";
import type { DecodedEntry, SegmentRef, SessionStore } from "@yoi/session-store";

export type LogReader = Pick<SessionStore, "readStart" | "readLast" | "readLines" | "attach">;

export interface PlacedEntry {
  readonly at: Cursor;
  readonly entry: LogEntry;
}

interface PlacedLine {
  readonly ref: SegmentRef;
  readonly entry: DecodedEntry;
}

/**
 * The last `count` before `place`, in log order; fewer where the session begins or what was before is not there any more. What a segment carries of
 * an earlier one is left out: it stands there. Throws blob_damaged, io_failed.
 */
export async function entriesBefore(
  sessions: LogReader,
  session: SessionId,
  place: Cursor,
  count: number,
): Promise<readonly PlacedEntry[]> {
  const found: PlacedEntry[] = [];
  for await (const { ref, entry } of linesBefore(sessions, session, place)) {
    if (found.length === count) break;
    const whole = "detached" in entry ? await sessions.attach(ref, entry) : entry;
    found.push({ at: { segment: ref.segment, seq: entry.seq }, entry: whole });
  }
  return found.reverse();
}

/** Behind which the last `count` entries before `place` stand; null: the session has no more than that in the segment of `place`, and none before it. */
export async function placeBefore(
  sessions: LogReader,
  session: SessionId,
  place: Cursor,
  count: number,
): Promise<Cursor | null> {
  let seen = 0;
  let oldest: Cursor | null = null;
  for await (const { ref, entry } of linesBefore(sessions, session, place)) {
    if (seen === count) return { segment: ref.segment, seq: entry.seq };
    oldest = { segment: ref.segment, seq: entry.seq };
    seen += 1;
  }
  // Of an earlier segment there is a place behind its first entry alone.
  return oldest === null || oldest.segment === place.segment ? null : oldest;
}

/** Newest first. */
async function* linesBefore(
  sessions: LogReader,
  session: SessionId,
  place: Cursor,
): AsyncGenerator<PlacedLine, void> {
  let ref: SegmentRef = { session, segment: segmentId(place.segment) };
  for (let { seq } = place; ;) {
    yield* linesOf(sessions, ref, seq);
    const here = await readTimelineSegment(sessions, ref);
    const left = here?.start.left;
    if (here === null || left === undefined) return;
    const older = refOfOrigin(ref, left);
    // Generations fall, so no chain goes round.
    const there = await readTimelineSegment(sessions, older);
    if (there === null || there.generation >= here.generation) return;
    ref = older;
    seq = left.seq + 1;
  }
}

async function* linesOf(
  sessions: LogReader,
  ref: SegmentRef,
  before: number,
): AsyncGenerator<PlacedLine, void> {
  if (before === 0) return;
  const from = { seq: before - 1, direction: "backwards" } as const;
  for await (const lines of sessions.readLines(ref, from)) {
    for (const line of lines) {
      const entry = line.decode();
      if (entry !== null && !isCarried(entry)) yield { ref, entry };
    }
  }
}

function isCarried(entry: DecodedEntry): boolean {
  return "detached" in entry ? entry.kind === "carried" : isKnown(entry) && entry.kind === "carried";
}
