/** Entry: one line of a session log, kind by kind. What is stored is exactly these fields plus `seq`, `batch`, `ts` and `sum`. */
import type { AllowedBy, ApprovalAnswered, ApprovalAsked } from "./approval.ts";
import type { CallId, SegmentId } from "./ids.ts";
import type { InputPart } from "./input-part.ts";
import type { AssistantItem, Item, ToolResult } from "./item.ts";
import type { JsonValue } from "./json.ts";
import type { InputQueued, InputUnqueued, UserCommand } from "./user-asks.ts";
import type { Carried, SegmentStart } from "./segment-start.ts";
import type { Spent } from "./spent.ts";
import type { SystemItem } from "./system-item.ts";
import type { ToolDefinition } from "./tool.ts";
import type { Usage } from "./usage.ts";

/** Version of the entry shapes, of a segment that begins a session; stored in `segment_start`. */
export const logSchema = 1;
/** The same of a segment that goes on from another one: a version that knows nothing of what is carried would take its history for empty, so it must refuse it. */
export const continuedLogSchema = 2;

/** What a request asks for besides prompt, items and tools. Changes are `config_changed` entries. */
export interface RequestConfig {
  /** `provider/model id`; the model id may contain slashes. */
  readonly model: string;
  /** Absent: as many as the provider gives. */
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  /** Provider-neutral effort: none, minimal, low, medium, high, xhigh, max. */
  readonly reasoning?: string;
  /** The model sees images; absent: it does not, and they are left out. */
  readonly images?: boolean;
  /** The model takes system messages anywhere in the history; absent: system items are notes. */
  readonly mid_system?: boolean;
}

export interface SegmentReady {
  readonly kind: "segment_ready";
}
export interface Opened {
  readonly kind: "opened";
  readonly epoch: number;
  /** The version of yoi that took the lease. */
  readonly version: string;
}
export type InvokeTrigger = "user_send" | "resume" | "notify" | "pod_event";
export interface Invoke {
  readonly kind: "invoke";
  readonly trigger: InvokeTrigger;
  /** Of a `resume`: the Pod goes on by itself, behind a compaction or a wait. Absent: somebody asked for it. */
  readonly by?: "pod";
}
export interface UserInput {
  readonly kind: "user_input";
  readonly parts: readonly InputPart[];
  /** How many `file_attachment` items of the same batch follow; absent: none. */
  readonly attachments?: number;
  /** Name of the submission, chosen by its sender: the same one again is not another input. */
  readonly submission?: string;
  /** Seq of the `input_queued` that this delivers; with it in the same line, nothing is delivered twice. */
  readonly delivers?: number;
}
export interface AssistantItemEntry {
  readonly kind: "assistant_item";
  /** Seq of the `llm_request` that produced it; 0, the start of the segment: that is in an earlier one. */
  readonly request: number;
  /** Block index in the answer. */
  readonly index: number;
  readonly item: AssistantItem;
}
/** A piece of a block that is still open. Superseded by the `assistant_item` of the same request and index. */
export interface AssistantPartial {
  readonly kind: "assistant_partial";
  readonly request: number;
  readonly index: number;
  readonly block: "text" | "reasoning" | "tool_call";
  /** The tool's name, for a tool_call block. */
  readonly name?: string;
  /** UTF-16 offset in the block at which `text` starts: pieces are increments. */
  readonly from: number;
  readonly text: string;
}
export interface ToolStarted {
  readonly kind: "tool_started";
  readonly call: CallId;
  /** Answers of the user to other calls that let this one start; absent: none had to. */
  readonly allowed_by?: readonly AllowedBy[];
}
export interface ToolResultEntry {
  readonly kind: "tool_result";
  readonly item: ToolResult;
}
export interface SystemItemEntry {
  readonly kind: "system_item";
  readonly item: SystemItem;
  /** Seq of the `inbox_accepted` that this delivers; with it in the same line, nothing is delivered twice. */
  readonly delivers?: number;
}
/** Something that waits to be told to the model, durable before its sender hears that it was accepted. */
export interface InboxAccepted {
  readonly kind: "inbox_accepted";
  /** As it will enter history. */
  readonly item: SystemItem;
  /** As that of a `user_input`; the two share one space of names. */
  readonly submission?: string;
  /** It begins no run: it is told with the next request. */
  readonly quiet?: boolean;
  /** Of a feature: how far it has told from here on, in the same line, so that nothing is told twice. As the payload of an `extension`. */
  readonly position?: JsonValue;
}
/** How far the log of a child is known here: what ended in it up to that entry was told. */
export interface ChildCursor {
  readonly kind: "child_cursor";
  /** The child's name, and the id of its segment. */
  readonly child: string;
  readonly segment: string;
  /** Seq of an entry of that segment. */
  readonly through: number;
}
/** A record of somebody's that is not history: the last one of a domain is what counts. */
export interface Extension {
  readonly kind: "extension";
  readonly domain: string;
  readonly payload: JsonValue;
}
/** The whole tool set from here on. */
export interface ToolsChanged {
  readonly kind: "tools_changed";
  readonly tools: readonly ToolDefinition[];
  /** SHA-256 of the canonical JSON of `tools`. */
  readonly digest: string;
}

/** What went over the wire, without the body. */
export interface WireRecord {
  /** SHA-256 of the body's bytes. */
  readonly sha256: string;
  readonly bytes: number;
  readonly method: string;
  readonly path: string;
  /** Version and beta headers only: never a credential. */
  readonly headers: { readonly [name: string]: string };
}
/** Pure choices that shape a request besides the items: recorded so that it can be rebuilt. */
export interface Projection {
  /** Tool results before this seq are sent without `content`; null: none. */
  readonly prune_before: number | null;
  /** Items before this seq are sent without their reasoning, and without what their provider wants back with it; absent: all with it. */
  readonly reasoning_before?: number;
  /** Items before this seq are sent without their images; absent: all with them. */
  readonly images_before?: number;
  /** Single items that are sent without a part of theirs, absent: none. */
  readonly quarantined?: readonly QuarantinedPart[];
}
export interface QuarantinedPart {
  /** Seq of the item. */
  readonly target: number;
  readonly part: "images" | "reasoning";
}
export const noProjection: Projection = Object.freeze({ prune_before: null });
export interface LlmRequest {
  readonly kind: "llm_request";
  /** Items up to and including this seq are in the request. */
  readonly through: number;
  /** How many items the request holds: as many as that, but for blank texts, which no request holds. */
  readonly items: number;
  readonly projection: Projection;
  /** Digest of the tool set in force. */
  readonly tools: string;
  readonly config: RequestConfig;
  readonly adapter: { readonly name: string; readonly version: string };
  readonly lowering: number;
  /** The neutral digest: model/digest.ts. */
  readonly digest: string;
  readonly wire: WireRecord;
  /** What a sending of it counts as that nobody counts: input tokens, about, and their price where it is known. */
  readonly estimate?: { readonly tokens: number; readonly cost_nano_usd?: number };
}
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "interrupted" | "other";
export interface LlmUsage {
  readonly kind: "llm_usage";
  readonly request: number;
  /** Counts from 1. Of a sending that failed, after which the same bytes were sent again; absent: the request's last one. */
  readonly attempt?: number;
  /** All 0: nobody said what was used. */
  readonly usage: Usage;
  /** Billionths of a US dollar, at the price of that moment; absent: not known. */
  readonly cost_nano_usd?: number;
  readonly finish: FinishReason;
}
export interface TurnEnd {
  readonly kind: "turn_end";
  /** Completed responses in the segment so far, carried ones included. */
  readonly turn_count: number;
}
export type PauseReason = "interrupted" | "hook" | "yield" | "provider_limit" | "network" | "user";
export interface RunPaused {
  readonly kind: "run_paused";
  readonly reason: PauseReason;
  readonly detail?: string;
  /** Milliseconds since the epoch before which resuming is pointless. */
  readonly until?: number;
}
export interface RunCompleted {
  readonly kind: "run_completed";
  readonly result: "finished" | "limit_reached" | "cancelled" | "aborted";
  readonly detail?: string;
}
export interface RunErrored {
  readonly kind: "run_errored";
  readonly code: string;
  readonly message: string;
}
/**
 * Closes a run that was stopped before the model began to answer: its `user_input`, and what that attached, are not in history any more. What others
 * put into it since stays.
 */
export interface TurnRolledBack {
  readonly kind: "turn_rolled_back";
  /** Seq of the run's `invoke`. */
  readonly from_seq: number;
}
export interface ConfigChanged {
  readonly kind: "config_changed";
  readonly config: RequestConfig;
}

/** The projection of every request from here on. Breaks the provider's cache at the first item that is sent otherwise than before. */
export interface ProjectionChanged {
  readonly kind: "projection";
  readonly projection: Projection;
  /** pruned: what is old is left out to make room; else a provider refused a request for what is now left out. */
  readonly reason: "pruned" | "reasoning_refused" | "images_refused";
  /** One sentence: the refusal, or what is left out. */
  readonly message: string;
  /** Of what was pruned: about how many tokens less a request has. */
  readonly saved_tokens?: number;
}
/** A provider refused a request for one item: from here on that is sent without this part. */
export interface Quarantined extends QuarantinedPart {
  readonly kind: "quarantined";
  /** The refusal, as one sentence. */
  readonly message: string;
}
export type CompactionTrigger = "threshold" | "context_overflow" | "hook" | "user";
/** A compaction is tried: what its compactor asks a model is in a segment of its own. */
export interface CompactionBegun {
  readonly kind: "compaction_begun";
  readonly trigger: CompactionTrigger;
  /** Null: no model is asked. */
  readonly compactor: SegmentId | null;
  /** Estimated tokens of the next request. */
  readonly tokens: number;
}
/** How a try ended: in the segment that it made, or, where none came of it, in the one that it was of. */
export interface Compacted {
  readonly kind: "compacted";
  readonly trigger: CompactionTrigger;
  /** no_progress: what came of it was too large still, or hardly smaller. interrupted: its process died. */
  readonly outcome: "committed" | "no_progress" | "failed" | "interrupted";
  /** One sentence; of a committed one absent. */
  readonly message?: string;
  readonly compactor: SegmentId | null;
  /** What the compactor used. */
  readonly spent: Spent;
  readonly tokens_before: number;
  /** Null: it came to no result. */
  readonly tokens_after: number | null;
  /** Items of history before and after; of what was before so many are kept whole. */
  readonly items_before: number;
  readonly items_after: number | null;
  readonly items_kept: number | null;
  /** Of a committed one that the Pod began by itself: how many there were in a row with hardly an answer between and no input, this one included. */
  readonly in_row?: number;
}

/** Every kind that this version writes. */
export type EntryBody =
  | SegmentStart
  | SegmentReady
  | Opened
  | Invoke
  | UserInput
  | AssistantItemEntry
  | AssistantPartial
  | ToolStarted
  | ToolResultEntry
  | SystemItemEntry
  | ToolsChanged
  | LlmRequest
  | LlmUsage
  | TurnEnd
  | RunPaused
  | RunCompleted
  | RunErrored
  | ConfigChanged
  | Carried
  | ProjectionChanged
  | Quarantined
  | CompactionBegun
  | Compacted
  | InboxAccepted
  | ChildCursor
  | Extension
  | TurnRolledBack
  | InputQueued
  | InputUnqueued
  | UserCommand
  | ApprovalAsked
  | ApprovalAnswered;
export type EntryKind = EntryBody["kind"];

interface EntryHead {
  /** Dense from 0 within the segment. */
  readonly seq: number;
  /**
   * The `seq` of the first entry of the one write, and one sync, with which this entry became durable. A later write shows that the ones
   * before it were synced: so a reader tells lost lines that nobody was told of from damage to lines that were acknowledged.
   */
  readonly batch: number;
  /** Milliseconds since the epoch, from the clock port. For people; order is `seq`. */
  readonly ts: number;
}
export type Entry = EntryBody & EntryHead;

/** A kind of a later version: kept, shown, and never interpreted. */
export interface OpaqueEntry extends EntryHead {
  readonly kind: string;
  readonly opaque: true;
  /** Every field of the line but seq, batch, ts, kind and sum. */
  readonly fields: { readonly [key: string]: JsonValue };
}
export type LogEntry = Entry | OpaqueEntry;

export function isKnown(entry: LogEntry): entry is Entry {
  return !("opaque" in entry);
}

/** The item that an entry brings into history, if its kind brings one. */
export function itemOf(entry: LogEntry): Item | null {
  if (!isKnown(entry)) return null;
  switch (entry.kind) {
    case "user_input":
      return { type: "user_message", parts: entry.parts };
    case "carried":
      return entry.of === "item" ? entry.item : null;
    case "assistant_item":
    case "tool_result":
    case "system_item":
      return entry.item;
    default:
      return null;
  }
}
