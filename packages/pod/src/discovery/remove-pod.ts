/** Removing a Pod: under its lease, the name first and then its log, so that a crash in between leaves an orphan log, never a name without one. */
import { isPodName, messageOf, type PodName, podName, type SessionId, YoiError } from "@yoi/base";
import { type ChildRecord, type Lease, type PodRecord, type PodStore, tryAcquire } from "@yoi/pod-store";
import type { SessionStore } from "@yoi/session-store";
import { isMeant } from "../spawn/same-pod.ts";

export interface RemovalStores {
  readonly sessions: Pick<SessionStore, "removeSession">;
  readonly pods: Pick<PodStore, "read" | "remove" | "list">;
  readonly lease: Pick<Lease, "acquire">;
}

export interface RemovedPod {
  readonly name: PodName;
  /** The session removed with it; null where damaged metadata no longer says which: then its log is left. */
  readonly session: SessionId | null;
  /** What is wrong with the metadata; null: nothing. */
  readonly damage: string | null;
}

/**
 * Throws pod_unknown, or pod_held when a process owns it. Lock files stay: they are never unlinked.
 * @param alongside removes what else is of the Pod; called under its lease, before the name goes, so that a failure leaves a Pod to remove again.
 */
export async function removePod(
  stores: RemovalStores,
  name: string,
  alongside: (name: PodName) => Promise<void>,
): Promise<RemovedPod> {
  const key = podName(name);
  await assertKnown(stores, key);
  await using held = new AsyncDisposableStack();
  const lease = await stores.lease.acquire(key, "rm");
  held.defer(() => lease.release());
  // Again, now that nobody else removes or creates it.
  await assertKnown(stores, key);
  const found = await readOrDamage(stores.pods, key);
  await holdBorrowers(stores.lease, await borrowersOf(stores.pods, key, found), sentenceOf(key, found), held);
  await alongside(key);
  await stores.pods.remove(key);
  if ("damage" in found) return { name: key, session: null, damage: found.damage };
  const { session } = found.record.pointer;
  await stores.sessions.removeSession(session);
  return { name: key, session, damage: null };
}

/** To whom it may have lent something. Where its own metadata does not say, its children's does, and one that cannot be read either may be a child. */
async function borrowersOf(
  pods: RemovalStores["pods"],
  name: PodName,
  found: Found,
): Promise<readonly PodName[]> {
  const all = (await pods.list()).filter((other) => other.name !== name);
  if ("damage" in found) {
    const may = all.filter((other) => !("record" in other) || other.record.parent?.pod === name);
    return may.map((other) => other.name).filter(isPodName);
  }
  // One that has a child's name now, and is another Pod, has nothing of it.
  const isAnother = (child: ChildRecord): boolean =>
    all.some((other) => other.name === child.name && "record" in other && !isMeant(other.record, child));
  return found.record.children.filter((child) => !isAnother(child)).map((child) => child.name);
}

function sentenceOf(name: PodName, found: Found): string {
  return "damage" in found
    ? `The Pod ${name}, whose metadata is damaged, may have lent parts of its scope to Pods that live`
    : `The Pod ${name} has lent parts of its scope to children that live`;
}

/** Nobody works on what it has lent, or begins to while it is removed. Throws pod_held, naming those who do. */
async function holdBorrowers(
  lease: RemovalStores["lease"],
  borrowers: readonly PodName[],
  sentence: string,
  held: AsyncDisposableStack,
): Promise<void> {
  const live: PodName[] = [];
  for (const child of borrowers) {
    const taken = await tryAcquire(lease, child, "rm of its parent");
    if ("error" in taken) live.push(child);
    else held.defer(() => taken.lease.release());
  }
  if (live.length === 0) return;
  const commands = live.map((child) => `\`yoi pod stop ${child}\``);
  throw new YoiError("pod_held", `${sentence}, ${live.join(", ")}: end them first (${commands.join(", ")}).`);
}

async function assertKnown({ pods }: RemovalStores, name: PodName): Promise<void> {
  if ((await pods.list()).some((listing) => listing.name === name)) return;
  throw new YoiError(
    "pod_unknown",
    `There is no Pod named ${name}: \`yoi pod list\` shows the ones there are.`,
  );
}

type Found = { readonly record: PodRecord } | { readonly damage: string };

/** A Pod of a later yoi is refused, not removed: it is not damaged, and what else belongs to it is not known here. */
async function readOrDamage(pods: Pick<PodStore, "read">, name: PodName): Promise<Found> {
  try {
    const record = await pods.read(name);
    return record === null ? { damage: "its metadata is gone" } : { record };
  } catch (error) {
    if (error instanceof YoiError && error.code === "metadata_damaged") return { damage: messageOf(error) };
    throw error;
  }
}
