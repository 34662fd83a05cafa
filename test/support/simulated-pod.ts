/** A Pod on a simulated machine: memory disk, virtual time, scripted model, tools whose effects are counted outside of the machine. */
import {
  podName,
  type JsonObject,
  type PodName,
  type RequestConfig,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "@yoi/base";
import type { Host, MemoryHost } from "@yoi/host";
import { compactionDefault, type Manifest, manifestSchema, manifestToJson } from "@yoi/manifest";
import type { Model } from "@yoi/model";
import type { FeatureModule } from "@yoi/feature";
import { type FeatureHost, type OpenPodOptions, Pod, type PodObserver, type PodSetup } from "@yoi/pod";
import { createMemoryLease, createPodStore, type LeaseTable } from "@yoi/pod-store";
import { LiveScope } from "@yoi/scope";
import { openRegistry, type Registry } from "@yoi/scope/registry";
import { createSessionStore, type SessionStore } from "@yoi/session-store";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import type { OwnRuns } from "./own-runs.ts";

export const simulatedPod = podName("sim");
export const dataDir = "/data";

/** What is outside of the machine and survives every crash: how often each call had its effect. */
export class World {
  readonly effects = new Map<string, number>();

  happen(what: string): void {
    this.effects.set(what, (this.effects.get(what) ?? 0) + 1);
  }
}

/** A tool with one effect a call, named by its argument. It waits on the virtual clock, so that a crash can hit it in the middle. */
export function effectTool(world: World, host: MemoryHost, name = "Effect"): Tool {
  return {
    definition: {
      name,
      description: "Has one effect on the world.",
      input_schema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    },
    readOnly: false,
    claim: ({ lane }) => (lane === undefined ? null : { path: `/${String(lane)}`, mode: "exclusive" }),
    execute: async (args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
      await Promise.resolve();
      if (host.crashed) return new Promise(() => {});
      world.happen(String(args["what"]));
      context.progress("half way");
      return { summary: `did ${String(args["what"])}`, content: `as ${context.call}` };
    },
  };
}

export function manifestOf(overrides: Partial<Manifest> = {}): Manifest {
  return {
    schema: manifestSchema,
    workspace: "/w",
    model: { provider: "scripted", id: "sim.yaml" },
    scope: { allow: [{ target: "/w", permission: "write", recursive: true }], deny: [] },
    permissions: { mode: "allow-in-scope", rules: [] },
    sandbox: { mode: "on", network: false },
    limits: { max_turns: null, tool_output_bytes: 64 * 1024, file_upload_bytes: 262_144 },
    web: { allow_private_addresses: false, fetch: null, search: null },
    session: { record_event_trace: false },
    compaction: compactionDefault,
    worker: { language: null, instructions: [] },
    features: {
      task: { enabled: true, origin: "built-in" },
      pods: { enabled: true, origin: "built-in" },
      tickets: { enabled: false, origin: "built-in" },
    },
    tickets: { role: "intake", close: false },
    skills: { enabled: true },
    profile: null,
    ...overrides,
  };
}

export interface SimulatedOptions {
  /** That of this machine, where real time and a real disk are what is measured. */
  readonly host: Host;
  /** Default: `dataDir`. */
  readonly dataDir?: string;
  readonly leases: LeaseTable;
  /** Default: `simulatedPod`. */
  readonly name?: PodName;
  /** YAML. */
  readonly scenario: string;
  readonly tools: readonly Tool[];
  readonly manifest?: Manifest;
  readonly config?: RequestConfig;
  /** Of a Pod that begins now. */
  readonly prompt?: string;
  readonly observer?: PodObserver;
  /** Default: nobody can be asked. */
  readonly canAsk?: boolean;
  /** Default: those of the host. */
  readonly ports?: Partial<OpenPodOptions["ports"]>;
  /** Default: true. */
  readonly beginsOwnRuns?: boolean;
  /** Is told of runs that begin by themselves. */
  readonly ownRuns?: OwnRuns;
  /** Default: one of its own. */
  readonly registry?: Registry;
  readonly committed?: NonNullable<OpenPodOptions["committed"]>;
  /** Default: no path leads through a link. */
  readonly locate?: (path: string) => string;
  /** Default: nothing is attached. */
  readonly attach?: PodSetup["attach"];
  readonly recall?: PodSetup["recall"];
  /** Default: no file was read. */
  readonly readFiles?: PodSetup["readFiles"];
  /** Default: the model itself. */
  readonly compactor?: NonNullable<PodSetup["compactor"]>;
  readonly filesBack?: NonNullable<PodSetup["filesBack"]>;
  /** Default: the Pod has none. */
  readonly shell?: NonNullable<PodSetup["shell"]>;
  readonly forgetLimits?: NonNullable<PodSetup["forgetLimits"]>;
  /** Default: answers are kept for their session only. */
  readonly granting?: NonNullable<PodSetup["granting"]>;
  /** Default: none. */
  readonly features?: readonly FeatureModule[];
  /** Default: nothing is approved, and there are no handles. */
  readonly featureHost?: Partial<FeatureHost>;
  /** Stands between the Pod and its model or store, for planted faults and probes. */
  readonly wrapModel?: (model: Model) => Model;
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
}

export function simulatedStores(host: Host, leases: LeaseTable, at = dataDir) {
  const { files, clock, processes } = host;
  return {
    sessions: createSessionStore({ files, clock, dataDir: at }),
    pods: createPodStore({ files, clock, dataDir: at }),
    lease: createMemoryLease({ table: leases, clock, processes }),
    registry: openRegistry({
      ...host,
      path: ":memory:",
      move: absent,
      isHeld: async () => false,
      isLent: async () => true,
      holders: async () => [],
      rebuild: async () => [],
    }),
  };
}

const absent = (): never => {
  throw new Error("no such handle here");
};
export const noFeatureHost: FeatureHost = {
  approvalOf: async () => null,
  files: absent,
  fetch: absent,
  secret: absent,
  state: absent,
  redact: (text) => text,
};

export function openSimulated(options: SimulatedOptions): Promise<Pod> {
  const { host, leases, scenario, tools } = options;
  const stores = simulatedStores(host, leases, options.dataDir);
  const manifest = options.manifest ?? manifestOf();
  const scripted = openScripted({ name: "sim.yaml", text: scenario, ports: { timers: host.timers } });
  const model = options.wrapModel?.(scripted) ?? scripted;
  const open: OpenPodOptions = {
    name: options.name ?? simulatedPod,
    purpose: "run",
    version: "0.0.0-sim",
    ...stores,
    sessions: options.wrapSessions?.(stores.sessions) ?? stores.sessions,
    registry: options.registry ?? stores.registry,
    socket: null,
    ports: {
      clock: host.clock,
      timers: host.timers,
      ids: host.ids,
      processes: host.processes,
      ...options.ports,
    },
    canAsk: options.canAsk ?? false,
    observer: (event) => {
      options.ownRuns?.observe(event);
      options.observer?.(event);
    },
    beginsOwnRuns: options.beginsOwnRuns ?? true,
    committed: (entries) => {
      options.ownRuns?.committed(entries);
      options.committed?.(entries);
    },
    setup: async (stored) => ({
      manifest,
      manifestJson: manifestToJson(manifest),
      model,
      config: options.config ?? { model: "scripted/sim.yaml", max_output_tokens: 1000 },
      tools,
      guard: (tool) => tool,
      features: options.features ?? [],
      featureHost: { ...noFeatureHost, ...options.featureHost },
      locate: options.locate ?? ((path) => path),
      attach: options.attach ?? (async () => ({ items: [], warnings: [] })),
      recall: options.recall ?? (() => {}),
      readFiles: options.readFiles ?? (() => []),
      ...(options.compactor === undefined ? {} : { compactor: options.compactor }),
      ...(options.filesBack === undefined ? {} : { filesBack: options.filesBack }),
      ...(options.shell === undefined ? {} : { shell: options.shell }),
      ...(options.granting === undefined ? {} : { granting: options.granting }),
      ...(options.forgetLimits === undefined ? {} : { forgetLimits: options.forgetLimits }),
      seed: async () => ({ prompt: options.prompt ?? "You are simulated.", documents: [] }),
      runProgram: () => Promise.reject(new Error("no programs here")),
      scope: new LiveScope(
        manifest.scope,
        stored?.children.map(({ loan }) => loan),
      ),
      lendable: async (rules) => ({ rules, confirm: async () => {}, confirmTargets: () => {} }),
      endStrays: async () => 0,
      release: async () => {},
    }),
  };
  return Pod.open(open);
}
