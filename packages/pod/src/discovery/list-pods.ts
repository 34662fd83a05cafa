/** The list of Pods: metadata and the owner hint only, never a transcript. */
import { podName } from "@yoi/base";
import type { DiscoveryStores } from "./find-pod.ts";

export interface PodSummary {
  readonly name: string;
  /** Null when the metadata is damaged. */
  readonly workspace: string | null;
  readonly model: string | null;
  readonly ownerPid: number | null;
  readonly updatedMs: number | null;
  /** What is wrong with its metadata, if anything. */
  readonly error: string | null;
}

export async function listPods(
  stores: Pick<DiscoveryStores, "pods" | "lease">,
): Promise<readonly PodSummary[]> {
  const summaries: PodSummary[] = [];
  for (const listing of await stores.pods.list()) {
    if ("error" in listing) {
      summaries.push({
        name: listing.name,
        workspace: null,
        model: null,
        ownerPid: null,
        updatedMs: null,
        error: listing.error,
      });
      continue;
    }
    const { record } = listing;
    const hint = await stores.lease.owner(podName(listing.name));
    const { workspace, model } = record.manifest;
    summaries.push({
      name: listing.name,
      workspace: typeof workspace === "string" ? workspace : null,
      model: modelName(model),
      ownerPid: hint?.alive === true ? hint.owner.pid : null,
      updatedMs: record.updatedMs,
      error: null,
    });
  }
  return summaries;
}

function modelName(model: unknown): string | null {
  if (typeof model !== "object" || model === null) return null;
  const { provider, id } = model as { provider?: unknown; id?: unknown };
  return typeof provider === "string" && typeof id === "string" ? `${provider}/${id}` : null;
}
