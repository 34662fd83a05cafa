/** What a dry run of the installation of built-in features says: without a Pod, a model or a key. */
import type { Manifest } from "@yoi/manifest";
import { resolveConfiguration } from "../compose/configuration.ts";
import { openStores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { type TriedManifest, tryManifest } from "./try-manifest.ts";

export interface TriedBuiltIns extends TriedManifest {
  readonly manifest: Manifest;
  /** Of the configuration. */
  readonly warnings: readonly string[];
}

/** As a hosted Pod of this workspace would have them. Throws what reading its configuration throws. */
export async function tryBuiltIns(workspace: string, environment: Environment): Promise<TriedBuiltIns> {
  const { manifest, warnings } = await resolveConfiguration(environment, workspace, {});
  const stores = openStores(environment);
  const tried = await tryManifest(manifest, { environment, stores, managesPods: true });
  return { ...tried, manifest, warnings };
}
