/** Finding a Pod by name in the stores, without constructing it and without taking its lease. */
import { isPodName, type PodName, podName, type SegmentId, YoiError } from "@yoi/base";
import type { Lease, PodRecord, PodStore } from "@yoi/pod-store";
import {
  replay,
  type SegmentRef,
  type SegmentView,
  type SessionState,
  type SessionStore,
} from "@yoi/session-store";
import { podUnknown } from "./pod-unknown.ts";
import { hasUnfinishedTurn } from "../turn/accept-input.ts";

/** The read side of the stores. */
export interface DiscoveryStores {
  readonly sessions: Pick<SessionStore, "read">;
  readonly pods: Pick<PodStore, "read" | "list">;
  readonly lease: Pick<Lease, "owner">;
}

export async function findPod(pods: Pick<PodStore, "read">, name: string): Promise<PodRecord> {
  const record = await pods.read(podName(name));
  if (record === null) throw podUnknown(name);
  return record;
}

/** There is such a Pod, and what its metadata says cannot be known. */
export function isUnreadable(error: unknown): error is YoiError {
  return error instanceof YoiError && (error.code === "metadata_damaged" || error.code === "schema_newer");
}

export type NamedPod =
  | { readonly name: PodName; readonly record: PodRecord; readonly unreadable: null }
  | { readonly name: PodName; readonly record: null; readonly unreadable: YoiError };

/** Also where the metadata cannot be read: its process can be asked all the same, by name. Throws pod_unknown. */
export async function findNamed(pods: Pick<PodStore, "read">, name: string): Promise<NamedPod> {
  try {
    const record = await findPod(pods, name);
    return { name: record.name, record, unreadable: null };
  } catch (error) {
    if (isUnreadable(error)) return { name: podName(name), record: null, unreadable: error };
    throw error;
  }
}

/** The segment that the Pod's name refers to now. */
export function activeSegment(record: PodRecord): SegmentRef {
  if (record.pointer.state === "pending") {
    throw new YoiError("pod_unknown", `The Pod ${record.name} has no log yet: its first run has not begun.`);
  }
  return { session: record.pointer.session, segment: record.pointer.segment };
}

export async function readActive(
  stores: DiscoveryStores,
  name: string,
): Promise<{ readonly record: PodRecord; readonly segment: SegmentId; readonly view: SegmentView }> {
  const record = await findPod(stores.pods, name);
  const ref = activeSegment(record);
  return { record, segment: ref.segment, view: await stores.sessions.read(ref) };
}

/** What a Pod is doing, as far as the log and the owner hint say. `unfinished`: its last run ended in the middle of a turn; it can be resumed. */
export type PodStatus = "live" | "idle" | "unfinished" | "paused" | "interrupted" | "pending" | "damaged";

/** The live owner of a Pod, as far as the hint says; both null: there is none. */
export interface LiveOwner {
  readonly ownerPid: number | null;
  /** What it said that it does: `run`, `host`. */
  readonly ownerPurpose: string | null;
}

/** @param name as it is listed: also of a Pod whose metadata cannot be read, and of what has no Pod's name */
export async function liveOwnerOf(lease: Pick<Lease, "owner">, name: string): Promise<LiveOwner> {
  const hint = isPodName(name) ? await lease.owner(name) : null;
  return hint?.alive === true
    ? { ownerPid: hint.owner.pid, ownerPurpose: hint.owner.purpose }
    : { ownerPid: null, ownerPurpose: null };
}

export async function statusOf(
  lease: Pick<Lease, "owner">,
  name: PodName,
  view: SegmentView | null,
): Promise<LiveOwner & { readonly status: PodStatus; readonly state: SessionState | null }> {
  const owner = await liveOwnerOf(lease, name);
  const { ownerPid } = owner;
  if (view === null) return { status: ownerPid === null ? "pending" : "live", ...owner, state: null };
  const state = view.ready ? replay(view.entries) : null;
  if (view.damage !== null || state === null) return { status: "damaged", ...owner, state };
  if (ownerPid !== null) return { status: "live", ...owner, state };
  switch (state.run.state) {
    case "idle":
      return { status: hasUnfinishedTurn(state) ? "unfinished" : "idle", ...owner, state };
    case "paused":
      return { status: state.run.reason === "interrupted" ? "interrupted" : "paused", ...owner, state };
    case "running":
      return { status: "interrupted", ...owner, state };
  }
}
