/** Handles of one feature: what its grants are, in use. Each looks at the grant, the Pod's life and the bounds before and after the host's port is asked. */
import type { AuthorityGrants, FeatureHandles, FeatureId, HostAuthority, PodManagement } from "@yoi/feature";
import type { FeatureHost } from "../feature-host.ts";
import { seal } from "../seal.ts";
import { askHostFor } from "./ask-host.ts";
import { fetchHandle } from "./fetch-handle.ts";
import { filesHandle } from "./files-handle.ts";
import { podsHandle } from "./pods-handle.ts";
import { stateHandle } from "./state-handle.ts";

/** Frozen, all the way down. */
export function makeHandles(
  feature: FeatureId,
  grants: AuthorityGrants,
  host: FeatureHost & { readonly pods: PodManagement | null },
  life: { readonly isOver: boolean },
): FeatureHandles {
  const askHost = askHostFor({ feature, redact: host.redact, life });
  const files = ofKind(grants, "filesystem");
  const hosts = ofKind(grants, "network").flatMap((authority) => authority.hosts);
  const secrets = new Set(ofKind(grants, "secret_ref").map(({ id }) => id));
  const states = new Set(ofKind(grants, "state_store").map(({ name }) => name));
  return Object.freeze({
    files: files.length === 0 ? null : filesHandle(feature, files, host.files(files), askHost),
    fetch: hosts.length === 0 ? null : fetchHandle(feature, hosts, host.fetch(hosts), askHost),
    secret: (id: string) => {
      if (!secrets.has(id)) return null;
      const secret = host.secret(id);
      return seal({ id, read: () => askHost(() => secret.read()) });
    },
    pods:
      host.pods === null || ofKind(grants, "pod_management").length === 0
        ? null
        : seal(podsHandle(feature, host.pods, { askHost, redact: host.redact })),
    state: (name: string) =>
      states.has(name) ? seal(stateHandle(feature, name, host.state(feature, name), askHost)) : null,
  });
}

function ofKind<K extends HostAuthority["kind"]>(
  { granted }: AuthorityGrants,
  kind: K,
): readonly Extract<HostAuthority, { kind: K }>[] {
  return granted.filter(
    (authority): authority is Extract<HostAuthority, { kind: K }> => authority.kind === kind,
  );
}
