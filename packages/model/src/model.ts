/** Model: the neutral boundary to a provider. One request in, one stream of events out; a failure is an event, not an exception. */
import type {
  CommittedItem,
  FinishReason,
  JsonObject,
  Price,
  Projection,
  RequestConfig,
  ToolDefinition,
  Usage,
  WireRecord,
} from "@yoi/base";

/** Everything of a request but its items. */
export interface RequestHead {
  readonly system: string;
  /** Sorted by name. */
  readonly tools: readonly ToolDefinition[];
  readonly config: RequestConfig;
}

/** A request before lowering. A pure function of the log (worker/request.ts builds it, for live runs and for `verify` alike). */
export interface ModelRequest {
  readonly head: RequestHead;
  /** In request order: every call answered, results in call order right after the answer that made them, system items after them. */
  readonly items: readonly CommittedItem[];
  readonly projection: Projection;
}

export type FailureKind =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "context_overflow"
  | "invalid_request"
  | "not_found"
  | "timeout"
  | "network"
  /** The stream broke: no terminal event, a garbage frame, an oversized line. */
  | "stream_broken"
  | "cancelled";

export interface ModelFailure {
  readonly kind: FailureKind;
  /** One sentence for a person: what, where, what to do. Never a credential. */
  readonly message: string;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** The same bytes may be sent again. */
  readonly retryable: boolean;
  /** When the provider says that it takes requests again (Retry-After, the reset of a limit), in ms from now. */
  readonly retryAfterMs?: number;
  /** What of the history the provider refused the request for: without it the request may be taken. */
  readonly about?: "reasoning" | "images";
  /** Where in the body the provider says that is, in its words. */
  readonly at?: readonly string[];
  /** Seqs of the items that stand there; absent: it names none. */
  readonly items?: readonly number[];
}

export type BlockKind = "text" | "reasoning" | "tool_call";

/**
 * The stream. Blocks are keyed by `index` (dense from 0, order of start; they may interleave). Exactly one terminal event
 * (`finish` or `failure`) comes last; on `failure`, blocks without `block_end` are incomplete.
 */
export type ModelEvent =
  | {
      readonly type: "block_start";
      readonly index: number;
      readonly block: BlockKind;
      /** tool_call: the tool's name and the provider's own id. */
      readonly name?: string;
      readonly providerCallId?: string;
    }
  | { readonly type: "block_delta"; readonly index: number; readonly text: string }
  | {
      readonly type: "block_end";
      readonly index: number;
      /** The whole text, reasoning or raw tool arguments: what is committed. */
      readonly text: string;
      /** What the provider wants back verbatim, merged over start, deltas and end. */
      readonly metadata?: JsonObject;
    }
  /** The stream is alive but says nothing: resets the idle timer. */
  | { readonly type: "ping" }
  /** The same request will be sent again after `waitMs`. Only before the first block. `usage` is of the attempt that failed. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly waitMs: number;
      readonly failure: ModelFailure;
      readonly usage: FailedUsage;
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage }
  | { readonly type: "failure"; readonly failure: ModelFailure; readonly usage: FailedUsage };

/**
 * What a failed attempt used, as far as the provider said; all 0: it said nothing. Null: there was nothing to use, since the request never
 * reached the provider or was refused with an HTTP status.
 */
export type FailedUsage = Usage | null;

/**
 * Called with the digest of the exact bytes, right before they are sent; resolves when the request is on record. It throws when it could
 * not be recorded, or when a retry would send other bytes: then nothing is sent, and `stream` throws what it threw.
 */
export type BeforeSend = (wire: WireRecord) => Promise<void>;

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly beforeSend: BeforeSend;
}

export interface ModelLimits {
  /** Tokens. */
  readonly contextWindow: number;
  /** Null: as many as the provider gives. */
  readonly outputTokensMax: number | null;
}

/** What a model can do beyond text; goes into the configuration of each request, because it shapes the request. */
export interface ModelCapabilities {
  readonly images: boolean;
  /** Takes system messages anywhere in the history. */
  readonly midSystem: boolean;
}

export interface Model {
  /** Provider name: where `ProviderData` belongs. */
  readonly provider: string;
  /** The provider's model id. */
  readonly id: string;
  readonly limits: ModelLimits;
  readonly capabilities: ModelCapabilities;
  /** At this moment. Null: not known. */
  readonly price: () => Price | null;
  readonly adapter: { readonly name: string; readonly version: string };
  /** Version of the pure lowering from ModelRequest to the wire. */
  readonly lowering: number;
  /**
   * Sends one request. The iterable never throws for anything the provider, the network or the signal does: it ends with a `failure`
   * (kind `cancelled` for the signal). It throws only what `beforeSend` threw, and an Error for a request that no builder may make (a call
   * without a result). Leaving the iteration early closes the connection.
   */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
  /** The wire record of a request without sending it: for `verify --wire`. Same code path as `stream`. */
  lower(request: ModelRequest): Promise<WireRecord>;
  /** Ends the connections that it keeps. Absent: it keeps none. Nothing that it keeps holds the process, closed or not. */
  close?(): Promise<void>;
}
