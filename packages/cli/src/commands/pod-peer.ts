/** `yoi pod peer`: two Pods may see and notify each other, or no longer. Both sides or neither. */
import { messageOf, podName, type PodName, YoiError } from "@yoi/base";
import { findPod } from "@yoi/pod";
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
  const isChange = await isToChange(reach, name, other, arePeers);
  const isOthersChange = await isToChange(reach, other, name, arePeers);
  // Neither is there: the refusal says so.
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
  printResult(flags, { pod: name, peer: other, peers: arePeers, changed }, sentence);
  return exitCode.done;
}

/** Whether the side of `name` is to be written. Null: there is no such Pod, and what it was to another one can be taken away all the same. */
async function isToChange(
  { stores }: Reach,
  name: PodName,
  peer: PodName,
  isPeer: boolean,
): Promise<boolean | null> {
  const record = isPeer ? await findPod(stores.pods, name) : await stores.pods.read(name);
  return record === null ? null : record.peers.includes(peer) !== isPeer;
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
    await pods.setPeer(name, record, peer, isPeer);
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
