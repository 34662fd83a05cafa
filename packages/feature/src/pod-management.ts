/** PodManagement: what `pod_management` is in use. The Pod's children and peers by name; never a Pod, a socket or a store. Every shape is plain data. */
import type { ScopeRule } from "@yoi/base";

export interface SpawnRequest {
  /** Of the child: another one than any Pod has. */
  readonly name: string;
  /** Null: that of the parent, without its profile's own choices. */
  readonly profile: string | null;
  /** What is lent. Targets are absolute and as they really lie: no `..`, no link. */
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
  readonly socket: string;
}

/** Where reading went on to in a child's log. */
export interface OutputCursor {
  readonly segment: string;
  readonly seq: number;
}

export interface PodOutput {
  /** What the child's model said since the cursor, one text an answer, oldest first. Bounded: where more waits, `more` is true and the next read goes on. */
  readonly texts: readonly string[];
  readonly more: boolean;
  readonly cursor: OutputCursor | null;
  /** As the child says itself, or `stopped`. */
  readonly state: "idle" | "running" | "paused" | "stopped" | "unknown";
}

export interface ManagedPod {
  readonly name: string;
  readonly relation: "self" | "child" | "peer";
  /** Whether its metadata can be read. */
  readonly metadata: "readable" | "missing" | "corrupt";
  /** As it says itself; `stopped`: nobody holds it; `unknown`: somebody does, who does not answer. */
  readonly state: "idle" | "running" | "paused" | "stopped" | "unknown";
  readonly session: string | null;
  readonly segment: string | null;
  /** Its socket, as last known. */
  readonly socket: string | null;
  /** Of a child: what it holds, or held when its loan came back. */
  readonly scope: readonly ScopeRule[];
  /** Of a child: `open`, or why its loan came back. */
  readonly loan: "open" | "stopped" | "lost" | "not_started" | null;
  /** Whether RestorePod could start it, and if not, why. */
  readonly restorable: boolean;
  readonly reason: string | null;
  /** Calls that wait for the user there. */
  readonly approvals: number;
  readonly children: number;
}

/** Throws YoiErrors: usage, pod_exists, loan_refused, scope_conflict, limit_exceeded, child_unknown, pod_unreachable, already_running, cancelled ... */
export interface PodManagement {
  /** Lends, starts, and gives the task. Once the loan is made a failure leaves no loan behind; one to give the task leaves the child, and says so. */
  spawn(request: SpawnRequest, call: ManagementCall): Promise<ChildReached>;
  /** An input of its own to a child. Does not wait for its end. Throws already_running. */
  send(name: string, message: string, call: ManagementCall): Promise<void>;
  read(name: string, after: OutputCursor | null, call: ManagementCall): Promise<PodOutput>;
  /** Ends the child and all below it, waits until they are gone, and takes the loan back: the rules that this Pod may write again. */
  stop(name: string, call: ManagementCall): Promise<readonly ScopeRule[]>;
  /** Itself, its children and its peers; never another Pod of the machine. */
  list(call: ManagementCall): Promise<readonly ManagedPod[]>;
  /** Starts a stopped child again, with the loan that it has or a new one of the same rules. */
  restore(
    name: string,
    call: ManagementCall,
  ): Promise<ChildReached & { readonly action: "already_live" | "restored" }>;
  /** A notification to a peer that lives, in this Pod's name. Never starts it. */
  sendToPeer(name: string, message: string, call: ManagementCall): Promise<void>;
}
