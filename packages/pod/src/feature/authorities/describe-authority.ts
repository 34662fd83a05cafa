/** An authority in the words of a sentence. */
import type { HostAuthority } from "@yoi/feature";

export function describeAuthority(authority: HostAuthority): string {
  switch (authority.kind) {
    case "filesystem":
      return `filesystem (${authority.access} ${authority.path})`;
    case "network":
      return `network (${authority.hosts.join(", ")})`;
    case "secret_ref":
      return `secret_ref (${authority.id})`;
    case "state_store":
      return `state_store (${authority.name})`;
    case "service_access":
      return `service_access (${authority.service})`;
    case "model_notification":
    case "pod_management":
      return authority.kind;
  }
}
