/** PodManagement: what `pod_management` is in use. The Pod's children and peers by name; never a Pod, a socket or a store. Every shape is plain data. */
import type { ScopeRule } from "@yoi/base";

/** UTF-8 bytes of a task, or of a message to a child: more than a model writes in one answer, and an input of one entry without a blob. */
export const childMessageBytesMax = 256 * 1024;
/** UTF-8 bytes of what stands in a child's system prompt, and is sent with each of its requests. */
export const childInstructionBytesMax = 8 * 1024;
/** UTF-8 bytes of a message to a peer: with who it is from, one notice of 16 KiB. */
export const peerMessageBytesMax = 15 * 1024;
/** Rules of one loan. */
export const lentRulesMax = 64;
/** UTF-8 bytes of all texts of one read. */
export const podOutputBytesMax = 32 * 1024;
/** Pods of one list. */
export const podsListedMax = 256;

export interface SpawnRequest {
  /** Of the child: another one than any Pod has. */
  readonly name: string;
  /** The selector of a profile. Null: none, and the child is as its parent is without its profile's own choices. */
  readonly profile: string | null;
  /** What is lent, at least one rule. Targets are absolute and as they really lie: no `..`, no link. */
  readonly scope: readonly ScopeRule[];
  /** Further instructions, which stand in the child's system prompt. Null: none. */
  readonly instruction: string | null;
  /** Its first input. */
  readonly task: string;
}

/** Who asks, so that a repeat is the same request. */
export interface ManagementCall {
  /** Stable over restarts: the id of the tool call. */
  readonly call: string;
  readonly signal: AbortSignal;
}

export interface ChildReached {
  readonly name: string;
  /** Where it takes clients. */
  readonly socket: string;
}

/** Where reading went on to in a child's log: behind an entry, or inside of it. */
export interface OutputCursor {
  readonly segment: string;
  readonly seq: number;
  /** UTF-8 bytes of its text that were said; absent: all of it. */
  readonly bytes?: number;
}

/** As a Pod says itself; `stopped`: nobody holds it; `unknown`: somebody does, who does not answer. */
export type ManagedPodState = "idle" | "running" | "paused" | "stopped" | "unknown";

export interface PodOutput {
  /** What the child's model said since the cursor, one text an answer, oldest first. */
  readonly texts: readonly string[];
  /** More waits than one read has room for: the next one goes on. */
  readonly more: boolean;
  /** Where the next read goes on. Null: nothing is to be read yet. */
  readonly cursor: OutputCursor | null;
  readonly state: ManagedPodState;
  /** Calls that wait for the user there. */
  readonly approvals: number;
  /** Where what was read is damaged, behind a good part of it: `at line 7 (byte 2301)`. Null: nowhere. */
  readonly damage: string | null;
}

export interface ManagedPod {
  readonly name: string;
  readonly relation: "self" | "child" | "peer";
  /** Whether its metadata can be read. */
  readonly metadata: "readable" | "missing" | "corrupt";
  readonly state: ManagedPodState;
  readonly session: string | null;
  readonly segment: string | null;
  /** Its socket, as last known. */
  readonly socket: string | null;
  /** Of a child: what it holds, or held when its loan came back. */
  readonly scope: readonly ScopeRule[];
  /** Of a child: `open`, or why its loan came back. */
  readonly loan: "open" | "stopped" | "lost" | "not_started" | null;
  /** Whether `restore` could start it, and if not, why. */
  readonly restorable: boolean;
  readonly reason: string | null;
  /** Calls that wait for the user there. */
  readonly approvals: number;
  readonly children: number;
}

export interface PodRestored extends ChildReached {
  readonly action: "already_live" | "restored";
}

export interface PodStopped {
  /** What this Pod may write again. */
  readonly writable: readonly ScopeRule[];
  /** The child and those below it, as far as they did not end when they were asked, and were killed. */
  readonly killed: readonly string[];
}

/**
 * Throws YoiErrors: usage, pod_name_invalid, pod_exists, config_invalid, out_of_scope, loan_refused, loan_missing, scope_conflict, limit_exceeded, child_unknown,
 * pod_unknown, pod_unreachable, already_running, cancelled ..., and what the host's stores throw.
 */
export interface PodManagement {
  /** Lends, starts, and gives the task. A failure leaves no loan and no child behind; only one to give the task leaves the child, and says so. */
  spawn(request: SpawnRequest, call: ManagementCall): Promise<ChildReached>;
  /** An input of its own to a child. Does not wait for its end. Throws already_running. */
  send(name: string, message: string, call: ManagementCall): Promise<void>;
  /** What a child's model said behind `after`; from the beginning where that is null, or is of a session that the child no longer has. */
  read(name: string, after: OutputCursor | null, call: ManagementCall): Promise<PodOutput>;
  /** Ends the child and all below it, waits until they are gone, and takes the loan back. */
  stop(name: string, call: ManagementCall): Promise<PodStopped>;
  /** Itself, its children and its peers; never another Pod of the machine. */
  list(call: ManagementCall): Promise<readonly ManagedPod[]>;
  /** Starts a stopped child again, with the loan that it has or a new one of the same rules. */
  restore(name: string, call: ManagementCall): Promise<PodRestored>;
  /** A notification to a peer that lives, in this Pod's name. Never starts it. */
  sendToPeer(name: string, message: string, call: ManagementCall): Promise<void>;
}
