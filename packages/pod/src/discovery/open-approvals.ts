/** What waits for the user in a Pod, from its log: nobody has to have it open. */
import type { PendingApproval } from "@yoi/protocol";
import { replay } from "@yoi/session-store";
import { pendingOf } from "../approval/pending.ts";
import { type DiscoveryStores, readActive } from "./find-pod.ts";

/** In log order; also those that expired meanwhile, which `expires` says. Throws pod_unknown, and what reading the log throws. */
export async function openApprovals(
  stores: DiscoveryStores,
  name: string,
): Promise<readonly PendingApproval[]> {
  const { record, view } = await readActive(stores, name);
  return view.ready ? pendingOf(replay(view.entries), record.name) : [];
}
