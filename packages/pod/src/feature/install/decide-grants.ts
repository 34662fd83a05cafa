/** What the user decided about each feature, asked before anything else is: what nobody approved has no say in what becomes of the others. */
import type { AuthorityGrants } from "@yoi/feature";
import { boundedText } from "../../hook/said.ts";
import { describeAuthority } from "../authorities/describe-authority.ts";
import { type GrantPorts, resolveGrants } from "../authorities/resolve-grants.ts";
import type { FeatureApproval } from "../feature-host.ts";
import type { Candidate } from "./read-modules.ts";

/** A candidate that may be installed as it is. */
export interface GrantedCandidate extends Candidate {
  readonly grants: AuthorityGrants;
}

/** In their order. The record of each other one says what it lacks. Never rejects. */
export async function decideGrants(
  candidates: readonly Candidate[],
  host: GrantPorts,
): Promise<readonly GrantedCandidate[]> {
  const granted: GrantedCandidate[] = [];
  for (const candidate of candidates) {
    const grants = await grantsOf(candidate, host);
    if (grants !== null) granted.push({ ...candidate, grants });
  }
  return granted;
}

/** Null: nobody has approved it as it is, or something that it requires was not granted. */
async function grantsOf(candidate: Candidate, host: GrantPorts): Promise<AuthorityGrants | null> {
  const { descriptor, digest, record } = candidate;
  // What a feature contributes is approved with its digest, also where it asks for no authority.
  const approval = descriptor.runtime === "builtin" ? null : await approvalOf(candidate, host);
  const asked = { ...host, approvalOf: async () => approval };
  const resolution = await resolveGrants(descriptor, digest, asked);
  record.decided(resolution);
  for (const { authority, required, denial } of resolution.denials) {
    const entry = { kind: "handle" as const, name: describeAuthority(authority), reason: denial };
    if (required) record.skip(entry);
    else record.degrade(entry);
  }
  for (const why of resolution.blockedBy) record.leaveOut("skipped", why);
  return record.out === null ? resolution.grants : null;
}

async function approvalOf(
  { descriptor: { id }, digest, record }: Candidate,
  host: GrantPorts,
): Promise<FeatureApproval | null> {
  try {
    const approval = await host.approvalOf(id, digest);
    if (approval === null) {
      const how = `\`yoi feature show ${id}\` shows it, and \`yoi feature approve ${id}\` approves it`;
      record.leaveOut("skipped", `Nobody has approved ${id} as it is now: ${how}.`);
    }
    return approval;
  } catch (thrown) {
    const why = boundedText(thrown, host);
    record.leaveOut("skipped", `What was decided about ${id} cannot be read: ${why}`);
    return null;
  }
}
