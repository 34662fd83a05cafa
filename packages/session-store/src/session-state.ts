/** SessionState: the fold over a log. Live history and replay are this same fold, so they cannot differ. */
import type {
  CommittedItem,
  Cost,
  JsonObject,
  JsonValue,
  LogEntry,
  MeasuredContext,
  PartialBlock,
  PauseReason,
  Projection,
  PromptDocument,
  RequestConfig,
  SegmentId,
  SessionId,
  SystemItem,
  ToolDefinition,
  UnansweredCall,
  Usage,
} from "@yoi/base";

export type RunState =
  | { readonly state: "idle" }
  /** An invoke without a closing record. In a log nobody owns: its process died. */
  | { readonly state: "running"; readonly since: number }
  | {
      readonly state: "paused";
      readonly since: number;
      readonly reason: PauseReason;
      readonly detail: string;
      readonly until: number | null;
    };

export interface SessionState {
  readonly session: SessionId;
  readonly segment: SegmentId;
  readonly prompt: string;
  readonly documents: readonly PromptDocument[];
  readonly config: RequestConfig;
  readonly tools: readonly ToolDefinition[];
  readonly toolsDigest: string | null;
  /** Of the next request. */
  readonly projection: Projection;
  readonly items: readonly CommittedItem[];
  readonly lastSeq: number;
  readonly epoch: number;
  readonly turnCount: number;
  readonly unanswered: readonly UnansweredCall[];
  readonly partials: readonly PartialBlock[];
  readonly measured: MeasuredContext | null;
  readonly run: RunState;
  readonly usage: Usage;
  readonly cost: Cost;
  /** What was accepted and not delivered yet, in the order of acceptance. */
  readonly inbox: readonly WaitingItem[];
  /** The last `extension` payload of each domain. */
  readonly extensions: ReadonlyMap<string, JsonValue>;
  /** Of the features, as the segment began with them. */
  readonly states: JsonObject;
}

/** An item that waits to enter history. */
export interface WaitingItem {
  /** Seq of its `inbox_accepted`. */
  readonly seq: number;
  readonly item: SystemItem;
}

/** Applies entries in log order. `state` is a live read-only view. */
export interface Replay {
  readonly state: SessionState;
  apply(entry: LogEntry): void;
}
