/** Stage: all that one module registers while it is installed. It comes into force as a whole, or not at all. */
import type { Tool } from "@yoi/base";
import type { AuthorityGrants, FeatureInstallContext, FeatureState, SkippedContribution } from "@yoi/feature";
import type { HookRegistry } from "../../hook/registry.ts";
import { makeHandles } from "../authorities/make-handles.ts";
import type { ResolvedService } from "../services/resolve-services.ts";
import { boundedText } from "../../hook/said.ts";
import { FeatureAlerts } from "../sinks/alert-sink.ts";
import { FeatureNotifications } from "../sinks/notification-sink.ts";
import type { FeatureStates } from "../states/feature-states.ts";
import { HookStage } from "./hook-registrar.ts";
import { unlessRefused } from "./host-tool.ts";
import { FeatureLife, type InstallPorts } from "./install-ports.ts";
import type { Candidate } from "./read-modules.ts";
import { Registration } from "./registration.ts";
import { seal } from "../seal.ts";
import { ServiceStage } from "./service-registrar.ts";
import { TaskStage } from "./task-registrar.ts";
import { ToolStage } from "./tool-registrar.ts";

export interface StageOptions {
  readonly candidate: Candidate;
  readonly grants: AuthorityGrants;
  readonly services: readonly ResolvedService[];
  readonly state: FeatureState | null;
  readonly ports: InstallPorts;
}

export class Stage {
  /** What the module is handed. */
  readonly context: FeatureInstallContext;
  readonly #options: StageOptions;
  readonly #life: FeatureLife;
  readonly #registration: Registration;
  readonly #tools: ToolStage;
  readonly #hooks: HookStage;
  readonly #tasks: TaskStage;
  readonly #services: ServiceStage;
  readonly #alerts: FeatureAlerts;
  readonly #notifications: FeatureNotifications;

  constructor(options: StageOptions) {
    const { candidate, grants, services, ports } = options;
    const { descriptor, record } = candidate;
    const { host, pods, hub, tasks } = ports;
    const { id: feature } = descriptor;
    const { diagnostics } = record;
    this.#options = options;
    this.#life = new FeatureLife(ports.podLife);
    this.#registration = new Registration(record, host);
    const registration = this.#registration;
    this.#tools = new ToolStage({ descriptor, grants, registration });
    this.#hooks = new HookStage(descriptor, registration);
    this.#tasks = new TaskStage({
      descriptor,
      registration,
      staged: tasks.stage(feature, diagnostics),
    });
    const resolved = services.map(({ requirement }) => requirement);
    this.#services = new ServiceStage({ descriptor, grants, resolved, hub, registration, life: this.#life });
    const { clock, alerts, notifier } = ports;
    const { redact } = host;
    this.#alerts = new FeatureAlerts({ feature, alerts, diagnostics, clock, redact });
    this.#notifications = new FeatureNotifications({
      feature,
      grants,
      notifier,
      diagnostics,
      skipped: (entry) => record.skip(entry),
      clock,
      redact,
      life: this.#life,
    });
    this.context = seal({
      featureId: feature,
      grants,
      handles: makeHandles(feature, grants, { ...host, pods }, this.#life),
      tools: this.#tools.registrar,
      hooks: this.#hooks.registrar,
      backgroundTasks: this.#tasks.registrar,
      services: this.#services.registrar,
      notifications: this.#notifications.sink,
      alerts: this.#alerts.sink,
      diagnostics: diagnostics.sink,
    });
  }

  /** The installation is over: nothing more can be registered. */
  close(): void {
    this.#registration.close();
  }

  /** What was refused while it was installed, also when the module went on regardless; null: nothing was. */
  get violation(): string | null {
    return this.#registration.violation;
  }

  /** Declared, and not registered. */
  missing(): readonly (SkippedContribution & { readonly required: boolean })[] {
    const { descriptor } = this.#options.candidate;
    const entry = (kind: SkippedContribution["kind"], name: string, required: boolean | undefined) => {
      const reason = `${descriptor.id} declares the ${kind.replace("_", " ")} ${name}, and does not register it.`;
      return { kind, name, reason, required: required === true };
    };
    return [
      ...descriptor.tools
        .filter(({ name, required }) => !this.#tools.has(name) && (required || !this.#tools.wasLeftOut(name)))
        .map(({ name, required }) => entry("tool", name, required)),
      ...descriptor.hooks
        .filter((hook) => !this.#hooks.has(hook))
        .map(({ name, point, required }) => entry("hook", `${name} (${point})`, required)),
      ...descriptor.background_tasks
        .filter(({ name }) => !this.#tasks.has(name))
        .map(({ name, required }) => entry("background_task", name, required)),
      ...descriptor.provides_services
        .filter(({ id }) => !this.#services.has(id))
        .map(({ id, required }) => entry("service", id, required)),
    ];
  }

  get toolNames(): readonly string[] {
    return this.#tools.tools.map(({ definition }) => definition.name);
  }

  /** First half of coming into force: those that require it can be installed. */
  commitServices(): void {
    const { candidate, services } = this.#options;
    this.#services.commit();
    candidate.record.installed({
      tools: this.toolNames,
      hooks: this.#hooks.hooks,
      provides_services: candidate.descriptor.provides_services
        .filter(({ id }) => this.#services.has(id))
        .map(({ id, version }) => ({ id, version })),
      uses_services: services.map(({ requirement, version }) => ({ id: requirement.id, version })),
    });
  }

  /** Second half, in the order of the modules. */
  commit(hooks: HookRegistry, states: FeatureStates): readonly Tool[] {
    const { candidate, grants, state, ports } = this.#options;
    const { descriptor } = candidate;
    const mayAppend =
      descriptor.runtime === "builtin" || grants.granted.some(({ kind }) => kind === "model_notification");
    const { tools } = this.#tools;
    this.#hooks.enter(hooks, { id: descriptor.id, mayAppend });
    this.#tasks.commit();
    this.#alerts.open();
    this.#notifications.open();
    if (descriptor.state === null || state === null) return tools;
    const names = tools.map(({ definition }) => definition.name);
    states.add(descriptor.id, descriptor.state, names, state);
    return tools.map((tool) =>
      unlessRefused(tool, () => {
        const problem = states.problemOf(descriptor.id);
        if (problem === null) return null;
        return boundedText(
          `Nothing was done: ${tool.definition.name} needs the state of ${descriptor.id}. Tell the user, and go on without it. ${problem.message}`,
          ports.host,
        );
      }),
    );
  }

  /** Nothing of it comes into force, and what it still holds is dead. */
  takeBack(): void {
    this.#life.end();
    this.#services.takeBack();
    this.#alerts.close();
    this.#options.candidate.record.diagnostics.close();
  }
}
