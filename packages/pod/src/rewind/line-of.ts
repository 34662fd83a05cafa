/** The line of a place: what history there goes back to, segment by segment; and what two lines do not share. */
import type { SegmentOrigin } from "@yoi/base";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import type { Place } from "./place.ts";
import { originOfStart, readTimelineSegment, refOfOrigin } from "../timeline/timeline.ts";

type LineStore = Pick<SessionStore, "readStart" | "readLast">;

/** Entries of a segment behind `after`, up to and with `through`. */
export interface Stretch extends Place {
  readonly generation: number;
  readonly after: number;
}

export interface Apart {
  /** What is of the first line alone, newest first. */
  readonly left: readonly Stretch[];
  /** What is of the other alone. */
  readonly back: readonly Stretch[];
}

/** @returns what lies between `head` and the last entry that both go back to, and the same of `place`. Segments that are gone are on no line. */
export async function partsBetween(store: LineStore, head: Place, place: Place): Promise<Apart> {
  const [own, other] = [await lineOf(store, head), await lineOf(store, place)];
  const shared = own.find(({ ref }) => other.some((one) => isSame(one.ref, ref)));
  const seqOn = (line: readonly Stretch[]): number =>
    line.find(({ ref }) => shared !== undefined && isSame(ref, shared.ref))?.seq ?? -1;
  const common = Math.min(seqOn(own), seqOn(other));
  const upTo = (line: readonly Stretch[]): readonly Stretch[] => {
    const index = line.findIndex(({ ref }) => shared !== undefined && isSame(ref, shared.ref));
    return line
      .slice(0, index === -1 ? line.length : index + 1)
      .map((one, at) => (at === index ? { ...one, after: common } : one))
      .filter(({ after, seq }) => seq > after);
  };
  return { left: upTo(own), back: upTo(other) };
}

async function lineOf(store: LineStore, place: Place): Promise<readonly Stretch[]> {
  const line: Stretch[] = [];
  for (let next: Place | null = place; next !== null;) {
    const { ref, seq }: Place = next;
    const segment = await readTimelineSegment(store, ref);
    // Generations fall, so that no chain goes round.
    if (segment === null || segment.generation >= (line.at(-1)?.generation ?? Infinity)) break;
    line.push({ ref, seq, generation: segment.generation, after: -1 });
    const origin: SegmentOrigin | null = originOfStart(segment.start);
    next = origin === null ? null : { ref: refOfOrigin(ref, origin), seq: origin.seq };
  }
  return line;
}

function isSame(a: SegmentRef, b: SegmentRef): boolean {
  return a.segment === b.segment && a.session === b.session;
}
