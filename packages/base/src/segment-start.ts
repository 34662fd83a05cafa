/** SegmentStart and Carried: what a segment begins with, its first line and what it takes over from the one that it goes on from. */
import type { KeptOnAnswer } from "./approval.ts";
import type {
  ChildCursor,
  Extension,
  InboxAccepted,
  Projection,
  RequestConfig,
  RunPaused,
  ToolStarted,
} from "./entry.ts";
import type { SegmentId, SessionId } from "./ids.ts";
import type { CommittedItem, UserMessage } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { MeasuredContext } from "./open-work.ts";
import type { Spent } from "./spent.ts";
import type { InputQueued, UserCommand } from "./user-asks.ts";

/** The entry another segment continues from. */
export interface SegmentOrigin {
  /** Absent: of the same session. */
  readonly session_id?: SessionId;
  readonly segment_id: SegmentId;
  readonly seq: number;
  readonly sum: string;
}

/** A file whose text went into the rendered prompt. */
export interface PromptDocument {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

export interface SegmentStart {
  readonly kind: "segment_start";
  readonly schema: number;
  readonly session_id: SessionId;
  readonly segment_id: SegmentId;
  readonly config: RequestConfig;
  /** The system prompt, rendered once. */
  readonly prompt: string;
  readonly documents: readonly PromptDocument[];
  readonly turn_count: number;
  /** Folded extension states by domain. */
  readonly states: JsonObject;
  readonly compacted_from?: SegmentOrigin;
  readonly forked_from?: SegmentOrigin;
  /** How many segments the Pod had before this one, those of the Pod that it was forked from included; absent: none. */
  readonly generation?: number;
  /** The last entry of the segment that the Pod's pointer left for this one: the next older one of all that the Pod ran on. */
  readonly left?: SegmentOrigin;
  /** A segment of yoi's own beside the Pod's history; absent: it is the history. */
  readonly purpose?: "compaction";
  /** Of the Pod, when the segment began; absent: nothing. */
  readonly spent?: Spent;
  /** By model; absent: none. */
  readonly calibration?: Calibration;
  /** Of the carried items; absent: nobody counted them. */
  readonly measured?: MeasuredContext;
  /** Of the first request; absent: everything is sent. */
  readonly projection?: Projection;
  /** The run that is paused when the segment begins; absent: none is. */
  readonly paused?: Omit<RunPaused, "kind">;
  /** How often in a row a run was paused for its provider or the network; absent: it was not. */
  readonly pauses_in_row?: number;
  /** Compactions that the Pod began by itself one close after the other, and the turn count at the last one; absent: there was none. */
  readonly compactions_in_row?: { readonly times: number; readonly turn_count: number };
  /** The submissions that came in last, oldest first; absent: none. */
  readonly submissions?: readonly KnownSubmission[];
  /** The inputs that are carried wait for the user; absent: they go on by themselves. */
  readonly queue_held?: true;
  /** How many `carried` lines follow before `segment_ready`. */
  readonly carried: number;
}
/** A submission of an earlier segment. */
export interface KnownSubmission {
  readonly name: string;
  /** `entryId` of what it began. */
  readonly id: string;
  /** SHA-256 of the canonical JSON of what was given. */
  readonly digest: string;
}
/** Bytes of request bodies, and the tokens that the provider counted for them. The last requests weigh most. */
export interface BytesOfTokens {
  readonly bytes: number;
  readonly tokens: number;
}
/** By `provider/model id`. */
export type Calibration = { readonly [model: string]: BytesOfTokens };

type CarriedAs<Of extends string, Fields> = { readonly kind: "carried"; readonly of: Of } & Fields;
/** One thing that was there before the segment began: an item of history, or what an entry of the kind `of` left. */
export type Carried =
  | CarriedAs<"item", Pick<CommittedItem, "item" | "folded"> & { readonly id: string }>
  | CarriedAs<"tool_started", Pick<ToolStarted, "call">>
  /** `id`: its `entryId`, from where it was accepted. */
  | CarriedAs<"inbox_accepted", Omit<InboxAccepted, "kind" | "position"> & { readonly id?: string }>
  /** An answer that counts for more calls; `id`: its `entryId`, from where it was given. */
  | CarriedAs<
      "approval_answered",
      { readonly id: string; readonly digest: string; readonly keep: KeptOnAnswer }
    >
  /** `id`: its `entryId`, from where it was accepted. */
  | CarriedAs<
      "input_queued",
      Omit<InputQueued, "kind" | "parts"> & { readonly id: string; readonly item: UserMessage }
    >
  /** One that goes on; `id`: its `entryId`, from where it was asked for. */
  | CarriedAs<"user_command", Omit<UserCommand, "kind"> & { readonly id: string }>
  | CarriedAs<"child_cursor", Omit<ChildCursor, "kind">>
  | CarriedAs<"extension", Omit<Extension, "kind">>;
