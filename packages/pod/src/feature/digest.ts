/** The digest of a descriptor: what a decision about a feature is stored with, so that another feature under the same id needs another decision. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@yoi/base";
import type { FeatureDescriptor } from "@yoi/feature";

/**
 * SHA-256, lower-case hex, of the canonical JSON of who the feature is and all that it contributes and asks for. Not in it: display name,
 * version and description. They change with every release and give a feature no power; a decision is asked for again when its powers change.
 */
export function descriptorDigest(descriptor: FeatureDescriptor): string {
  const { id, runtime, tools, hooks, background_tasks, state, authorities } = descriptor;
  const { provides_services, requires_services } = descriptor;
  const locked = {
    id,
    runtime,
    tools,
    hooks,
    background_tasks,
    provides_services,
    requires_services,
    state,
    authorities,
  };
  return createHash("sha256").update(canonicalJson(locked)).digest("hex");
}
