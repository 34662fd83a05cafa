/** Who holds a Pod now, and whether clients can attach to it. */
import type { PodName } from "@yoi/base";
import { hostPurpose, type Lease, type LeaseOwner } from "@yoi/pod-store";
import type { Environment } from "../environment.ts";

/** As far as the hint says; null: nobody that is alive. */
export async function ownerOf(name: PodName, lease: Pick<Lease, "owner">): Promise<LeaseOwner | null> {
  const hint = await lease.owner(name);
  return hint?.alive === true ? hint.owner : null;
}

/** Another process holds it, and takes clients. */
export function isHost(owner: Pick<LeaseOwner, "purpose"> | null): boolean {
  return owner?.purpose === hostPurpose;
}

/**
 * The directories by which a Pod is reached whoever asks: those of this process, with the runtime directory of the one that holds the Pod, which may have been
 * started in another environment of the same data.
 */
export async function reachedBy(
  name: PodName,
  { environment: { directories }, lease }: ReachedByRequest,
): Promise<Pick<Environment, "directories">> {
  const owner = await ownerOf(name, lease);
  return { directories: { ...directories, runtime: owner?.runtime ?? directories.runtime } };
}

interface ReachedByRequest {
  readonly environment: Pick<Environment, "directories">;
  readonly lease: Pick<Lease, "owner">;
}
