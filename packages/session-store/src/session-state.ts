/** SessionState: the fold over a log. Live history and replay are this same fold, so they cannot differ. */
import type {
  CommittedItem,
  Cost,
  LogEntry,
  MeasuredContext,
  PartialBlock,
  PauseReason,
  Projection,
  PromptDocument,
  RequestConfig,
  SegmentId,
  SessionId,
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
}

/** Applies entries in log order. `state` is a live read-only view. */
export interface Replay {
  readonly state: SessionState;
  apply(entry: LogEntry): void;
}
