/** SessionState: the fold over a log. Live history and replay are this same fold, so they cannot differ. */
import type {
  CallId,
  CommittedItem,
  Cost,
  InputPart,
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
  /** What was asked and whose call has neither started nor a result, in log order. */
  readonly approvals: readonly OpenApproval[];
  /** The others, by digest. */
  readonly closedApprovals: ReadonlyMap<string, ClosedApproval>;
  /** Every submission that was accepted, by its name. */
  readonly submissions: ReadonlyMap<string, Submission>;
  /** How far the log of each child is known here, by the child's name. */
  readonly childCursors: ReadonlyMap<string, ChildPlace>;
  /** The last `extension` payload of each domain. */
  readonly extensions: ReadonlyMap<string, JsonValue>;
  /** Of the features, as the segment began with them. */
  readonly states: JsonObject;
}

export interface OpenApproval {
  /** Seq of its `approval_asked`. */
  readonly seq: number;
  readonly call: CallId;
  readonly digest: string;
  readonly reason: string;
  readonly expires: number;
  /** Null: not answered yet. An answer that allows is used by the call's start. */
  readonly answer: {
    /** Of its `approval_answered`. */
    readonly seq: number;
    readonly answer: "allow" | "deny";
    readonly reason: string | null;
  } | null;
}

export interface ClosedApproval {
  readonly call: CallId;
  /** What closed it: the call started, or got its result without that. */
  readonly by: "start" | "result";
  /** Seq of the answer that it had; null: none. */
  readonly answered: number | null;
}

/** What came in under a submission's name. */
export interface Submission {
  /** Of the `invoke` that it began, or of its `inbox_accepted`. */
  readonly seq: number;
  readonly given: readonly InputPart[] | SystemItem;
}

/** An entry of a child's log. */
export interface ChildPlace {
  readonly segment: string;
  readonly seq: number;
}

/** An item that waits to enter history. */
export interface WaitingItem {
  /** Seq of its `inbox_accepted`. */
  readonly seq: number;
  readonly item: SystemItem;
  /** It begins no run. */
  readonly quiet?: boolean;
}

/** Applies entries in log order. `state` is a live read-only view. */
export interface Replay {
  readonly state: SessionState;
  apply(entry: LogEntry): void;
}
