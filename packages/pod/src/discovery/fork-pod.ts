/** Forking a Pod: another one that goes on from an entry of its logs. The first one is only read: it may be live, or damaged behind that entry. */
import {
  entryId,
  type Ids,
  type InputPart,
  type PodName,
  podName,
  type SegmentId,
  segmentId,
  type SessionId,
  sessionId,
  YoiError,
} from "@yoi/base";
import type { Lease, PodRecord, PodStore } from "@yoi/pod-store";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import {
  endOf,
  type FoundPlace,
  findPlace,
  originAt,
  type PlaceStore,
  type Target,
} from "../rewind/find-place.ts";
import { forkNote } from "../rewind/lineage-note.ts";
import { planFork } from "../rewind/plan-fork.ts";
import { readTimelineSegment } from "../timeline/timeline.ts";
import { activeSegment, findPod, isUnreadable } from "./find-pod.ts";

export interface ForkStores {
  readonly sessions: PlaceStore & Pick<SessionStore, "create" | "removeSession">;
  readonly pods: Pick<PodStore, "read" | "create" | "findIgnoringCase">;
  readonly lease: Pick<Lease, "acquire">;
}

export interface ForkRequest {
  readonly source: string;
  /** Of the Pod that is made. */
  readonly name: string;
  /** Null: the last good entry. */
  readonly target: Target | null;
  /** One that the Pod was on, as if it were on it now; absent: that which its name refers to. */
  readonly from?: SegmentId;
  readonly ids: Ids;
  /** yoi's. */
  readonly version: string;
}

export interface ForkedPod {
  readonly name: PodName;
  readonly source: PodName;
  readonly session: SessionId;
  readonly segment: SegmentId;
  /** Id of the last entry of the source that it knows. */
  readonly kept: string;
  readonly turns: number;
  /** The input before which its history ends; null: it ends elsewhere. */
  readonly input: readonly InputPart[] | null;
  /** What is wrong with the source's log behind that entry; null: nothing was seen. */
  readonly damage: string | null;
}

/**
 * The new Pod has a session of its own, the manifest of the source as it is now, and nobody holds it. First its segment is durable, then its metadata, under its lease: a crash in
 * between leaves a session that no name refers to. Throws pod_unknown, pod_exists, pod_held, pod_name_invalid, usage, target_unknown, rewind_refused, and what the stores throw.
 */
export async function forkPod(stores: ForkStores, request: ForkRequest): Promise<ForkedPod> {
  const { target, ids, version } = request;
  const source = podName(request.source);
  const name = podName(request.name);
  if (source === name)
    throw new YoiError("usage", `A fork of ${source} takes a name of its own: give it another one.`);
  const record = await findPod(stores.pods, source);
  const { sessions } = stores;
  const active = await segmentFrom(sessions, record, request.from);
  await refuseTaken(stores, name);
  const place = target === null ? await endOf(sessions, active) : await findPlace(sessions, active, target);
  const lease = await stores.lease.acquire(name, "fork");
  try {
    await refuseTaken(stores, name);
    const session = sessionId(ids.uuidV7());
    const segment = segmentId(ids.uuidV7());
    const plan = planFork(
      { segment, origin: originAt(place, session), at: place.at, behind: [forkNote(source, name)] },
      session,
    );
    try {
      const { writer } = await sessions.create(
        plan.start,
        { metadataEpoch: 0, version },
        { carried: plan.carried, behind: plan.behind },
      );
      await writer.close();
      const pointer = { state: "active", session, segment } as const;
      await stores.pods.create({ name, pointer, epoch: writer.epoch, manifest: record.manifest });
    } catch (error) {
      // What failed is the one to tell; what cannot be taken away now stays, and no name refers to it.
      await removeUnnamed(stores, name, session).catch(() => {});
      throw error;
    }
    return { name, source, session, segment, ...told(place) };
  } finally {
    await lease.release();
  }
}

function told({
  at,
  seq,
  input,
  damage,
}: FoundPlace): Pick<ForkedPod, "kept" | "turns" | "input" | "damage"> {
  return { kept: entryId(at.generation, seq), turns: at.turnCount, input, damage };
}

async function segmentFrom(
  sessions: PlaceStore,
  record: PodRecord,
  from: SegmentId | undefined,
): Promise<SegmentRef> {
  const active = activeSegment(record);
  if (from === undefined) return active;
  const ref = { session: active.session, segment: from };
  const found = await readTimelineSegment(sessions, ref);
  if (found !== null && found.start.purpose === undefined) return ref;
  throw new YoiError(
    "target_unknown",
    `The Pod ${record.name} was never on a segment ${from}: \`yoi pod lineage ${record.name}\` shows those that are there.`,
  );
}

async function refuseTaken({ pods }: ForkStores, name: PodName): Promise<void> {
  const found = await pods.read(name).catch((error: unknown): PodRecord | "unreadable" => {
    if (isUnreadable(error)) return "unreadable";
    throw error;
  });
  const twin = found === null ? await pods.findIgnoringCase(name) : name;
  if (twin === null) return;
  throw new YoiError("pod_exists", `A Pod named ${twin} exists: give the fork another name than ${name}.`);
}

/** Its metadata may be there though writing it failed in the last step. */
async function removeUnnamed(
  { pods, sessions }: ForkStores,
  name: PodName,
  session: SessionId,
): Promise<void> {
  const record = await pods.read(name);
  if (record?.pointer.session !== session) await sessions.removeSession(session);
}
