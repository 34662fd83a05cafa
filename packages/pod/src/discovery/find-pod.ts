/** Finding a Pod by name in the stores, without constructing it and without taking its lease. */
import { type PodName, podName, type SegmentId, YoiError } from "@yoi/base";
import type { Lease, PodRecord, PodStore } from "@yoi/pod-store";
import {
  replay,
  type SegmentRef,
  type SegmentView,
  type SessionState,
  type SessionStore,
} from "@yoi/session-store";
import { hasUnfinishedTurn } from "../turn/accept-input.ts";

/** The read side of the stores. */
export interface DiscoveryStores {
  readonly sessions: Pick<SessionStore, "read">;
  readonly pods: Pick<PodStore, "read" | "list">;
  readonly lease: Pick<Lease, "owner">;
}

export async function findPod(pods: Pick<PodStore, "read">, name: string): Promise<PodRecord> {
  const record = await pods.read(podName(name));
  if (record === null) {
    throw new YoiError(
      "pod_unknown",
      `There is no Pod named ${name}: \`yoi pod list\` shows the ones there are.`,
    );
  }
  return record;
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

export async function statusOf(
  lease: Pick<Lease, "owner">,
  name: PodName,
  view: SegmentView | null,
): Promise<{
  readonly status: PodStatus;
  readonly ownerPid: number | null;
  /** What its live owner said that it does: `run`, `host`. */
  readonly ownerPurpose: string | null;
  readonly state: SessionState | null;
}> {
  const hint = await lease.owner(name);
  const ownerPid = hint?.alive === true ? hint.owner.pid : null;
  const ownerPurpose = hint?.alive === true ? hint.owner.purpose : null;
  const owner = { ownerPid, ownerPurpose };
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
