/** Events: the one stream from a Pod. Records in the order of the log, and between them what goes on right now. On the wire: snake_case, JSON. */
import type { BudgetReached, CallId, CompactionTrigger, Cost, LogEntry, Panel, Usage } from "@yoi/base";
import type { ChildNow, ContextNow, Cursor, PodView, SpentNow } from "./snapshot.ts";
import type { PodState } from "./state-table.ts";

/** History goes on in another segment: the entries that follow are those of `segment`, from seq 0 on. */
export interface Rotation {
  readonly segment: string;
  /** How many segments the Pod had before it. */
  readonly generation: number;
  /** compacted: it begins with what a compaction made of the whole history. forked: history goes on behind an earlier entry, which `from` names. */
  readonly why: "compacted" | "forked";
  /** The last entry that the history of the new segment goes on from. */
  readonly from: Cursor;
  /** The last entry of the segment that was left. It comes before this line, and nothing is ever added to that segment. */
  readonly left: Cursor;
}

/**
 * One line of the stream. A connection gets every `entry` from where it begins up to the present, then one `snapshot`, then entries and live events as they
 * come. `seq` of entries is dense; `n` of live events is dense behind the snapshot's. Where history goes on in another segment a `segment_rotated` says so, and
 * the same begins anew: every entry of that segment, one snapshot, the present.
 */
export type StreamEvent =
  /** A durable entry of the log, as stored but for its checksum. */
  | { readonly event: "entry"; readonly entry: LogEntry }
  /** An entry that is too large for a frame: what it holds is in the log. */
  | { readonly event: "entry_omitted"; readonly seq: number; readonly kind: string; readonly bytes: number }
  | ({ readonly event: "segment_rotated" } & Rotation)
  /** The client has all records up to `view.seq`: what follows is the present. */
  | { readonly event: "snapshot"; readonly view: PodView }
  | { readonly event: "live"; readonly n: number; readonly live: Live }
  /** The last line: the client was too slow, and is to connect again behind `after`. */
  | { readonly event: "resync"; readonly after: Cursor | null };

export type BlockEventKind = "text" | "reasoning" | "tool_call";

/** What goes on right now: not on record in this form; a later entry, or nothing, follows from it. `request` is the seq of its `llm_request`. */
export type Live =
  | { readonly type: "state"; readonly state: PodState }
  /** Counted from 0 in each run. */
  | { readonly type: "turn"; readonly turn: number }
  | {
      readonly type: "block_start";
      readonly request: number;
      readonly index: number;
      readonly block: BlockEventKind;
      readonly name: string | null;
    }
  | {
      readonly type: "delta";
      readonly request: number;
      readonly index: number;
      readonly block: BlockEventKind;
      readonly text: string;
    }
  | { readonly type: "tool_start"; readonly call: CallId; readonly name: string; readonly title: string }
  | { readonly type: "tool_progress"; readonly call: CallId; readonly text: string }
  | {
      readonly type: "retry";
      readonly request: number | null;
      readonly attempt: number;
      readonly attempts_max: number;
      readonly wait_ms: number;
      readonly error_code: string;
      readonly message: string;
      readonly status: number | null;
    }
  | {
      readonly type: "continuation";
      readonly request: number | null;
      readonly attempt: number;
      readonly attempts_max: number;
      readonly reason: string;
    }
  | {
      readonly type: "alert";
      readonly level: "warn" | "error";
      readonly source: string;
      readonly message: string;
      /** Milliseconds since the epoch. */
      readonly at: number;
    }
  /** Sent behind the closing record of what was asked for, or began by itself, and of every notification run that followed it. */
  | { readonly type: "run_ended"; readonly run: RunEnded }
  /** The log cannot be written: the run has no closing record, and the Pod takes nothing more. */
  | {
      readonly type: "run_failed";
      readonly run: string | null;
      readonly code: string;
      readonly message: string;
    }
  /** A compaction is tried: the Pod works at it, and its run, if one goes on, waits. */
  | ({ readonly type: "compaction_begun" } & CompactionWork)
  /** How it ended. A committed one is followed by the `segment_rotated` that it made; behind any other history is as it was. */
  | {
      readonly type: "compaction_ended";
      readonly trigger: CompactionTrigger;
      readonly outcome: "committed" | "no_progress" | "failed" | "interrupted";
      /** One sentence; null: there is nothing to say. */
      readonly message: string | null;
      readonly tokens_before: number;
      /** Null: it came to no result. */
      readonly tokens_after: number | null;
      readonly items_before: number;
      readonly items_after: number | null;
    }
  /** What the user calls the Pod now; null: nothing but its name. */
  | { readonly type: "title"; readonly title: string | null }
  /** What a command of the user writes. `id`: of its `user_command`. */
  | { readonly type: "command_output"; readonly id: string; readonly text: string }
  /** What a feature shows of its state now, in the place of what it showed before. */
  | { readonly type: "panel"; readonly panel: Panel }
  /** Behind each answer and whatever else was paid for; where history goes on in another segment, its snapshot says it. */
  | { readonly type: "spent"; readonly context: ContextNow; readonly spent: SpentNow }
  /** All children that have their loans still, at each change. */
  | { readonly type: "children"; readonly children: readonly ChildNow[] }
  /** The Pod is closing in order; the connection ends next. */
  | { readonly type: "shutdown" };

export interface CompactionWork {
  readonly trigger: CompactionTrigger;
  /** Estimated tokens of the next request without it. */
  readonly tokens: number;
}

/** How a run ended, as its closing record says it. */
export type RunEnd =
  | { readonly kind: "finished"; readonly text: string }
  | { readonly kind: "limit_reached"; readonly limit: "turns" | "time"; readonly max: number }
  /** What the Pod and its children may use in their whole life is used: `key` names which. */
  | ({ readonly kind: "limit_reached"; readonly limit: "budget" } & BudgetReached)
  | {
      readonly kind: "paused";
      readonly reason: string;
      readonly detail: string;
      readonly until: number | null;
    }
  | { readonly kind: "yielded"; readonly reason: string }
  | { readonly kind: "aborted"; readonly reason: string }
  | { readonly kind: "cancelled" }
  /** Stopped before the model began to answer: the input is not in history any more. */
  | { readonly kind: "rolled_back" }
  | {
      readonly kind: "failed";
      readonly failure: string;
      readonly message: string;
      readonly retryable: boolean;
    };

export interface RunDenial {
  readonly call: string;
  readonly tool: string;
  readonly target: string;
  readonly reason: string;
  readonly kind: "asked" | "denied";
}

export interface RunEnded {
  /** Id of its `invoke`; null: it was stopped before it was on record. Where history went on in another segment meanwhile it is that of the first one. */
  readonly run: string | null;
  readonly end: RunEnd;
  readonly followed: readonly RunEnd[];
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly denials: readonly RunDenial[];
  readonly permission_needed: boolean;
}
