/** Events: the one stream from a Pod. Records in the order of the log, and between them what goes on right now. On the wire: snake_case, JSON. */
import type { CallId, Cost, LogEntry, Usage } from "@yoi/base";
import type { Cursor, PodView } from "./snapshot.ts";
import type { PodState } from "./state-table.ts";

/**
 * One line of the stream. A connection gets every `entry` from where it begins up to the present, then one `snapshot`, then entries and live events as they
 * come. `seq` of entries is dense; `n` of live events is dense behind the snapshot's.
 */
export type StreamEvent =
  /** A durable entry of the log, as stored but for its checksum. */
  | { readonly event: "entry"; readonly entry: LogEntry }
  /** An entry that is too large for a frame: what it holds is in the log. */
  | { readonly event: "entry_omitted"; readonly seq: number; readonly kind: string; readonly bytes: number }
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
      readonly run: number | null;
      readonly code: string;
      readonly message: string;
    }
  /** The Pod is closing in order; the connection ends next. */
  | { readonly type: "shutdown" };

/** How a run ended, as its closing record says it. */
export type RunEnd =
  | { readonly kind: "finished"; readonly text: string }
  | { readonly kind: "limit_reached"; readonly limit: "turns" | "time"; readonly max: number }
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
  /** Seq of its `invoke`; null: it was stopped before it was on record. */
  readonly run: number | null;
  readonly end: RunEnd;
  readonly followed: readonly RunEnd[];
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly denials: readonly RunDenial[];
  readonly permission_needed: boolean;
}
