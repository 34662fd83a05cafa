/** SegmentPlan: what a segment begins with that goes on from another one. A pure function of the two folds. */
import {
  type Carried,
  type CommittedItem,
  continuedLogSchema,
  type EntryBody,
  idOf,
  type JsonObject,
  type KnownSubmission,
  type MeasuredContext,
  type Projection,
  type RunPaused,
  type SegmentId,
  type SegmentOrigin,
  type SegmentStart,
  utf8Length,
} from "@yoi/base";
import type { SessionState, WaitingItem } from "@yoi/session-store";

/** Submissions whose names a new segment knows: the last ones. What is repeated later than that is taken for new. */
export const submissionsCarriedMax = 1024;
/** UTF-8 bytes of them as JSON: with the states of features they share the entry that begins the segment. */
export const submissionsBytesMax = 256 * 1024;

export interface SegmentPlan {
  readonly start: Omit<SegmentStart, "kind" | "carried">;
  readonly carried: readonly Carried[];
  /** Behind `opened`. */
  readonly behind: readonly EntryBody[];
}

export interface SegmentWish {
  readonly segment: SegmentId;
  /** compacted_from: of the state that is now; forked_from: of the state as it was behind the origin. */
  readonly from: "compacted_from" | "forked_from";
  readonly origin: SegmentOrigin;
  /** Where the Pod is now; null: it is another Pod's first segment. */
  readonly left: SegmentOrigin | null;
  /** The fold behind the origin. */
  readonly at: SessionState;
  /** The fold of all that happened: what goes on whatever becomes of history is this one's. */
  readonly now: SessionState;
  /** History, in its order, with ids that are kept; `folded` ones are in `states`. */
  readonly items: readonly Omit<CommittedItem, "seq">[];
  /** Calls among them without a result that were started. */
  readonly started: readonly string[];
  /** Of the features, without what items that are not `folded` did. */
  readonly states: JsonObject;
  /** In the seqs of the new segment: `carriedSeq` gives them. */
  readonly projection: Projection;
  readonly measured: MeasuredContext | null;
  /** What waits to be told, in order. */
  readonly inbox: readonly WaitingItem[];
  /** What a cut answer left open behind the origin is not carried: the items that the worker would keep of it come first here. */
  readonly behind: readonly EntryBody[];
}

/** Seq of the item at `index` of the carried ones. */
export function carriedSeq(index: number): number {
  return index + 1;
}

export function planSegment(wish: SegmentWish): SegmentPlan {
  const { segment, from, origin, left, at, now, items, started, states, projection, measured, inbox } = wish;
  const submissions = lastSubmissions(now);
  const paused = pausedOf(at);
  // Another Pod's first segment takes none of them.
  const queue = left === null ? [] : now.queue;
  // Whoever goes back has second thoughts.
  const isHeld = queue.length > 0 && (from === "forked_from" || now.queueHeld);
  const carried: readonly Carried[] = [
    ...items.map((one): Carried => {
      const { id, item, folded } = one;
      if (id === undefined) throw new Error("a carried item has no id");
      return { kind: "carried", of: "item", id, item, ...(folded === true ? { folded } : {}) };
    }),
    ...at.unanswered
      .filter(({ call }) => started.includes(call))
      .map(({ call }): Carried => ({ kind: "carried", of: "tool_started", call })),
    // What another Pod's user answered counts for that one. Of a history that goes back, what was answered up to there.
    ...(left === null ? [] : at.kept).map((one): Carried => {
      return { kind: "carried", of: "approval_answered", ...one };
    }),
    ...inbox.map((one): Carried => {
      const { item, quiet } = one;
      const known = quiet === true ? { id: idOf(one), quiet } : { id: idOf(one) };
      return { kind: "carried", of: "inbox_accepted", item, ...known };
    }),
    ...queue.map((one): Carried => {
      const { parts, when, submission } = one;
      const item = { type: "user_message", parts } as const;
      return { kind: "carried", of: "input_queued", id: idOf(one), item, when, submission };
    }),
    // Another Pod's first segment goes on with none.
    ...(left === null ? [] : now.commands).map((one): Carried => {
      return { kind: "carried", of: "user_command", ...one };
    }),
    ...[...now.childCursors].map(([child, { segment: of, seq }]): Carried => {
      return { kind: "carried", of: "child_cursor", child, segment: of, through: seq };
    }),
    ...[...now.extensions].map(([domain, payload]): Carried => {
      return { kind: "carried", of: "extension", domain, payload };
    }),
  ];
  const { calibration, spent } = now;
  return {
    start: {
      schema: continuedLogSchema,
      session_id: now.session,
      segment_id: segment,
      config: now.config,
      prompt: at.prompt,
      documents: at.documents,
      turn_count: at.turnCount,
      states,
      [from]: origin,
      generation: now.generation + 1,
      ...(left === null ? {} : { left }),
      spent,
      ...(Object.keys(calibration).length === 0 ? {} : { calibration }),
      ...(measured === null ? {} : { measured }),
      ...(isPlain(projection) ? {} : { projection }),
      ...(paused === null ? {} : { paused }),
      ...inRowOf(at),
      ...(submissions.length === 0 ? {} : { submissions }),
      ...(isHeld ? { queue_held: true } : {}),
    },
    carried,
    behind: [
      ...(now.toolsDigest === null
        ? []
        : [{ kind: "tools_changed", tools: now.tools, digest: now.toolsDigest } as const]),
      ...wish.behind,
    ],
  };
}

/** The items with the ids that they keep. */
export function withIds(items: readonly CommittedItem[]): readonly Omit<CommittedItem, "seq">[] {
  return items.map((one) => {
    const { item, folded } = one;
    return { id: idOf(one), item, ...(folded === true ? { folded } : {}) };
  });
}

function lastSubmissions({ submissions }: SessionState): readonly KnownSubmission[] {
  const last = [...submissions]
    .slice(-submissionsCarriedMax)
    .map(([name, { id, digest }]): KnownSubmission => ({ name, id, digest }));
  let left = submissionsBytesMax;
  const tooMany = last.findLastIndex((one) => (left -= utf8Length(JSON.stringify(one))) < 0);
  return last.slice(tooMany + 1);
}

function pausedOf({ run }: SessionState): Omit<RunPaused, "kind"> | null {
  switch (run.state) {
    case "idle":
      return null;
    case "running":
      return { reason: "interrupted", detail: "the session went back to the middle of this run" };
    case "paused": {
      const { reason, detail, until } = run;
      return { reason, detail, ...(until === null ? {} : { until }) };
    }
  }
}

/** What goes round goes round over segments too. */
function inRowOf({
  pausesInRow,
  compactionsInRow,
}: SessionState): Pick<SegmentStart, "pauses_in_row" | "compactions_in_row"> {
  return {
    ...(pausesInRow === 0 ? {} : { pauses_in_row: pausesInRow }),
    ...(compactionsInRow === null
      ? {}
      : { compactions_in_row: { times: compactionsInRow.times, turn_count: compactionsInRow.turnCount } }),
  };
}

function isPlain({ prune_before, ...others }: Projection): boolean {
  return prune_before === null && Object.keys(others).length === 0;
}
