/** FeatureHost: what the composition hands to the registry, so that granted authorities can become handles. Each handle checks itself. */
import type {
  FeatureFetch,
  FeatureFiles,
  FeatureId,
  FeatureSecret,
  FeatureStateStore,
  HostAuthority,
} from "@yoi/feature";

/** What the user decided about a feature: for exactly one digest. */
export interface FeatureApproval {
  readonly granted: readonly HostAuthority[];
}

export interface FeatureHost {
  /** Null: nobody has approved the feature with this digest. Never asked for built-ins. */
  readonly approvalOf: (feature: FeatureId, digest: string) => Promise<FeatureApproval | null>;
  readonly files: (grants: readonly Extract<HostAuthority, { kind: "filesystem" }>[]) => FeatureFiles;
  readonly fetch: (hosts: readonly string[]) => FeatureFetch;
  readonly secret: (id: string) => FeatureSecret;
  readonly state: (feature: FeatureId, name: string) => FeatureStateStore;
  /** Takes known secrets out of a text for people. */
  readonly redact: (text: string) => string;
}
