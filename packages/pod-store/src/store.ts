/** PodStore: what a Pod's name refers to now. The only door to Pod metadata. */
import type { JsonObject, Loan, PodName, ScopeRule, SegmentId, SessionId } from "@yoi/base";

export type ActivePointer =
  /** A session id was minted; no segment is active yet. */
  | { readonly state: "pending"; readonly session: SessionId }
  | { readonly state: "active"; readonly session: SessionId; readonly segment: SegmentId };

/** The head of the active segment as its last orderly close saw it. */
export interface ClosedHead {
  readonly segment: SegmentId;
  readonly seq: number;
  readonly sum: string;
}

/** Of a child: who lent it its scope. */
export interface ParentLink {
  readonly pod: PodName;
  /** Of the parent: another Pod that has its name later is not the parent. */
  readonly session: SessionId;
  /** 1 for the child of a Pod that has no parent. */
  readonly depth: number;
  /** What the child shows at its parent's socket; good for `pod_event` only. */
  readonly token: string;
}

/**
 * A child with an open loan. `starting` is written, and the lender's write is withdrawn, before the child's process begins.
 * Whether it lives is not said here: that is for the child's lease.
 */
export interface ChildRecord {
  readonly name: PodName;
  readonly state: "starting" | "live";
  readonly loan: Loan;
  /** Of the child. */
  readonly session: SessionId;
  /** SHA-256, in lower-case hex, of the child's token. */
  readonly tokenDigest: string;
  /** Where the child was reached last: a hint, and no sign of life. Null: nowhere yet. */
  readonly socket: string | null;
  /** Where the child was told to reach this Pod: a hint. Null: nowhere. */
  readonly callback: string | null;
  /** When the loan was made, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Absent: the child has been given its task, or it is known to have failed. */
  readonly task?: OwedTask;
}

/** What a child was begun for. */
export interface OwedTask {
  readonly text: string;
  /** Under which it comes in once, however often it is given. */
  readonly submission: string;
}

/** Why a loan came back: the child was stopped, was found gone, or never began. */
export const reclaimReasons = ["stopped", "lost", "not_started"] as const;
export type ReclaimReason = (typeof reclaimReasons)[number];

/** A loan that came back. The child keeps its log and its metadata, and can be restored by a new loan of the same rules. */
export interface ReclaimedChild {
  readonly name: PodName;
  readonly loan: Loan;
  readonly session: SessionId;
  readonly reason: ReclaimReason;
  readonly atMs: number;
}

/** Another Pod of the user, which this one may see and notify where each is the other's peer. */
export interface PeerLink {
  readonly name: PodName;
  /** Of the peer: another Pod that has its name later is no peer. */
  readonly session: SessionId;
}

/** What the Pod's metadata says. Metadata points at the log, never repeats it: the log is what happened, this is what the name means now. */
export interface PodRecord {
  readonly name: PodName;
  readonly pointer: ActivePointer;
  /** The greatest epoch that an owner took. */
  readonly epoch: number;
  readonly closedHead: ClosedHead | null;
  /** The resolved manifest, as JSON; the `manifest` package reads it back. */
  readonly manifest: JsonObject;
  /** What the user calls it, beside its name: one line; absent: nothing else. */
  readonly title?: string;
  /** What it may write beyond its manifest, by answers of the user, while it lives: a registry that was lost is made anew from this. Absent: nothing. */
  readonly granted?: readonly ScopeRule[];
  /** Null: nobody lent it anything, and its scope is its own. */
  readonly parent: ParentLink | null;
  /** Children with an open loan, by name. */
  readonly children: readonly ChildRecord[];
  /** Loans that came back, the last of each child, oldest first; at most `reclaimedMax`. */
  readonly reclaimed: readonly ReclaimedChild[];
  /** By name. */
  readonly peers: readonly PeerLink[];
  /** Compare-and-set counter; 1 at creation. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface NewPod {
  readonly name: PodName;
  readonly pointer: ActivePointer;
  /** Default 0: nobody owned it yet. */
  readonly epoch?: number;
  readonly manifest: JsonObject;
  readonly parent?: ParentLink;
}

/** What the caller knows of the record: where another epoch or revision is stored, nothing is written. */
export type Expected = Pick<PodRecord, "epoch" | "revision">;

export interface PodUpdate {
  readonly pointer?: ActivePointer;
  readonly epoch?: number;
  readonly closedHead?: ClosedHead | null;
  readonly manifest?: JsonObject;
  /** Null: it has none any more. */
  readonly title?: string | null;
  readonly granted?: readonly ScopeRule[];
}

/** What listing sees of one Pod: a good record, or why there is none. */
export type PodListing = { readonly name: string; readonly record: PodRecord } | UnreadablePod;

export interface UnreadablePod {
  readonly name: string;
  /** newer: a later yoi wrote it, and nothing is wrong with it. */
  readonly fault: "damaged" | "newer";
  /** One sentence. */
  readonly error: string;
  /** When its file was last written, in milliseconds since the epoch. */
  readonly writtenMs: number;
}

/** Writing verbs are called under the Pod's lease. */
export interface PodStore {
  /** Null when there is no such Pod. Throws metadata_damaged (file, offset) or schema_newer. */
  read(name: PodName): Promise<PodRecord | null>;
  /** Refused with pod_exists when the name, or one that differs by case only, is taken. */
  create(record: NewPod): Promise<PodRecord>;
  /** Changes the named fields and keeps every other one, unknown ones included. Not as expected: metadata_conflict, nothing written. So do the verbs below. */
  update(name: PodName, expected: Expected, update: PodUpdate): Promise<PodRecord>;
  /** Adds the child, or replaces the one of its name; a reclaimed one of its name is not listed as that any more. Throws limit_exceeded over `childrenMax`. */
  putChild(name: PodName, expected: Expected, child: ChildRecord): Promise<PodRecord>;
  /** Moves the child from `children` to `reclaimed`; with null it is kept nowhere. Throws child_unknown. */
  reclaimChild(
    name: PodName,
    expected: Expected,
    child: PodName,
    how: Pick<ReclaimedChild, "reason" | "atMs"> | null,
  ): Promise<PodRecord>;
  /**
   * Makes the Pod that the name `peer` refers to a peer, in the place of another one that had that name; with null the name is a peer's no longer. Idempotent: what is
   * so already is written by nobody. Throws limit_exceeded over `peersMax`.
   */
  setPeer(name: PodName, expected: Expected, peer: PodName, session: SessionId | null): Promise<PodRecord>;
  remove(name: PodName): Promise<void>;
  /** The file that holds it, for messages. */
  pathOf(name: PodName): string;
  /** By name. A damaged Pod is listed with its error, never skipped. */
  list(): Promise<readonly PodListing[]>;
  /** The Pod whose name equals `name` but for case, if there is one. */
  findIgnoringCase(name: PodName): Promise<string | null>;
}
