/** Rewinding a Pod that no process has: under its lease, without a model and without tools. */
import type { Ids } from "@yoi/base";
import type { Lease, PodStore } from "@yoi/pod-store";
import type { SessionStore } from "@yoi/session-store";
import { reopenSession } from "../restore/open-session.ts";
import { listTargets, type ListedTargets, type ListOptions } from "../rewind/list-targets.ts";
import { rewind, type RewinderParts, type RewindRequest, type Rewound } from "../rewind/rewinder.ts";
import { undoCompaction, type UndoneCompaction } from "../rewind/undo-compaction.ts";
import { activeSegment, findPod } from "./find-pod.ts";

export interface ClosedStores {
  readonly sessions: SessionStore;
  readonly pods: PodStore;
  readonly lease: Pick<Lease, "acquire">;
}

export interface ClosedOwner {
  readonly ids: Ids;
  readonly version: string;
  readonly isReadOnly: (tool: string) => boolean;
}

/** As `Pod.rewind`, but for putting files back: that takes an open Pod. Throws pod_unknown, and pod_held where a process has it. */
export function rewindClosed(
  stores: ClosedStores,
  name: string,
  { ids, version, isReadOnly, ...request }: ClosedOwner & Omit<RewindRequest, "files">,
): Promise<Rewound> {
  return ofClosed(stores, name, { ids, version, isReadOnly }, (parts) => rewind(parts, request));
}

/** As `Pod.undoCompaction`. Throws the same. */
export function undoCompactionClosed(
  stores: ClosedStores,
  name: string,
  owner: ClosedOwner,
): Promise<UndoneCompaction> {
  return ofClosed(stores, name, owner, undoCompaction);
}

async function ofClosed<T>(
  { sessions, pods, lease }: ClosedStores,
  name: string,
  { ids, version, isReadOnly }: ClosedOwner,
  work: (parts: RewinderParts) => Promise<T>,
): Promise<T> {
  const found = await findPod(pods, name);
  const held = await lease.acquire(found.name, "rewind");
  try {
    const record = await findPod(pods, name);
    const { manifest } = record;
    const session = await reopenSession({ sessions, pods }, record, activeSegment(record), {
      version,
      manifest,
    });
    try {
      const { gate, rotator } = session;
      const children = () => session.record.current.children.map((child) => child.name);
      return await work({ gate, rotator, sessions, ids, isReadOnly, children, filesBack: null });
    } finally {
      await session.close();
    }
  } finally {
    await held.release();
  }
}

/** Reads only, also while a process has the Pod. */
export async function targetsOf(
  { sessions, pods }: Pick<ClosedStores, "sessions" | "pods">,
  name: string,
  options: ListOptions,
): Promise<ListedTargets> {
  return listTargets(sessions, activeSegment(await findPod(pods, name)), options);
}
