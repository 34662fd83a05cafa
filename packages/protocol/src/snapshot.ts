/** Snapshot: all that a client needs beside the records, taken in the same instant as the last of them. On the wire: snake_case, JSON. */
import type { Cost, InputPart, Panel, QueueTime, ScopeWish, Usage } from "@yoi/base";
import type { BlockEventKind, CompactionWork, Live, RunEnded } from "./event.ts";
import type { PodState } from "./state-table.ts";

/** A place in the stream of records: everything up to and including `seq` of that segment was seen. */
export interface Cursor {
  readonly segment: string;
  readonly seq: number;
}

/** A block of the answer that is arriving. Provisional: its item replaces it. */
export interface InFlightBlock {
  readonly index: number;
  readonly block: BlockEventKind;
  /** Of the tool, for a tool_call block. */
  readonly name: string | null;
  /** UTF-16 offset in the block at which `text` begins: of a very long one only the end is kept. */
  readonly from: number;
  readonly text: string;
}
/** A tool call that goes on. */
export interface InFlightCall {
  readonly call: string;
  readonly name: string;
  readonly title: string;
  /** The end of its live output. */
  readonly output: string;
}
export interface InFlight {
  /** Seq of the request that is being answered; null: none. */
  readonly request: number | null;
  readonly blocks: readonly InFlightBlock[];
  readonly calls: readonly InFlightCall[];
}

/** A call that waits for the user. */
export interface PendingApproval {
  readonly digest: string;
  readonly call: string;
  readonly tool: string;
  /** What will run, as JSON text: what the model wrote, read. Shown whole, with control characters made visible. */
  readonly arguments: string;
  /** Why somebody is asked. */
  readonly reason: string;
  /** Milliseconds since the epoch at which it counts as refused. */
  readonly expires: number;
  /** Rules that the answer may keep for more calls, each as a person reads it, the narrowest first. Absent: none. */
  readonly offers?: readonly string[];
  /** The call would leave the Pod's scope: what it needs. Absent: it stays inside. */
  readonly wish?: ScopeWish;
}

/** An input that waits for its time. */
export interface QueuedInput {
  /** Of its `input_queued`. */
  readonly id: string;
  readonly when: QueueTime;
  readonly parts: readonly InputPart[];
}

/** A command of the user that goes on. */
export interface RunningCommand {
  /** Of its `user_command`. */
  readonly id: string;
  readonly command: string;
  /** The end of its live output. */
  readonly output: string;
}

/** What the next request would hold, about. */
export interface ContextNow {
  readonly tokens: number;
  /** Of the model; null: it is not known. */
  readonly window: number | null;
}

/** What the Pod used since its session began; `tree`: with its children. */
export interface SpentNow {
  readonly usage: Usage;
  readonly cost: Cost;
  readonly tree: { readonly usage: Usage; readonly cost: Cost };
}

/** A child that has its loan still. */
export interface ChildNow {
  readonly name: string;
  /** stopped: no process hosts it. unknown: one does, and did not say yet. */
  readonly state: PodState | "stopped" | "unknown";
  /** Calls of it that wait for the user. */
  readonly approvals: number;
}

/** A skill that the Pod can load: how something is done, in a text of its own. */
export interface SkillOffer {
  /** What a prompt says behind `/` to load it. */
  readonly name: string;
  /** Its beginning: at most `skillOfferCharsMax` characters. */
  readonly description: string;
}

/** What the Pod is, for the head of a client's view. */
export interface PodAbout {
  readonly version: string;
  readonly model: string;
  readonly workspace: string;
  readonly sandbox: "on" | "off" | "missing";
  readonly network: boolean;
  readonly permission_mode: string;
  /** By its manifest, in a few words, as it lies in the workspace: `.` for all of it. Absent: a Pod of before did not tell. */
  readonly writes?: string;
  readonly tools: readonly string[];
  /** At most `skillsOfferedMax`, in the order of their names. Absent: none, or a Pod of before did not tell. */
  readonly skills?: readonly SkillOffer[];
}

export interface PodView {
  readonly pod: string;
  readonly session: string;
  /** The one that is written. */
  readonly segment: string;
  /** How many segments the Pod had before it. */
  readonly generation: number;
  readonly epoch: number;
  /** Of the last entry on record. */
  readonly seq: number;
  /** Of the last live event: the next one has the next number. */
  readonly n: number;
  readonly state: PodState;
  /** Id of the current run's `invoke`; null: none is on record as running. */
  readonly run: string | null;
  readonly about: PodAbout;
  readonly in_flight: InFlight;
  readonly approvals: readonly PendingApproval[];
  /** How many more wait that are too large to be sent: the log has them, and they are answered as any other. Absent: none. */
  readonly approvals_omitted?: number;
  /** The compaction that goes on; absent: none does. */
  readonly compaction?: CompactionWork;
  /** Why a paused Pod is, and when it goes on by itself, in milliseconds since the epoch; without `until` it waits for somebody. Absent: it is not paused. */
  readonly paused?: { readonly reason: string; readonly until?: number };
  /** Notifications that the model was not told of yet. */
  readonly waiting: number;
  /** The last alerts of this life, oldest first, as they were sent. */
  readonly alerts: readonly (Extract<Live, { readonly type: "alert" }> & { readonly n: number })[];
  /** How the last run of this life ended; null: none did. */
  readonly last_run: RunEnded | null;
  /** What the user calls the Pod, beside its name; absent: nothing else. */
  readonly title?: string;
  /** Inputs that wait for their time, in that order; absent: none. */
  readonly queue?: readonly QueuedInput[];
  /** What is queued waits for the user: the run before did not finish, or its process ended. Absent: it goes on by itself. */
  readonly queue_held?: true;
  /** Commands of the user that go on; absent: none. */
  readonly commands?: readonly RunningCommand[];
  /** What features show of their state; absent: nothing. */
  readonly panels?: readonly Panel[];
  readonly context?: ContextNow;
  readonly spent?: SpentNow;
  /** Absent: none. */
  readonly children?: readonly ChildNow[];
}
