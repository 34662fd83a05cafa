/** What a Pod's history goes on with behind a compaction, as the plan of a segment. */
import {
  type CommittedItem,
  type EntryBody,
  idOf,
  type JsonObject,
  type MeasuredContext,
  type Projection,
  type SegmentId,
} from "@yoi/base";
import type { LogHead, SegmentRef, SessionState } from "@yoi/session-store";
import { leaveOutAll } from "@yoi/worker";
import { ofCutAnswer } from "../history/cut-answer.ts";
import { carriedSeq, planSegment, type SegmentPlan } from "../history/segment-plan.ts";

/** Where the Pod is when nothing is on its way to its log. */
export interface CompactFrom {
  readonly ref: SegmentRef;
  readonly head: LogHead;
  readonly state: SessionState;
}

export interface CompactedHistory {
  readonly segment: SegmentId;
  /** With ids, and `folded`. What stays of the old items is the newest of them, in their order. */
  readonly items: readonly Omit<CommittedItem, "seq">[];
  /** Of the features, with all that was done so far. */
  readonly states: JsonObject;
  readonly behind: readonly EntryBody[];
}

export function compactedSegment(
  { ref, head, state }: CompactFrom,
  { segment, items, states, behind }: CompactedHistory,
): SegmentPlan {
  const origin = { segment_id: ref.segment, seq: head.seq, sum: head.sum };
  return planSegment({
    segment,
    from: "compacted_from",
    origin,
    left: origin,
    at: state,
    now: state,
    items,
    started: state.unanswered.filter(({ started }) => started).map(({ call }) => call),
    states,
    projection: projectionOver(state, items),
    measured: measuredOver(state, items),
    inbox: state.inbox,
    behind: [...behind, ...ofCutAnswer(state)],
  });
}

/** What providers refused stays left out. What was pruned is not kept, or has room again. */
function projectionOver(
  { projection, items: old }: Pick<SessionState, "projection" | "items">,
  items: CompactedHistory["items"],
): Projection {
  const { reasoning_before, images_before, quarantined = [] } = projection;
  const seqs = new Map(old.map((one) => [idOf(one), one.seq]));
  const seqNow = new Map(items.map(({ id }, index) => [seqs.get(id ?? ""), carriedSeq(index)]));
  const moved = (before: number): number => {
    if (before === leaveOutAll) return before;
    const first = items.findIndex(({ id }) => (seqs.get(id ?? "") ?? -1) >= before);
    return carriedSeq(first === -1 ? items.length : first);
  };
  const still = quarantined.flatMap(({ target, part }) => {
    const seq = seqNow.get(target);
    return seq === undefined ? [] : [{ target: seq, part }];
  });
  return {
    prune_before: null,
    ...(reasoning_before === undefined ? {} : { reasoning_before: moved(reasoning_before) }),
    ...(images_before === undefined ? {} : { images_before: moved(images_before) }),
    ...(still.length === 0 ? {} : { quarantined: still }),
  };
}

/** Nobody has counted this history. Which answer in it was whole is still known by what was counted of the old one. */
function measuredOver(
  { measured, items: old }: Pick<SessionState, "measured" | "items">,
  items: CompactedHistory["items"],
): MeasuredContext | null {
  if (measured === null) return null;
  return { items: Math.max(0, items.length - (old.length - measured.items)), tokens: 0 };
}
