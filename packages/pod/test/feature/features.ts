/** Features for tests: descriptors, modules and one way to install them. */
import type { Tool, ToolDefinition } from "@yoi/base";
import {
  type FeatureDescriptor,
  featureId,
  type FeatureInstallContext,
  type FeatureInstallReport,
  type FeatureModule,
  type PodManagement,
  type ServiceDeclaration,
  type ServiceRequirement,
  serviceId,
  type ToolDeclaration,
} from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { Alerts } from "../../src/alert/alerts.ts";
import type { FeatureHost } from "../../src/feature/feature-host.ts";
import { installFeatures } from "../../src/feature/install-features.ts";
import type { SwitchedOff } from "../../src/feature/switched-off.ts";
import { HookRegistry } from "../../src/hook/registry.ts";

export type Install = FeatureModule["install"];

export function descriptorOf(id: string, fields: Partial<FeatureDescriptor> = {}): FeatureDescriptor {
  return {
    id: featureId(id),
    runtime: id.startsWith("builtin:") ? "builtin" : "external_plugin",
    display_name: `The feature ${id}`,
    version: "1.0.0",
    description: "For a test.",
    authorities: [],
    tools: [],
    hooks: [],
    background_tasks: [],
    provides_services: [],
    requires_services: [],
    state: null,
    ...fields,
  };
}

export function moduleOf(descriptor: FeatureDescriptor, install: Install = () => {}): FeatureModule {
  return { descriptor, install };
}

export function declared(name: string, fields: Partial<ToolDeclaration> = {}): ToolDeclaration {
  return {
    name,
    description: `What ${name} does.`,
    input_schema: { type: "object", properties: { text: { type: "string" } } },
    read_only: false,
    ...fields,
  };
}

/** The tool of a declaration. */
export function toolOf(declaration: ToolDeclaration, fields: Partial<Tool> = {}): Tool {
  const { name, description, input_schema, read_only } = declaration;
  const definition: ToolDefinition = { name, description, input_schema };
  return {
    definition,
    readOnly: read_only,
    execute: async () => ({ summary: `${name} ran` }),
    ...fields,
  };
}

export function service(id: string, fields: Partial<ServiceDeclaration> = {}): ServiceDeclaration {
  const nothing = {
    version: "1.0.0",
    description: "For a test.",
    methods: ["get"],
    carries_authority: false,
  };
  return { id: serviceId(id), ...nothing, ...fields };
}

export function requires(id: string, required = true): ServiceRequirement {
  return { id: serviceId(id), version: "*", required, reason: "For a test." };
}

/** Whatever is asked for is approved. */
export const approving: FeatureHost = {
  approvalOf: async () => ({ granted: [] }),
  files: () => ({ read: async () => "", write: async () => {}, list: async () => [] }),
  fetch: () => ({ get: async () => ({ status: 200, headers: {}, text: "", truncated: false }) }),
  secret: (id) => ({ id, read: async () => "hunter2" }),
  state: () => ({ read: async () => null, write: async () => 1 }),
  redact: (text) => text.replaceAll("hunter2", "[redacted: pin]"),
};

const refused = async () => {
  throw new Error("nobody asks other Pods for anything here");
};
export const noPods: PodManagement = {
  spawn: refused,
  send: refused,
  read: refused,
  stop: refused,
  list: refused,
  restore: refused,
  sendToPeer: refused,
};

export interface Setup {
  readonly existingTools?: readonly Tool[];
  readonly host?: Partial<FeatureHost>;
  /** Default: this process begins no children. */
  readonly pods?: PodManagement;
  readonly hooks?: HookRegistry;
  readonly switchedOff?: SwitchedOff;
}

/** Virtual time: `machine.advance` is the only clock there is. */
export function startInstall(modules: readonly FeatureModule[], setup: Setup = {}) {
  const machine = memoryHost({ seed: 1 });
  const hooks = setup.hooks ?? new HookRegistry();
  const alerts = new Alerts({ clock: machine.clock, told: () => {} });
  const notified: (readonly [feature: string, message: string])[] = [];
  const installing = installFeatures({
    modules,
    ...(setup.switchedOff === undefined ? {} : { switchedOff: setup.switchedOff }),
    existingTools: setup.existingTools ?? [],
    hooks,
    host: { ...approving, ...setup.host },
    alerts,
    notifier: {
      notify: async (feature, message) => {
        notified.push([feature, message]);
        return { duplicate: false };
      },
      position: () => null,
      keepPosition: async () => {},
    },
    pods: setup.pods ?? null,
    clock: machine.clock,
    timers: machine.timers,
  });
  return { installing, machine, hooks, alerts, notified };
}

export async function install(modules: readonly FeatureModule[], setup: Setup = {}) {
  const { installing, ...around } = startInstall(modules, setup);
  return { ...(await installing), installed: await installing, ...around };
}

/** One feature, installed alone. */
export async function installAlone(descriptor: FeatureDescriptor, run: Install, setup: Setup = {}) {
  const { installed, ...around } = await install([moduleOf(descriptor, run)], setup);
  return { ...around, installed, report: reportOf(installed.reports, descriptor.id) };
}

export function reportOf(reports: readonly FeatureInstallReport[], id: string): FeatureInstallReport {
  const report = reports.find(({ feature }) => feature === id);
  if (report === undefined) throw new Error(`no report of ${id}`);
  return report;
}

/** What `run` throws, as data; "nothing" when it does not. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return "nothing";
  } catch (error) {
    if (!(error instanceof Error)) return error;
    return "code" in error ? [error.code, error.message] : error.message;
  }
}

/** A list that says it has so many elements, and has none. */
export function holes(length: number): readonly unknown[] {
  return Object.assign([], { length });
}

export type Context = FeatureInstallContext;
