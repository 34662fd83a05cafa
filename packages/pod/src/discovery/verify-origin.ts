/** VerifyOrigin: what a segment says of the ones before it is what they hold. */
import { canonicalJson, isKnown, noProjection, type SegmentStart } from "@yoi/base";
import {
  type LogHead,
  replay,
  type SegmentRef,
  type SegmentView,
  type SessionState,
  type SessionStore,
} from "@yoi/session-store";
import { withIds } from "../history/segment-plan.ts";
import { carriedProjection } from "../rewind/plan-fork.ts";
import { originOfStart, refOfOrigin } from "../timeline/timeline.ts";
import type { VerifyProblem } from "./verify-segment.ts";

type OriginStore = Pick<SessionStore, "read" | "readStart" | "readLast" | "readLines">;

/** One pass over the segment that another one was forked from, up to there; of the others single lines. Throws io_failed, schema_newer. */
export async function originProblems(
  sessions: OriginStore,
  ref: SegmentRef,
  view: SegmentView,
): Promise<readonly VerifyProblem[]> {
  const [start] = view.entries;
  if (start === undefined || !isKnown(start) || start.kind !== "segment_start") return [];
  const { segment } = ref;
  const problems: VerifyProblem[] = [];
  const differs = (message: string) =>
    problems.push({ kind: "origin", segment, seq: 0, message: `Entry 0: ${message}.` });
  const origin = originOfStart(start);
  const isOther = origin?.session_id !== undefined && origin.session_id !== ref.session;
  const { left, generation = 0 } = start;
  if (generation > 0 && left === undefined && !isOther)
    differs(`it is number ${generation} of its Pod and names no segment that the Pod left for it`);
  if (origin !== null) {
    const from = refOfOrigin(ref, origin);
    const sum = await sumAt(sessions, from, origin.seq);
    // A Pod that was forked lives on without the one that it came from.
    if (sum === null ? !isOther : sum !== origin.sum)
      differs(
        `it goes on from entry ${origin.seq} of ${origin.segment_id}, ${sum === null ? "which is not there" : "and that is another one now"}`,
      );
    else if (sum !== null && start.forked_from !== undefined) {
      const { entries } = await sessions.read(from);
      const isWhole = entries.length > origin.seq;
      const what = isWhole ? forkedOtherwise(start, view, replay(entries.slice(0, origin.seq + 1))) : null;
      if (what !== null)
        differs(
          `it goes on from entry ${origin.seq} of ${origin.segment_id}, and ${what} not what was there`,
        );
    }
  }
  const last = left === undefined ? null : await lastOf(sessions, refOfOrigin(ref, left));
  if (left !== undefined && (last?.seq !== left.seq || last.sum !== left.sum))
    differs(
      `the Pod left ${left.segment_id} at entry ${left.seq}, ${last === null ? "which is not there" : `and that ends with another one now (${last.seq})`}`,
    );
  return problems;
}

/** What the segment has otherwise than the fold at its origin; null: nothing. */
function forkedOtherwise(start: SegmentStart, { entries }: SegmentView, at: SessionState): string | null {
  const items = entries.flatMap((entry) => {
    if (!isKnown(entry) || entry.kind !== "carried" || entry.of !== "item") return [];
    const { id, item, folded } = entry;
    return [{ id, item, ...(folded === true ? { folded } : {}) }];
  });
  const there = withIds(at.items);
  const differing = there.findIndex((one, index) => jsonOf(one) !== jsonOf(items[index] ?? null));
  if (differing !== -1 || items.length !== there.length)
    return `the item ${there[differing]?.id ?? items[there.length]?.id ?? ""} that it took over is`;
  if (start.turn_count !== at.turnCount) return "the number of its turns is";
  const projection = jsonOf(start.projection ?? noProjection);
  return projection === jsonOf(carriedProjection(at)) ? null : "its projection is";
}

function jsonOf(value: object | null): string {
  return value === null ? "" : canonicalJson({ ...value });
}

async function lastOf(sessions: OriginStore, ref: SegmentRef): Promise<LogHead | null> {
  const last = await sessions.readLast(ref);
  return last === null ? null : { seq: last.entry.seq, sum: last.sum };
}

/** Null: it is not there. */
async function sumAt(sessions: OriginStore, ref: SegmentRef, seq: number): Promise<string | null> {
  if ((await sessions.readStart(ref)) === null) return null;
  for await (const [line] of sessions.readLines(ref, { seq, direction: "onwards" }))
    return line?.seq === seq ? line.sum : null;
  return null;
}
