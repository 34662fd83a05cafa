/** The lines of `--output-format stream-json`: a closed set, a contract that scripts depend on. docs/stream-json.md describes each. */
import type {
  CallId,
  Compacted,
  CompactionTrigger,
  FinishReason,
  ImageType,
  InputPart,
  InvokeTrigger,
  ItemStatus,
  PauseReason,
  ProjectionChanged,
  QuarantinedPart,
  QueueTime,
  Refusal,
  SystemItemKind,
  Usage,
} from "@yoi/base";

/** Said of the run as it begins; nothing of it is durable news. */
export interface StartEvent {
  readonly type: "start";
  readonly version: string;
  readonly pod: string;
  readonly session_id: string;
  readonly segment_id: string;
  /** Of the last entry on record: what this run adds comes behind it. */
  readonly seq: number;
  /** Goes on with an earlier run, without new input. */
  readonly resumed: boolean;
  readonly model: string;
  readonly workspace: string;
  readonly sandbox: "on" | "off" | "missing";
  readonly network: boolean;
  readonly permission_mode: string;
  readonly tools: readonly string[];
  /** Null: no limit. */
  readonly max_turns: number | null;
  readonly timeout_ms: number | null;
}

/** On record, durable: `seq` and `ts` are the log entry's. */
interface OnRecord {
  readonly seq: number;
  readonly ts: number;
}

interface EntryOfSegment {
  readonly segment_id: string;
  readonly seq: number;
}

interface Said<T> {
  readonly type: T;
  /** Seq of its `request`. */
  readonly request: number;
  /** Which block of the answer it is: that of its `delta` lines. */
  readonly index: number;
  readonly text: string;
  readonly status: ItemStatus;
}

/** Pictures are in the log; a line says only that there are some. */
interface ImageSize {
  readonly media_type: ImageType;
  readonly base64_chars: number;
}

export type RecordEvent = OnRecord &
  (
    | { readonly type: "run_start"; readonly trigger: InvokeTrigger }
    | {
        readonly type: "input";
        readonly parts: readonly InputPart[];
        /** Seq of the `input_queued` that it was; null: it did not wait. */
        readonly delivers: number | null;
      }
    | {
        readonly type: "input_queued";
        readonly parts: readonly InputPart[];
        readonly when: QueueTime;
        readonly submission: string;
      }
    /** `queued`: seq of the `input_queued`. */
    | { readonly type: "input_unqueued"; readonly queued: number }
    | { readonly type: "user_command"; readonly command: string; readonly submission: string }
    | {
        readonly type: "request";
        readonly model: string;
        readonly items: number;
        readonly body_bytes: number;
        readonly digest: string;
      }
    | Said<"message">
    | Said<"reasoning">
    | {
        readonly type: "tool_call";
        readonly request: number;
        readonly index: number;
        readonly call: CallId;
        readonly name: string;
        /** As the model wrote it: JSON text, if it is valid. */
        readonly arguments: string;
      }
    | { readonly type: "tool_started"; readonly call: CallId }
    | {
        readonly type: "approval_asked";
        readonly call: CallId;
        readonly digest: string;
        readonly reason: string;
        /** Milliseconds since the epoch. */
        readonly expires_ms: number;
      }
    | {
        readonly type: "approval_answered";
        readonly call: CallId;
        readonly digest: string;
        readonly answer: "allow" | "deny";
        readonly reason: string | null;
      }
    | {
        readonly type: "denied";
        readonly call: CallId;
        readonly name: string;
        readonly kind: Refusal;
        readonly reason: string;
      }
    | {
        readonly type: "tool_result";
        readonly call: CallId;
        readonly name: string;
        readonly is_error: boolean;
        readonly summary: string;
        readonly content: string | null;
        readonly images: readonly ImageSize[];
      }
    | {
        readonly type: "system_item";
        readonly kind: SystemItemKind;
        readonly source: string;
        readonly reason: string | null;
        readonly body: string;
        readonly images: readonly ImageSize[];
      }
    | {
        readonly type: "usage";
        readonly request: number;
        /** Null: of the last one. */
        readonly attempt: number | null;
        readonly finish: FinishReason;
        readonly usage: Usage;
        readonly cost_usd: number | null;
      }
    /** History goes on in another segment: the seqs of the records behind it are of that, from 0 on. */
    | {
        readonly type: "segment";
        readonly segment_id: string;
        /** How many segments the Pod had before it. */
        readonly generation: number;
        readonly why: "compacted" | "forked";
        /** The last entry that the new history goes on from. */
        readonly from: EntryOfSegment;
        /** The last entry of the segment that was left. */
        readonly left: EntryOfSegment;
      }
    | {
        readonly type: "compaction_begun";
        readonly trigger: CompactionTrigger;
        /** Estimated, of the next request without it. */
        readonly tokens: number;
      }
    | {
        readonly type: "compaction_ended";
        readonly trigger: CompactionTrigger;
        readonly outcome: Compacted["outcome"];
        readonly message: string | null;
        readonly tokens_before: number;
        /** Null: it came to no result. */
        readonly tokens_after: number | null;
        readonly items_before: number;
        readonly items_after: number | null;
      }
    | {
        readonly type: "left_out";
        readonly reason: ProjectionChanged["reason"];
        readonly message: string;
        readonly saved_tokens: number | null;
      }
    | {
        readonly type: "quarantined";
        /** Seq of the item in this segment. */
        readonly target: number;
        readonly part: QuarantinedPart["part"];
        readonly message: string;
      }
    | { readonly type: "turn_end"; readonly turn_count: number }
    | {
        readonly type: "run_end";
        readonly end:
          | "finished"
          | "limit_reached"
          | "cancelled"
          | "aborted"
          | "paused"
          | "errored"
          | "rolled_back";
        /** Why it paused, or the kind of the failure. */
        readonly reason: PauseReason | string | null;
        readonly detail: string | null;
        readonly resume_after_ms: number | null;
      }
  );

/** What goes on right now. Not on record in this form: a later line, or nothing, follows from it. */
export type LiveEvent =
  | { readonly type: "turn"; readonly turn: number }
  | {
      readonly type: "block_start";
      readonly provisional: true;
      readonly request: number;
      readonly index: number;
      readonly block: "text" | "reasoning" | "tool_call";
      readonly name: string | null;
    }
  | {
      readonly type: "delta";
      readonly provisional: true;
      readonly request: number;
      readonly index: number;
      readonly block: "text" | "reasoning" | "tool_call";
      readonly text: string;
    }
  | {
      readonly type: "tool_progress";
      readonly provisional: true;
      readonly call: CallId;
      readonly text: string;
    }
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
      readonly type: "warning";
      readonly level: "warn" | "error";
      /** `host`, `worker`, or a feature's id. */
      readonly source: string;
      readonly text: string;
    };

/** The reader was too slow: lines were left out here. What they said on record is in the log. */
export interface GapEvent {
  readonly type: "gap";
  readonly provisional: number;
  readonly other: number;
  /** Of the records among them; null: there were none. */
  readonly first_seq: number | null;
  readonly last_seq: number | null;
}

export type StreamEvent = StartEvent | RecordEvent | LiveEvent | GapEvent;
