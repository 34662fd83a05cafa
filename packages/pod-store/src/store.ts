/** PodStore: what a Pod's name refers to now. The only door to Pod metadata. */
import type { JsonObject, PodName, SegmentId, SessionId } from "@yoi/base";

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

/** What the Pod's metadata says. Metadata points at the log, never repeats it: the log is what happened, this is what the name means now. */
export interface PodRecord {
  readonly name: PodName;
  readonly pointer: ActivePointer;
  /** The greatest epoch that an owner took. */
  readonly epoch: number;
  readonly closedHead: ClosedHead | null;
  /** The resolved manifest, as JSON; the `manifest` package reads it back. */
  readonly manifest: JsonObject;
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
}

export interface PodUpdate {
  readonly pointer?: ActivePointer;
  readonly epoch?: number;
  readonly closedHead?: ClosedHead | null;
  readonly manifest?: JsonObject;
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
  /** Changes the named fields and keeps every other one, unknown ones included. `expectedRevision` differs: metadata_conflict, nothing written. */
  update(name: PodName, expectedRevision: number, update: PodUpdate): Promise<PodRecord>;
  remove(name: PodName): Promise<void>;
  /** The file that holds it, for messages. */
  pathOf(name: PodName): string;
  /** By name. A damaged Pod is listed with its error, never skipped. */
  list(): Promise<readonly PodListing[]>;
  /** The Pod whose name equals `name` but for case, if there is one. */
  findIgnoringCase(name: PodName): Promise<string | null>;
}
