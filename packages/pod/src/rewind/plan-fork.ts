/** PlanFork: the segment with which history goes on from an entry, as if the process had died right behind that. A pure function of the folds. */
import {
  type Carried,
  type EntryBody,
  noProjection,
  type Projection,
  type SegmentId,
  type SegmentOrigin,
  type SessionId,
} from "@yoi/base";
import type { SessionState, WaitingItem } from "@yoi/session-store";
import { leaveOutAll } from "@yoi/worker";
import { ofCutAnswer } from "../history/cut-answer.ts";
import { carriedSeq, planSegment, type SegmentPlan, withIds } from "../history/segment-plan.ts";
import { isTellingUpTo } from "./left-behind.ts";
import { childrenSpentDomain } from "../usage/children-record.ts";

export interface ForkWish {
  readonly segment: SegmentId;
  readonly origin: SegmentOrigin;
  /** The fold behind it. */
  readonly at: SessionState;
  /** The note that says what happened. Calls that the place leaves open stay open, as behind a crash. */
  readonly behind: readonly EntryBody[];
}

export interface RewindWish extends ForkWish {
  readonly left: SegmentOrigin;
  readonly now: SessionState;
  /** What waits to be told, in order. */
  readonly inbox: readonly WaitingItem[];
}

/** The Pod goes back. */
export function planRewind({ left, now, inbox, ...wish }: RewindWish): SegmentPlan {
  return planFrom(wish, { left, now, inbox });
}

/**
 * Another Pod goes on from there: with a session of its own, no children, and nothing that was submitted or used. Nothing waits but what its sender will not tell again, because how
 * far it has told goes with history.
 */
export function planFork(wish: ForkWish, session: SessionId): SegmentPlan {
  const { at } = wish;
  const plan = planFrom(wish, {
    left: null,
    now: at,
    inbox: at.inbox.filter((one) => isTellingUpTo(at, one)),
  });
  const { spent: _spent, submissions: _submissions, ...start } = plan.start;
  return {
    start: { ...start, session_id: session },
    carried: plan.carried.filter((one) => !isOfChildren(one)),
    behind: plan.behind,
  };
}

function isOfChildren(one: Carried): boolean {
  return one.of === "child_cursor" || (one.of === "extension" && one.domain === childrenSpentDomain);
}

function planFrom(
  { segment, origin, at, behind }: ForkWish,
  { left, now, inbox }: { left: SegmentOrigin | null; now: SessionState; inbox: readonly WaitingItem[] },
): SegmentPlan {
  return planSegment({
    segment,
    from: "forked_from",
    origin,
    left,
    at,
    now,
    items: withIds(at.items),
    started: at.unanswered.filter(({ started }) => started).map(({ call }) => call),
    states: at.states,
    projection: carriedProjection(at),
    measured: at.measured,
    inbox,
    behind: [...ofCutAnswer(at), ...behind],
  });
}

/** With the seqs that the items have when they are carried on. */
export function carriedProjection({
  items,
  projection,
}: Pick<SessionState, "items" | "projection">): Projection {
  const { prune_before, reasoning_before, images_before, quarantined } = projection;
  const before = (seq: number): number => {
    if (seq === leaveOutAll) return seq;
    const first = items.findIndex((item) => item.seq >= seq);
    return carriedSeq(first === -1 ? items.length : first);
  };
  const parts = (quarantined ?? []).flatMap(({ target, part }) => {
    const index = items.findIndex(({ seq }) => seq === target);
    return index === -1 ? [] : [{ target: carriedSeq(index), part }];
  });
  return {
    ...noProjection,
    ...(prune_before === null ? {} : { prune_before: before(prune_before) }),
    ...(reasoning_before === undefined ? {} : { reasoning_before: before(reasoning_before) }),
    ...(images_before === undefined ? {} : { images_before: before(images_before) }),
    ...(parts.length === 0 ? {} : { quarantined: parts }),
  };
}
