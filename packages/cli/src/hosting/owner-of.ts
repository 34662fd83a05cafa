/** Who holds a Pod now, and whether clients can attach to it. */
import type { PodName } from "@yoi/base";
import { hostPurpose, type Lease, type LeaseOwner } from "@yoi/pod-store";

/** As far as the hint says; null: nobody that is alive. */
export async function ownerOf(name: PodName, lease: Pick<Lease, "owner">): Promise<LeaseOwner | null> {
  const hint = await lease.owner(name);
  return hint?.alive === true ? hint.owner : null;
}

/** Another process holds it, and takes clients. */
export function isHost(owner: Pick<LeaseOwner, "purpose"> | null): boolean {
  return owner?.purpose === hostPurpose;
}
