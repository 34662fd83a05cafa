/** Installs the features of a Pod: all of them once, while it opens, and none later. */
import type { Clock, Timers, Tool } from "@yoi/base";
import type { FeatureId, FeatureInstallReport, FeatureModule, PodManagement } from "@yoi/feature";
import type { Alert, Alerts } from "../alert/alerts.ts";
import type { HookRegistry } from "../hook/registry.ts";
import { BackgroundTasks } from "./background/background-tasks.ts";
import type { FeatureHost } from "./feature-host.ts";
import type { FeatureRecord } from "./install/feature-record.ts";
import { decideGrants, type GrantedCandidate } from "./install/decide-grants.ts";
import { installOne } from "./install/install-one.ts";
import { FeatureLife, type InstallPorts } from "./install/install-ports.ts";
import { preflight } from "./install/preflight.ts";
import { type Candidate, readModules } from "./install/read-modules.ts";
import type { Stage } from "./install/stage.ts";
import type { ServiceRefusal } from "./services/refusals.ts";
import { resolveServices, type ServiceResolution } from "./services/resolve-services.ts";
import { ServiceHub } from "./services/service-hub.ts";
import { AboutFeature } from "./sinks/about-feature.ts";
import type { Notifier } from "./sinks/notifier.ts";
import { type SwitchedOff, switchedOn } from "./switched-off.ts";
import { FeatureStates } from "./states/feature-states.ts";

/** How long the `install` of all together may take: no Pod opens before. */
export const installsMsMax = 20_000;

export interface InstallRequest {
  /** Their order is that of their hooks, and of who keeps a name that two want. */
  readonly modules: readonly FeatureModule[];
  /** Absent: none is. */
  readonly switchedOff?: SwitchedOff;
  /** Those that the model has without any feature: no feature may take one of their names. */
  readonly existingTools: readonly Tool[];
  /** Still open. */
  readonly hooks: HookRegistry;
  readonly host: FeatureHost;
  readonly alerts: Alerts;
  /** What features tell the model. */
  readonly notifier: Notifier;
  /** Null: this process begins no children. */
  readonly pods: PodManagement | null;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

/** The features that are in force, until they are stopped. */
export interface InstalledFeatures {
  readonly tools: readonly Tool[];
  /** One for each module, in their order, as of now. */
  readonly reports: readonly FeatureInstallReport[];
  readonly states: FeatureStates;
  /** The feature that has the tool; null: none. */
  ownerOf(tool: string): FeatureId | null;
  /** Says something of a feature, in its report and to people; of `host`, to people. At most so many alerts of a feature in a minute. */
  about(owner: string, level: Alert["level"], problem: string): void;
  /** Starts the background tasks. Once, when the Pod is ready. */
  start(): void;
  /** Aborts the background tasks, and waits for them for 2 s at most. What features were handed can still be used. */
  stop(): Promise<void>;
  /** Ends every handle and service: when nothing of a feature is asked any more. */
  end(): void;
}

/** Never rejects for what a module does: each one's report says what became of it. */
export async function installFeatures(request: InstallRequest): Promise<InstalledFeatures> {
  const { host, alerts, notifier, pods, clock, timers, hooks } = request;
  const ports: InstallPorts = {
    host,
    alerts,
    notifier,
    pods,
    clock,
    timers,
    hub: new ServiceHub({ timers, redact: host.redact }),
    tasks: new BackgroundTasks({ timers, alerts, redact: host.redact }),
    podLife: new FeatureLife(null),
  };
  const { records, candidates } = readModules(request.modules, host);
  const wanted = switchedOn(candidates, request.switchedOff ?? (() => null));
  const granted = await decideGrants(wanted, { ...host, managesPods: pods !== null });
  const accepted = preflight(granted, request.existingTools);
  const resolution = await resolveServices(accepted.map(({ descriptor }) => descriptor));
  const stages = await installInOrder(accepted, resolution, ports);

  const states = new FeatureStates();
  const tools = accepted.flatMap(({ descriptor: { id } }) => stages.get(id)?.commit(hooks, states) ?? []);
  for (const record of records) alertOf(record, alerts);
  const owners = new Map<string, FeatureId>();
  const told = new Map<string, AboutFeature>();
  for (const { descriptor, record } of accepted) {
    const { id: feature } = descriptor;
    told.set(feature, new AboutFeature({ feature, alerts, diagnostics: record.diagnostics, clock }));
    for (const name of stages.get(feature)?.toolNames ?? []) owners.set(name, feature);
  }
  return Object.freeze<InstalledFeatures>({
    tools: Object.freeze(tools),
    get reports() {
      return Object.freeze(
        records.map((record) => record.report(ports.tasks, states.problemOf(record.shown.feature))),
      );
    },
    states,
    ownerOf: (tool) => owners.get(tool) ?? null,
    about: (owner, level, problem) => {
      const feature = told.get(owner);
      if (feature === undefined) alerts.raise(level, owner, problem);
      else feature.say(level, problem);
    },
    start: () => ports.tasks.start(),
    stop: () => ports.tasks.stop(),
    end: () => {
      ports.podLife.end();
      ports.hub.close();
    },
  });
}

/** Providers before consumers: a consumer is judged by what has become of its providers. */
async function installInOrder(
  accepted: readonly GrantedCandidate[],
  { order, blocked, degraded, resolved }: ServiceResolution,
  ports: InstallPorts,
): Promise<ReadonlyMap<FeatureId, Stage>> {
  const byId = new Map(accepted.map((candidate) => [candidate.descriptor.id, candidate]));
  for (const [id, refusals] of blocked) withoutServices(byId.get(id), refusals, true);
  for (const [id, refusals] of degraded) withoutServices(byId.get(id), refusals, false);
  const stages = new Map<FeatureId, Stage>();
  const end = ports.clock.monotonic() + installsMsMax;
  for (const id of order) {
    const candidate = byId.get(id);
    if (candidate === undefined) continue;
    const msLeft = end - ports.clock.monotonic();
    if (msLeft <= 0) {
      candidate.record.leaveOut(
        "skipped",
        `${id} is not installed: the features before it took the ${installsMsMax} ms that all have together.`,
      );
      continue;
    }
    const stage = await installOne(candidate, resolved.get(id) ?? [], ports, msLeft);
    if (stage !== null) stages.set(id, stage);
  }
  return stages;
}

function withoutServices(
  candidate: Candidate | undefined,
  refusals: readonly ServiceRefusal[],
  isBlocked: boolean,
): void {
  if (candidate === undefined) return;
  const { record } = candidate;
  for (const { service, why } of refusals) {
    const entry = { kind: "service" as const, name: service, reason: why };
    if (isBlocked) {
      record.skip(entry);
      record.leaveOut("skipped", why);
    } else {
      record.degrade(entry);
    }
  }
}

/** A person is told of what is not as it should be, once for each feature; the report has the rest. */
function alertOf(record: FeatureRecord, alerts: Alerts): void {
  if (record.isSwitchedOff) return;
  const error = record.diagnostics.all.find(({ severity }) => severity === "error");
  const { feature } = record.shown;
  if (record.out !== null) alerts.raise("error", feature, `The feature is not installed. ${record.out}`);
  else if (error !== undefined) alerts.raise("error", feature, error.message);
}
