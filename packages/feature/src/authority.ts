/** Authorities: the dangerous things of the host that a feature may ask for, and that only the user (for a built-in, the program) grants. */
import type { ServiceId } from "./source-qualified.ts";

export type HostAuthority =
  /** `path` is absolute, or relative to the workspace; never more than the Pod's own scope. */
  | { readonly kind: "filesystem"; readonly access: "read" | "write"; readonly path: string }
  /** `hosts` are names, `*.example.org` for all below one; only their public addresses, only http and https. */
  | { readonly kind: "network"; readonly hosts: readonly string[] }
  | { readonly kind: "secret_ref"; readonly id: string }
  | { readonly kind: "model_notification" }
  | { readonly kind: "pod_management" }
  | { readonly kind: "state_store"; readonly name: string }
  /** For a service whose provider says that it carries authority. */
  | { readonly kind: "service_access"; readonly service: ServiceId };

export const authorityKinds = [
  "filesystem",
  "network",
  "secret_ref",
  "model_notification",
  "pod_management",
  "state_store",
  "service_access",
] as const satisfies readonly HostAuthority["kind"][];

export interface AuthorityRequest {
  readonly authority: HostAuthority;
  /** Without it the feature is not installed; else it goes on with less. */
  readonly required: boolean;
  /** For the person who decides. */
  readonly reason: string;
}

/** What was decided, for a feature to read. Frozen. */
export interface AuthorityGrants {
  readonly granted: readonly HostAuthority[];
  readonly denied: readonly { readonly authority: HostAuthority; readonly reason: string }[];
}
