/** SessionState: the fold over a log. Live history and replay are this same fold, so they cannot differ. */
import type {
  Calibration,
  CallId,
  CommittedItem,
  CompactionBegun,
  Cost,
  InputPart,
  JsonObject,
  JsonValue,
  KeptOnAnswer,
  LogEntry,
  MeasuredContext,
  PartialBlock,
  PauseReason,
  Projection,
  PromptDocument,
  QueueTime,
  RequestConfig,
  ScopeWish,
  SegmentId,
  SegmentOrigin,
  SessionId,
  Spent,
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
  /** How often in a row a run was paused for its provider or the network, without a whole answer between. */
  readonly pausesInRow: number;
  /** Since the session began, in earlier segments too, also where it went back behind what used them. `usage` and `cost` are parts of it. */
  readonly spent: Spent;
  /** The last request is in `spent` as one that nobody counted: its answer arrives still, or its process died. */
  readonly isUncounted: boolean;
  readonly usage: Usage;
  readonly cost: Cost;
  /** By model, of all requests so far that measure it. */
  readonly calibration: Calibration;
  /** How many segments the Pod had before this one. */
  readonly generation: number;
  /** Where the segment goes on from; null: it is the first. */
  readonly origin: SegmentOrigin | null;
  /** The segment that the Pod's pointer left for this one, at its last entry; null: it is the first. */
  readonly left: SegmentOrigin | null;
  /** A try of a compaction whose end is not on record; null: there is none. */
  readonly compaction: (CompactionBegun & { readonly seq: number }) | null;
  /** The compactions that the Pod began by itself one close after the other, since the last input; null: there was none. */
  readonly compactionsInRow: CompactionsInRow | null;
  /** What was accepted and not delivered yet, in the order of acceptance. */
  readonly inbox: readonly WaitingItem[];
  /** Inputs that wait for their time, in the order of acceptance. */
  readonly queue: readonly WaitingInput[];
  /** They wait for the user: the run before them did not finish, or history went back. */
  readonly queueHeld: boolean;
  /** Commands of the user of which it is not on record what came of them, in the order in which they were asked for. */
  readonly commands: readonly OpenCommand[];
  /** What was asked and whose call has neither started nor a result, in log order. */
  readonly approvals: readonly OpenApproval[];
  /** The others, by digest. */
  readonly closedApprovals: ReadonlyMap<string, ClosedApproval>;
  /** Answers that count for more calls, oldest first; also those whose time is over, and those that are grants. */
  readonly kept: readonly KeptOnRecord[];
  /** The submissions that were accepted, by name, oldest first: all of this segment, and the last ones of those before. */
  readonly submissions: ReadonlyMap<string, Submission>;
  /** How far the log of each child is known here, by the child's name. */
  readonly childCursors: ReadonlyMap<string, ChildPlace>;
  /** The last `extension` payload of each domain. */
  readonly extensions: ReadonlyMap<string, JsonValue>;
  /** Of the features, as the segment began with them. */
  readonly states: JsonObject;
}

export interface CompactionsInRow {
  readonly times: number;
  /** At the last one. */
  readonly turnCount: number;
}

export interface OpenApproval {
  /** Seq of its `approval_asked`. */
  readonly seq: number;
  readonly call: CallId;
  readonly digest: string;
  readonly reason: string;
  readonly expires: number;
  /** Rules that the answer may keep. */
  readonly offers: readonly string[];
  readonly wish: ScopeWish | null;
  /** Null: not answered yet. An answer that allows is used by the call's start. */
  readonly answer: {
    /** Of its `approval_answered`. */
    readonly seq: number;
    readonly answer: "allow" | "deny";
    readonly reason: string | null;
  } | null;
}

/** An answer that counts for more calls than the one that was asked about. */
export interface KeptOnRecord {
  /** `entryId` of its `approval_answered`, from where it was given. */
  readonly id: string;
  readonly digest: string;
  readonly keep: KeptOnAnswer;
}

export interface ClosedApproval {
  readonly call: CallId;
  /** What closed it: the call started, or got its result without that. */
  readonly by: "start" | "result";
  /** Null: it had none. */
  readonly answer: OpenApproval["answer"];
}

/** What came in under a submission's name. */
export interface Submission {
  /** `entryId` of the `invoke` that it began, or of its `inbox_accepted` or `input_queued`. */
  readonly id: string;
  /** Seq of that; 0, the start of this segment, where that is in an earlier one. */
  readonly seq: number;
  /** SHA-256 of the canonical JSON of what was given: the parts of an input, or a system item. */
  readonly digest: string;
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
  /** Its `entryId`, from where it was accepted; absent: its seq. */
  readonly id?: string;
}

/** An input that waits for its time. */
export interface WaitingInput {
  /** Seq of its `input_queued`. */
  readonly seq: number;
  readonly when: QueueTime;
  readonly parts: readonly InputPart[];
  readonly submission: string;
  /** Its `entryId`, from where it was accepted; absent: its seq. */
  readonly id?: string;
}

/** A command of the user that goes on, or whose process died before it was on record what came of it. */
export interface OpenCommand {
  /** `entryId` of its `user_command`, from where it was asked for. */
  readonly id: string;
  readonly command: string;
  readonly submission: string;
}

/** Applies entries in log order. `state` is a live read-only view. */
export interface Replay {
  readonly state: SessionState;
  apply(entry: LogEntry): void;
}
