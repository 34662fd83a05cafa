/** `yoi pod peer`: two Pods may see and notify each other, or no longer. Both sides or neither. */
import { escapeControls, messageOf, podName, type PodName, YoiError } from "@yoi/base";
import { findPod, isUnreadable } from "@yoi/pod";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";

export interface PeerFlags extends JsonFlag {
  readonly remove?: boolean;
}

export async function podPeer(first: string, second: string, flags: PeerFlags): Promise<number> {
  const reach = reachAs("peer");
  const arePeers = flags.remove !== true;
  const name = podName(first);
  const other = podName(second);
  if (name === other)
    throw new YoiError("usage", `A Pod is no peer of itself: name two Pods, not ${name} twice.`);
  const unread: string[] = [];
  const isChange = await isToChange(reach, name, other, arePeers, unread);
  const isOthersChange = await isToChange(reach, other, name, arePeers, unread);
  // Neither is there, or can be read: the refusal says so.
  if (isChange === null && isOthersChange === null) await findPod(reach.stores.pods, name);
  if (isChange === true) await setPeer(reach, name, other, arePeers);
  if (isOthersChange === true) {
    try {
      await setPeer(reach, other, name, arePeers);
    } catch (error) {
      if (isChange === true) await putBack(reach, { name, other, arePeers }, error);
      throw error;
    }
  }
  const changed = isChange === true || isOthersChange === true;
  const sentence = arePeers
    ? `The Pods ${name} and ${other} are peers${changed ? "" : " already"}: each may see and notify the other, and nothing more.`
    : `The Pods ${name} and ${other} are no peers${changed ? " any more" : ""}.`;
  for (const why of unread)
    process.stderr.write(
      `yoi: ${escapeControls(why)} Its side is as it was, and grants nothing without the other.\n`,
    );
  printResult(flags, { pod: name, peer: other, peers: arePeers, changed }, sentence);
  return exitCode.done;
}

/**
 * Whether the side of `name` is to be written. Null: there is no such Pod, or what it has on record cannot be read, which is put into `unread`. What it was to another one
 * can be taken away all the same: without both sides there are no peers.
 */
async function isToChange(
  { stores: { pods } }: Reach,
  name: PodName,
  peer: PodName,
  isPeer: boolean,
  unread: string[],
): Promise<boolean | null> {
  if (isPeer) {
    const [record, other] = [await findPod(pods, name), await findPod(pods, peer)];
    return !record.peers.some((link) => link.name === peer && link.session === other.pointer.session);
  }
  try {
    const record = await pods.read(name);
    return record?.peers.some((link) => link.name === peer) ?? null;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    unread.push(error.message);
    return null;
  }
}

/** The Pod's own process writes its metadata while there is one that takes clients; else this one does, with the lease for that moment. */
async function setPeer(reach: Reach, name: PodName, peer: PodName, isPeer: boolean): Promise<void> {
  const { lease, pods } = reach.stores;
  if (isHost(await ownerOf(name, lease))) {
    const params = isPeer ? { name: peer } : { name: peer, remove: true };
    await withPod(name, reach, (pod) => pod.call("register_peer", params));
    return;
  }
  const held = await lease.acquire(name, "peer");
  try {
    const record = await findPod(pods, name);
    const session = isPeer ? (await findPod(pods, peer)).pointer.session : null;
    await pods.setPeer(name, record, peer, session);
  } finally {
    await held.release();
  }
}

/** Throws only where that fails too: both failures are said. */
async function putBack(
  reach: Reach,
  { name, other, arePeers }: { readonly name: PodName; readonly other: PodName; readonly arePeers: boolean },
  first: unknown,
): Promise<void> {
  try {
    await setPeer(reach, name, other, !arePeers);
  } catch (error) {
    throw new YoiError(
      first instanceof YoiError ? first.code : "io_failed",
      `${messageOf(first)} What was written to the Pod ${name} before could not be put back (${messageOf(error)}): run the same command again.`,
      { cause: error },
    );
  }
}
