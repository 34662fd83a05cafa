/** Methods: what a client may ask of a Pod, and what it is answered. Every shape here is on the wire: snake_case, JSON. */
import type { InputPart, KeptAnswer, QueueTime } from "@yoi/base";
import type { Cursor, PodView } from "./snapshot.ts";
import type {
  ListRewindTargetsParams,
  ListRewindTargetsResult,
  RewindParams,
  RewindResult,
} from "./rewind.ts";
import type { Role } from "./role.ts";

/** This version's protocol. A hello names the one that its client wants. */
export const protocolVersion = 1;
/** What this version speaks, newest first. */
export const protocolVersions: readonly number[] = [protocolVersion];

/** The first line of a connection. */
export interface HelloParams {
  readonly protocol: number;
  readonly role: Role;
  readonly token: string;
  /** Who it is, for people: `attach`, `run`, a program's name. At most 64 characters. */
  readonly client?: string;
  /** Wants the stream of events; false: only answers. */
  readonly stream: boolean;
  /**
   * What the client has already: the stream goes on behind it, also in a segment that the Pod has left: then to the end of that, and on through those that
   * came after it. It begins anew where the Pod never was at that place.
   */
  readonly after?: Cursor;
}
export interface HelloResult {
  readonly protocol: number;
  readonly pod: string;
  readonly session: string;
  /** In which the stream begins: that of `after` where the Pod was at that place, else the one that is written. */
  readonly segment: string;
  /** Of the life that answers: one more at each start. */
  readonly epoch: number;
  /** The stream begins with this seq of it: the one behind `after`, or 0 where that place is not known. */
  readonly from: number;
}

export interface RunLimitsParams {
  /** Milliseconds after which the run is stopped as limit_reached. */
  readonly timeout_ms?: number;
}
export interface SubmitParams {
  readonly parts: readonly InputPart[];
  /** Chosen by the client, at most 128 characters: the same one again is the same submission, also over connections and restarts of the Pod. */
  readonly submission: string;
  readonly limits?: RunLimitsParams;
}
export interface NotifyParams {
  readonly message: string;
  readonly reason?: string;
  /** As that of `submit`; the two share one space of names. */
  readonly submission: string;
}
export interface AcceptedResult {
  /**
   * Of the entry that put it on record: `invoke` of a run, `inbox_accepted` of a notification. It is durable. Its seq, behind the generation of its
   * segment where that is not the first one: `57`, `2-57`. So it names one entry in all segments that the Pod ever ran on.
   */
  readonly id: string;
  /** It was accepted before: nothing was done now. */
  readonly duplicate: boolean;
}
export interface ResumeParams {
  readonly limits?: RunLimitsParams;
}
export interface StopParams {
  /** Id of the run's `invoke`: a stop for another run than the current one is refused as not_running. Absent: whatever runs. */
  readonly run?: string;
}
export interface AnswerApprovalParams {
  /** The digest of the pending approval: of tool, canonical arguments, Pod and place. */
  readonly digest: string;
  readonly answer: "allow" | "deny";
  /** Told to the model when denied; at most 512 characters. */
  readonly reason?: string;
  /** Of an allow: it counts for more calls than this one. `rule` is one of the `offers` of the approval. */
  readonly keep?: KeptAnswer;
}
export interface QueueParams {
  readonly parts: readonly InputPart[];
  /** As that of `submit`; they share one space of names. */
  readonly submission: string;
  readonly when: QueueTime;
}
export interface UnqueueParams {
  /** As `queue` answered it. */
  readonly id: string;
}
export interface UnqueueResult {
  readonly parts: readonly InputPart[];
}
export interface RunCommandParams {
  /** For the shell, as it was typed; at most 16,384 bytes. */
  readonly command: string;
  /** As that of `submit`; they share one space of names. */
  readonly submission: string;
}
export interface StopCommandParams {
  /** As `run_command` answered it. */
  readonly id: string;
}
export interface CompletePathParams {
  /** What is typed so far: a path, relative to the workspace or absolute. At most 4,096 characters. */
  readonly prefix: string;
  /** At most so many; absent: 50. */
  readonly limit?: number;
}
export interface PathEntry {
  /** As it is to be typed: a directory ends in `/`. */
  readonly path: string;
  readonly kind: "file" | "directory";
}
export interface CompletePathResult {
  /** Best first. */
  readonly entries: readonly PathEntry[];
  /** There are others. */
  readonly more: boolean;
}
export interface SetTitleParams {
  /** One line of at most 120 characters; null: none. */
  readonly title: string | null;
}
/** What a child says of itself: that it is there, that a run of its own ended, that it ends; changed: that it does something else now, or what waits for the user is another thing. */
export const childEvents = ["hello", "turn_ended", "errored", "shut_down", "changed"] as const;
export type ChildEvent = (typeof childEvents)[number];
export interface PodEventParams {
  /** Which child it is about is known by its token, and what happened by its log: nothing else is believed. */
  readonly event: ChildEvent;
}
export interface RestorePodParams {
  /** A child of the Pod, with or without an open loan. */
  readonly name: string;
}
export interface RestorePodResult {
  readonly action: "already_live" | "restored";
  readonly socket: string;
  /** Sentences about its start, for the user. */
  readonly warnings: readonly string[];
}
export interface RegisterPeerParams {
  /** Another Pod of the user. */
  readonly name: string;
  /** true: it is a peer no longer. Absent: false. */
  readonly remove?: boolean;
}
export interface PingParams {
  /** Given back; at most 1,024 characters. */
  readonly text?: string;
}

export interface CompactResult {
  /** The segment that history goes on in, and the one before, which stays as it is. */
  readonly segment: string;
  readonly from: string;
  /** Estimated tokens of a request. */
  readonly tokens_before: number;
  readonly tokens_after: number;
  /** Of history; of those before so many are kept whole. */
  readonly items_before: number;
  readonly items_after: number;
  readonly items_kept: number;
  /** A model wrote the summary; false: it was put together by rules. */
  readonly by_model: boolean;
}
export interface UndoCompactionResult {
  /** The segment that history goes on in: what was before the compaction. */
  readonly segment: string;
  /** Those that hold what came behind it, newest first: they stay. */
  readonly kept: readonly string[];
  /** What came behind it: how many entries of each kind, and the files that were written. */
  readonly entries: Readonly<Record<string, number>>;
  readonly files: readonly string[];
}

/** Every method with its params and result. */
export interface Methods {
  readonly hello: { readonly params: HelloParams; readonly result: HelloResult };
  readonly ping: { readonly params: PingParams; readonly result: PingParams };
  /** State, pending approvals and what is in flight, once, for clients without the stream. */
  readonly show: { readonly params: Empty; readonly result: PodView };
  readonly submit: { readonly params: SubmitParams; readonly result: AcceptedResult };
  readonly notify: { readonly params: NotifyParams; readonly result: AcceptedResult };
  readonly resume: { readonly params: ResumeParams; readonly result: { readonly id: string } };
  /** Answered once the stop is asked for; how the run ended comes with the stream. */
  readonly cancel: { readonly params: StopParams; readonly result: Empty };
  readonly pause: { readonly params: StopParams; readonly result: Empty };
  readonly answer_approval: {
    readonly params: AnswerApprovalParams;
    readonly result: { readonly seq: number };
  };
  /** A child's hint that its log has something new. Answered once it is heard; what follows from it is not waited for. */
  readonly pod_event: { readonly params: PodEventParams; readonly result: Empty };
  /** Starts a stopped child again, with the loan that it has or a new one of the same rules; answered when it takes clients. */
  readonly restore_pod: { readonly params: RestorePodParams; readonly result: RestorePodResult };
  /** Whether the Pod may see and notify another one; answered when it is on record. Idempotent. */
  readonly register_peer: { readonly params: RegisterPeerParams; readonly result: Empty };
  /** Makes the history that the model reads smaller; answered when that is done. Ended by `cancel`. */
  readonly compact: { readonly params: Empty; readonly result: CompactResult };
  /** Goes back to the history that the last compaction replaced. */
  readonly undo_compaction: { readonly params: Empty; readonly result: UndoCompactionResult };
  /** Places of the Pod's history that it can go back to. */
  readonly list_rewind_targets: {
    readonly params: ListRewindTargetsParams;
    readonly result: ListRewindTargetsResult;
  };
  /** Lets history go on from an earlier entry; answered when it does. */
  readonly rewind: { readonly params: RewindParams; readonly result: RewindResult };
  /** An input for later: `id` is that of its `input_queued`. It begins a run where none goes on that it could wait for. */
  readonly queue: { readonly params: QueueParams; readonly result: AcceptedResult };
  /** Takes back an input that waits still; refused (target_unknown) where it was delivered, or taken back. */
  readonly unqueue: { readonly params: UnqueueParams; readonly result: UnqueueResult };
  /** Runs a command of the user in the Pod's scope and sandbox. Answered when it is on record; the model is told of it with its next request. */
  readonly run_command: { readonly params: RunCommandParams; readonly result: AcceptedResult };
  /** Ends a command that goes on. Answered once that is asked for. */
  readonly stop_command: { readonly params: StopCommandParams; readonly result: Empty };
  /** Paths in the Pod's scope that begin as what was typed. */
  readonly complete_path: { readonly params: CompletePathParams; readonly result: CompletePathResult };
  /** Answered when it is on record. */
  readonly set_title: { readonly params: SetTitleParams; readonly result: Empty };
  /** Answered at once; the connection ends when the Pod has closed in order. */
  readonly shutdown: { readonly params: Empty; readonly result: Empty };
}
export type Empty = Readonly<Record<string, never>>;
export type MethodName = keyof Methods;

/** One line from a client. `id` comes back with the answer: at most 128 characters, chosen by the client. */
export type Request = {
  readonly [M in MethodName]: {
    readonly id: string;
    readonly method: M;
    readonly params: Methods[M]["params"];
  };
}[MethodName];

/** Codes that clients decide on. The first seven are those of the predecessor. */
export const protocolErrorCodes = [
  "already_running",
  "not_running",
  "not_paused",
  "provider_error",
  "tool_error",
  "invalid_request",
  "internal",
  "unauthorized",
  "forbidden",
  "protocol_unsupported",
  "busy",
  "closing",
] as const;
export type ProtocolErrorCode = (typeof protocolErrorCodes)[number];

export interface ProtocolError {
  readonly code: ProtocolErrorCode;
  /** One sentence for a person. */
  readonly message: string;
  /** yoi's own code, where one is known: `prompt_empty`, `inbox_full`, `approval_unknown` ... */
  readonly cause?: string;
  /** With protocol_unsupported: what this Pod speaks, newest first. */
  readonly versions?: readonly number[];
}

/** One line to the client that asked. `id` null: the line could not be read so far that its id was known. */
export type Response =
  | { readonly id: string; readonly result: Methods[MethodName]["result"] }
  | { readonly id: string | null; readonly error: ProtocolError };
