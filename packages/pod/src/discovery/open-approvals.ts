/** What waits for the user in a Pod, from its log: nobody has to have it open. */
import { YoiError } from "@yoi/base";
import type { PendingApproval } from "@yoi/protocol";
import { replay } from "@yoi/session-store";
import { pendingOf } from "../approval/pending.ts";
import { type DiscoveryStores, readActive } from "./find-pod.ts";

/** In log order; also those that expired meanwhile, which `expires` says. Throws pod_unknown, log_damaged (what waits cannot be known), and what reading the log throws. */
export async function openApprovals(
  stores: DiscoveryStores,
  name: string,
): Promise<readonly PendingApproval[]> {
  const { record, view } = await readActive(stores, name);
  if (view.damage !== null || !view.ready) {
    const where = view.damage === null ? "has no beginning" : `is damaged at line ${view.damage.line}`;
    throw new YoiError(
      "log_damaged",
      `The log of the Pod ${record.name} ${where}, so what waits in it is not known: \`yoi pod verify ${record.name}\` says what is wrong.`,
      { place: { path: view.path } },
    );
  }
  return pendingOf(replay(view.entries), record.name);
}
