/** What a feature may do of what it asks for: everything for what ships with yoi, for all others what the user approved, and nothing else. */
import { canonicalJson, deepFreeze } from "@yoi/base";
import {
  type AuthorityGrants,
  type AuthorityRequest,
  type FeatureDescriptor,
  type HostAuthority,
  sourceOf,
} from "@yoi/feature";
import type { FeatureHost } from "../feature-host.ts";
import { boundedText } from "../../hook/said.ts";
import { common } from "./covers.ts";
import { describeAuthority } from "./describe-authority.ts";

export interface GrantResolution {
  /** A frozen copy. */
  readonly grants: AuthorityGrants;
  readonly denials: readonly (AuthorityRequest & { readonly denial: string })[];
  /** A sentence for each required authority that is denied; with one the feature is not installed. */
  readonly blockedBy: readonly string[];
}

export interface GrantPorts extends Pick<FeatureHost, "approvalOf" | "redact"> {
  /** Whether this process can begin children. */
  readonly managesPods: boolean;
}

/** What a feature gets for one authority it asks for, or why it gets nothing. */
type Decision = { readonly granted: readonly HostAuthority[] } | { readonly denial: string };
type Decide = (asked: HostAuthority) => Decision;

/** `digest` is that of the descriptor. Never throws: an approval that cannot be read is none. */
export async function resolveGrants(
  descriptor: FeatureDescriptor,
  digest: string,
  host: GrantPorts,
): Promise<GrantResolution> {
  const { id, authorities } = descriptor;
  const decide = await policyFor(descriptor, digest, host);
  const granted = new Map<string, HostAuthority>();
  const denials: GrantResolution["denials"][number][] = [];
  for (const request of authorities) {
    const decision = decide(request.authority);
    if ("denial" in decision) denials.push({ ...request, denial: decision.denial });
    else for (const authority of decision.granted) granted.set(canonicalJson(authority), authority);
  }
  const grants: AuthorityGrants = {
    granted: [...granted.values()],
    denied: denials.map(({ authority, denial }) => ({ authority, reason: denial })),
  };
  return {
    grants: deepFreeze(structuredClone(grants)),
    denials,
    blockedBy: denials
      .filter(({ required }) => required)
      .map(({ authority, denial }) => `${id} requires ${describeAuthority(authority)}: ${denial}`),
  };
}

async function policyFor(descriptor: FeatureDescriptor, digest: string, host: GrantPorts): Promise<Decide> {
  const { id, authorities } = descriptor;
  if (descriptor.runtime === "builtin" && sourceOf(id) === "builtin") {
    return (asked) =>
      asked.kind === "pod_management" && !host.managesPods
        ? {
            denial:
              "this process takes no clients, so it has no children; a Pod that `yoi pod start` hosts can.",
          }
        : { granted: [asked] };
  }
  if (authorities.length === 0) return denyAll("it asks for nothing.");
  const policy = await approvedPolicy(descriptor, digest, host);
  return (asked) =>
    asked.kind === "pod_management"
      ? { denial: "only what ships with yoi gets it: an approval of it is without effect." }
      : policy(asked);
}

async function approvedPolicy({ id }: FeatureDescriptor, digest: string, host: GrantPorts): Promise<Decide> {
  let approved: readonly HostAuthority[];
  try {
    const approval = await host.approvalOf(id, digest);
    if (approval === null) {
      return denyAll(
        `nobody has approved it as it is now; \`yoi feature show ${id}\` shows it, and \`yoi feature approve ${id}\` approves it.`,
      );
    }
    approved = approval.granted;
  } catch (error) {
    return denyAll(`its approval cannot be read: ${boundedText(error, host)}`);
  }
  return (asked) => {
    const granted = approved
      .map((authority) => common(asked, authority))
      .filter((authority) => authority !== null);
    return granted.length > 0 ? { granted } : { denial: "its approval does not include it." };
  };
}

function denyAll(denial: string): Decide {
  return () => ({ denial });
}
