/** History: the worker's one door to what happened. Nothing enters live history but what came back from `append`. */
import type {
  Calibration,
  CallId,
  CommittedItem,
  Entry,
  EntryBody,
  MeasuredContext,
  PartialBlock,
  Projection,
  UnansweredCall,
} from "@yoi/base";

/** A call whose `approval_asked` is on record, and neither its start nor its result. */
export interface WaitingCall {
  readonly call: CallId;
  readonly digest: string;
}

/** All views are folds over the log: `replay` of the same entries gives the same values. */
export interface History {
  /** Committed items in log order, deeply frozen. The array itself is read-only and grows only by `append`. */
  readonly items: readonly CommittedItem[];
  /** Seq of the last durable entry. */
  readonly lastSeq: number;
  /** Calls without a result, in call order. */
  readonly unanswered: readonly UnansweredCall[];
  readonly approvals: readonly WaitingCall[];
  /** Blocks whose stream was cut and that no item superseded yet, in block order. */
  readonly partials: readonly PartialBlock[];
  readonly measured: MeasuredContext | null;
  /** Of the next request. */
  readonly projection: Projection;
  /** Completed responses so far. */
  readonly turnCount: number;
  /** How often in a row a run was paused for the provider or the network, without a whole answer between. */
  readonly pausesInRow: number;
  /** How many segments came before this one: part of the ids of what it holds. */
  readonly generation: number;
  /** What providers counted for bodies so far, by model. */
  readonly calibration: Calibration;
  /**
   * One durable batch. Resolves, after fdatasync, with the frozen entries decoded from the bytes written; the views then hold theirs.
   * A failure throws a YoiError and changes nothing: the run ends, the caller never retries.
   */
  append(bodies: readonly EntryBody[]): Promise<readonly Entry[]>;
}
