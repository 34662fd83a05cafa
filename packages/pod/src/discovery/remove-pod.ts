/** Removing a Pod: under its lease, the name first and then its log, so that a crash in between leaves an orphan log, never a name without one. */
import { type PodName, podName, YoiError } from "@yoi/base";
import type { Lease, PodStore } from "@yoi/pod-store";
import type { SessionStore } from "@yoi/session-store";

export interface RemovalStores {
  readonly sessions: Pick<SessionStore, "removeSession">;
  readonly pods: Pick<PodStore, "read" | "remove" | "list">;
  readonly lease: Pick<Lease, "acquire">;
}

/** Throws pod_unknown, or pod_held when a process owns it. Lock files stay: they are never unlinked. */
export async function removePod(stores: RemovalStores, name: string): Promise<PodName> {
  const key = podName(name);
  const known = (await stores.pods.list()).some((listing) => listing.name === key);
  if (!known) {
    throw new YoiError(
      "pod_unknown",
      `There is no Pod named ${name}: \`yoi pod list\` shows the ones there are.`,
    );
  }
  const lease = await stores.lease.acquire(key, "rm");
  try {
    const record = await stores.pods.read(key);
    await stores.pods.remove(key);
    if (record !== null) await stores.sessions.removeSession(record.pointer.session);
  } finally {
    await lease.release();
  }
  return key;
}
