/** What features get of this machine once it is granted. Nothing is opened or read before a feature asks for it. */
import { YoiError } from "@yoi/base";
import type { FeatureSecret } from "@yoi/feature";
import { createFeatureStateStore } from "@yoi/keep";
import type { Manifest } from "@yoi/manifest";
import { checkAuthority, type FeatureHost } from "@yoi/pod";
import type { LiveScope, Protection } from "@yoi/scope";
import { featureFetch, featureFiles } from "@yoi/tools";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { openApprovalStore } from "./approvals.ts";
import { inspect, secretFor } from "./secrets.ts";
import type { Stores } from "./stores.ts";

export interface FeatureHostRequest {
  readonly manifest: Manifest;
  readonly scope: LiveScope;
  readonly protection: Protection;
  readonly environment: Environment;
  readonly stores: Pick<Stores, "host" | "dataDir">;
}

export function makeFeatureHost({
  manifest,
  scope,
  protection,
  environment,
  stores,
}: FeatureHostRequest): FeatureHost {
  const { host, dataDir } = stores;
  const { files, ids, timers } = host;
  const approvals = openApprovalStore(environment, host);
  return {
    approvalOf: async (feature, digest) => {
      const record = await approvals.get(feature);
      // Another digest is another feature: what was decided about that one says nothing about this one.
      if (record === null || record.digest !== digest) return null;
      const place = (index: number): string => `granted[${index}] of the approval of ${feature}`;
      return { granted: record.granted.map((authority, index) => checkAuthority(authority, place(index))) };
    },
    files: (grants) =>
      featureFiles({
        scope: () => scope.current,
        enter: (what) => scope.enter(what),
        protection,
        workspace: manifest.workspace,
        grants,
      }),
    fetch: (hosts) =>
      featureFetch({ hosts, allowPrivateAddresses: manifest.web.allow_private_addresses, timers }),
    secret: (id) => secretOf(id, environment, host),
    state: createFeatureStateStore({ files, ids, dataDir, inspect }),
    redact: knownSecrets.redact,
  };
}

function secretOf(id: string, environment: Environment, host: Stores["host"]): FeatureSecret {
  return {
    id,
    read: async () => {
      const value = await secretFor(id, environment, host);
      if (value === null)
        throw new YoiError(
          "secret_unknown",
          `There is no secret ${id}: store it with \`yoi secret set ${id}\`.`,
        );
      return value;
    },
  };
}
