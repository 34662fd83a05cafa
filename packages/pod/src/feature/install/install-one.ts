/** Installs one module, as one transaction: all of it is in force afterwards, or nothing. */
import type { AuthorityGrants } from "@yoi/feature";
import type { ResolvedService } from "../services/resolve-services.ts";
import { boundedText } from "../../hook/said.ts";
import type { InstallPorts } from "./install-ports.ts";
import type { GrantedCandidate } from "./decide-grants.ts";
import type { Candidate } from "./read-modules.ts";
import { readState } from "./read-state.ts";
import { Stage } from "./stage.ts";
import { within } from "./within.ts";

/** How long `install` of one module may take. */
export const installMsMax = 5_000;

/**
 * Null: it is not installed, and its record says why. Never rejects for what a module does.
 * @param msLeft how long its `install` may take at most, though it would have more.
 */
export async function installOne(
  candidate: GrantedCandidate,
  resolved: readonly ResolvedService[],
  ports: InstallPorts,
  msLeft: number,
): Promise<Stage | null> {
  const { module, record, grants } = candidate;
  const services = servicesOf(candidate, grants, resolved, ports);
  if (record.out !== null) return null;
  const stage = stageOf(candidate, grants, services, ports);
  if (stage === null) return null;
  let thrown: { readonly why: string } | null = null;
  try {
    await within(ports.timers, Math.min(installMsMax, msLeft), () => module.install(stage.context));
  } catch (error) {
    thrown = { why: boundedText(error, ports.host) };
  }
  stage.close();
  const why = stage.violation ?? thrown?.why ?? null;
  if (why === null) account(candidate, stage);
  else record.leaveOut("failed", `${record.shown.feature} could not be installed: ${why}`);
  if (record.out === null) {
    stage.commitServices();
    return stage;
  }
  stage.takeBack();
  return null;
}

/** Those of its services that are in force now and that it may have. */
function servicesOf(
  { descriptor: { id }, record }: Candidate,
  grants: AuthorityGrants,
  resolved: readonly ResolvedService[],
  { hub }: InstallPorts,
): readonly ResolvedService[] {
  return resolved.filter(({ requirement, provider }) => {
    const refusal = hub.refusal({ id, grants }, requirement);
    if (refusal === null) return true;
    const reason =
      hub.provider(requirement.id) === null
        ? `${id} requires the service ${requirement.id} of ${provider}, which is not there: see the report of ${provider}.`
        : refusal;
    const entry = { kind: "service" as const, name: requirement.id, reason };
    if (requirement.required) {
      record.skip(entry);
      record.leaveOut("skipped", reason);
    } else {
      record.degrade(entry);
    }
    return false;
  });
}

function stageOf(
  candidate: Candidate,
  grants: AuthorityGrants,
  services: readonly ResolvedService[],
  ports: InstallPorts,
): Stage | null {
  const { descriptor, module, record } = candidate;
  try {
    const state = readState(descriptor, module);
    return new Stage({ candidate, grants, services, state, ports });
  } catch (thrown) {
    record.leaveOut("failed", `${descriptor.id} could not be installed: ${boundedText(thrown, ports.host)}`);
    return null;
  }
}

/** What was declared is there, or it is said. */
function account({ descriptor, record }: Candidate, stage: Stage): void {
  for (const { required, ...entry } of stage.missing()) {
    if (!required) {
      record.degrade(entry);
      continue;
    }
    record.skip(entry);
    record.leaveOut("failed", `${descriptor.id} could not be installed: ${entry.reason}`);
  }
}
