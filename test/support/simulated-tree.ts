/** Pods of one simulated data directory, each in a process of its own that can be killed, with children that are Pods like any other. */
import { type PodName, podName, type ScopeRule, YoiError } from "@yoi/base";
import type { PodManagement } from "@yoi/feature";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { boundedBy, manifestToJson, parseManifest, policiesBelow } from "@yoi/manifest";
import { type ChildHost, createAuthorizer, Pod, type PodEvent, type PodServer } from "@yoi/pod";
import {
  createMemoryLease,
  createPodStore,
  hintSuffix,
  hostPurpose,
  type Lease,
  type LeaseTable,
  type PodRecord,
  type PodStore,
} from "@yoi/pod-store";
import { type Connection, type Methods, openPodClient, type PodAbout } from "@yoi/protocol";
import { LiveScope } from "@yoi/scope";
import { openRegistry, type Registry } from "@yoi/scope/registry";
import { createSessionStore, type SegmentView, type SessionStore } from "@yoi/session-store";
import { heldNow, holdersNow, isLentNow, runnerOf } from "../../packages/cli/src/compose/allocations.ts";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { connectionPair, type ConnectionPair } from "./connection-pair.ts";
import { losableRegistry } from "./losable-registry.ts";
import { reachPod, userToken } from "./reach-pod.ts";
import { dataDir, manifestOf, noFeatureHost } from "./simulated-pod.ts";
import { type SimulatedProcess, SimulatedProcesses } from "./simulated-process.ts";
import { managing } from "./tree-requests.ts";
import type { ChildBehaviour, OpenOptions, TreeOptions, TreePod } from "./tree-pod.ts";

export { userToken } from "./reach-pod.ts";
export { aCall, aRequest, lends } from "./tree-requests.ts";
export type { ChildBehaviour, OpenOptions, TreeOptions, TreePod } from "./tree-pod.ts";

const about: PodAbout = {
  version: "0.0.0-sim",
  model: "scripted/sim.yaml",
  workspace: "/w",
  sandbox: "on",
  network: false,
  permission_mode: "allow-in-scope",
  tools: [],
};

interface Served {
  readonly pairs: ConnectionPair[];
  accept: ((connection: Connection) => void) | null;
}

export class SimulatedTree {
  readonly host: MemoryHost;
  readonly leases: LeaseTable = new Map();
  readonly registry: Registry;
  /** Deletes the registry. */
  readonly loseRegistry: () => Promise<void>;
  readonly behaviour = new Map<string, ChildBehaviour>();
  /** Pods whose strays were ended, in order. */
  readonly straysEnded: PodName[] = [];
  /** Pods whose process group was killed by another Pod, in order. */
  readonly groupsEnded: PodName[] = [];
  /** Seen from outside of every process. */
  readonly pods: PodStore;
  readonly sessions: SessionStore;
  readonly lease: Lease;
  readonly #processes: SimulatedProcesses;
  readonly #live = new Map<PodName, TreePod>();
  readonly #served = new Map<PodName, Served>();
  readonly #options: TreeOptions;
  #tokens = 0;

  constructor(options: TreeOptions = {}) {
    this.#options = options;
    this.host = options.host ?? memoryHost({ seed: options.seed ?? 1 });
    this.#processes = new SimulatedProcesses(this.host);
    const { files, clock, timers } = this.host;
    this.pods = createPodStore({ files, clock, dataDir });
    this.sessions = createSessionStore({ files, clock, dataDir });
    const outside = this.#processes.begin();
    const processes = this.#processes.portOf(outside);
    this.lease = createMemoryLease({ table: this.leases, clock, processes });
    const { pods, lease } = this;
    const losable = losableRegistry(() =>
      openRegistry({
        path: ":memory:",
        files,
        clock,
        timers,
        random: this.host.random,
        processes,
        move: () => {
          throw new Error("nothing is moved in memory");
        },
        isHeld: async (name) => (await runnerOf(lease, name)) !== null,
        isLent: (lender, child, loan) => isLentNow({ pods, lease }, lender, child, loan),
        holders: async () => {
          const { leases } = this;
          return holdersNow({
            lease,
            clock,
            files: { list: async () => [...leases.keys()].map((name) => `${name}${hintSuffix}`) },
            locks: "",
          });
        },
        rebuild: () => heldNow({ pods, lease }),
      }),
    );
    this.registry = losable.registry;
    this.loseRegistry = losable.lose;
  }

  /** Those whose process lives. */
  get live(): readonly TreePod[] {
    return [...this.#live.values()].filter(({ process }) => !process.isDead);
  }

  find(name: string): TreePod | null {
    return this.live.find((pod) => pod.name === name) ?? null;
  }

  /** Opens a Pod, new or stored, in a new process. */
  async open(name: string, options: OpenOptions = {}): Promise<TreePod> {
    const key = podName(name);
    const process = this.#processes.begin();
    options.began?.(process);
    const { timers, clock, ids } = this.host;
    const files = process.files(this.host.files);
    const ownTimers = process.timers(timers);
    const processes = this.#processes.portOf(process);
    const isHosted = options.hosted ?? true;
    const events: PodEvent[] = [];
    const setup = { confirmed: 0 };
    let scope: LiveScope | null = null;
    let made: TreePod | null = null;
    const self = (): TreePod => {
      if (made === null) throw new Error(`the Pod ${name} is not open yet`);
      return made;
    };
    const pods = createPodStore({ files, clock, dataDir });
    const sessions = createSessionStore({ files, clock, dataDir });
    const lease = createMemoryLease({ table: this.leases, clock, processes });
    const managed: { pods: PodManagement | null } = { pods: null };
    const opening = Pod.open({
      name: key,
      purpose: isHosted ? hostPurpose : "run",
      version: "0.0.0-sim",
      sessions: this.#options.wrapSessions?.(sessions) ?? sessions,
      pods: this.#options.wrapPods?.(pods) ?? pods,
      lease: process.reach(this.#options.wrapLease?.(lease) ?? lease),
      registry: process.reach(this.#options.wrapRegistry?.(this.registry) ?? this.registry),
      socket: isHosted ? socketOf(key) : null,
      ...(isHosted ? { childHost: process.reach(this.#childHost()) } : {}),
      ports: { clock, timers: ownTimers, ids, processes },
      observer: (event) => events.push(event),
      beginsOwnRuns: options.beginsOwnRuns ?? false,
      setup: async (stored, lent) => {
        const manifest =
          stored === null
            ? (options.manifest ?? manifestOf())
            : (options.change ?? parseManifest(stored.manifest, pods.pathOf(key)));
        const ceiling = lent?.loan.scope ?? manifest.scope;
        const live = new LiveScope(
          ceiling,
          stored?.children.map(({ loan }) => loan),
        );
        scope = live;
        const scripted = openScripted({
          name: "sim.yaml",
          text: options.scenario ?? "steps: []",
          ports: { timers: ownTimers },
        });
        return {
          manifest,
          manifestJson: manifestToJson({ ...manifest, scope: ceiling }),
          model: options.wrapModel?.(scripted) ?? scripted,
          config: { model: "scripted/sim.yaml", max_output_tokens: 1000 },
          tools: options.tools?.(lazily(self)) ?? [],
          guard: (tool) => tool,
          features: [...(isHosted ? [managing(managed)] : []), ...(options.features?.(lazily(self)) ?? [])],
          featureHost: noFeatureHost,
          locate: (path) => path,
          attach: async () => ({ items: [], warnings: [] }),
          recall: () => {},
          readFiles: () => [],
          seed: async () => ({ prompt: "You are simulated.", documents: [] }),
          scope: live,
          lendable: async (rules: readonly ScopeRule[]) => ({
            rules,
            confirm: async () => void (setup.confirmed += 1),
            confirmTargets: () => {},
          }),
          endStrays: async (pod: PodName) => {
            this.straysEnded.push(pod);
            return 0;
          },
          release: async () => {},
        };
      },
    });
    // A process whose Pod does not open has nothing else to do.
    const pod = await process.await(opening).catch((error: unknown) => {
      process.kill();
      throw error;
    });
    if (scope === null) throw new Error("a Pod was opened without its setup");
    made = {
      name: key,
      process,
      pod,
      scope,
      setup,
      events,
      get manage() {
        if (managed.pods === null) throw new Error(`the Pod ${name} manages no others`);
        return process.reach(managed.pods);
      },
      end: () => this.#end(self()),
    };
    if (isHosted) await process.await(this.#serve(made));
    this.#live.set(key, made);
    return made;
  }

  /** Lets virtual time pass until `work` has ended: for what waits, a child's end above all. */
  async through<T>(work: Promise<T>): Promise<T> {
    const over = { yet: false };
    const end = (): void => void (over.yet = true);
    work.then(end, end);
    while (!over.yet) await this.host.advance(25);
    return work;
  }

  /** SIGKILL. */
  kill(name: string): void {
    const pod = this.find(name);
    if (pod === null) throw new Error(`no process has the Pod ${name}`);
    this.#gone(pod);
  }

  /** What somebody with a child's token says at a Pod's socket. */
  async say(to: string, token: string, params: Methods["pod_event"]["params"]): Promise<void> {
    const client = await openPodClient({
      connect: async () => this.connect(podName(to)),
      hello: async () => ({ role: "child", token, stream: false }),
    });
    try {
      await client.call("pod_event", params);
    } finally {
      client.close();
    }
  }

  async record(name: string): Promise<PodRecord> {
    const record = await this.pods.read(podName(name));
    if (record === null) throw new Error(`there is no Pod ${name}`);
    return record;
  }

  /** The log of a Pod, as it is on the disk. */
  async log(name: string): Promise<SegmentView> {
    const { pointer } = await this.record(name);
    if (pointer.state !== "active") throw new Error(`the Pod ${name} has no log yet`);
    return this.sessions.read(pointer);
  }

  #gone(pod: TreePod): void {
    pod.process.kill();
    if (this.#live.get(pod.name) === pod) this.#live.delete(pod.name);
  }

  /** A process that died by itself. */
  bury(pod: TreePod): void {
    this.#gone(pod);
  }

  async #end(pod: TreePod): Promise<void> {
    await pod.process.await(pod.pod.stopChildren());
    await pod.process.await(pod.pod.close("shutdown"));
    this.#gone(pod);
  }

  async #serve({ name, pod, process }: TreePod): Promise<PodServer> {
    const served: Served = { pairs: [], accept: null };
    this.#served.set(name, served);
    // As every descriptor of a process that ends.
    void process.died.promise.then(() => {
      for (const { server } of served.pairs) server.destroy();
      if (this.#served.get(name) === served) this.#served.delete(name);
    });
    const server = await pod.serve({
      about,
      listen: async (taker) => {
        served.accept = taker;
        return { close: async () => void (served.accept = null) };
      },
      authorize: createAuthorizer({
        userToken: async () => userToken,
        childOf: (digest) => pod.childOf(digest),
      }),
      timers: process.timers(this.host.timers),
      redact: (text) => text,
      shutdown: () => {
        const self = this.find(name);
        if (self !== null && this.behaviour.get(name)?.shutdown !== "ignored") void self.end();
      },
    });
    pod.reachParent({
      connect: async (parent) => {
        const connection = this.connect(parent);
        void process.died.promise.then(() => connection.destroy());
        return connection;
      },
      random: this.host.random,
    });
    return server;
  }

  /** As whoever finds its socket. */
  connect(name: PodName): Connection {
    const served = this.#served.get(name);
    if (served === undefined || served.accept === null || this.behaviour.get(name)?.reach === "refused")
      throw new YoiError("pod_unreachable", `No process hosts the Pod ${name}.`);
    const pair = connectionPair();
    served.pairs.push(pair);
    served.accept(pair.server);
    return pair.client;
  }

  #childHost(): ChildHost {
    return {
      childManifest: async ({ parent, lender, loan }) =>
        manifestToJson({ ...boundedBy(parent, parent, policiesBelow(lender, parent)), scope: loan.scope }),
      start: (name, signal) => this.#start(name, signal),
      reach: (name, role) =>
        reachPod(name, role, { connect: () => this.connect(name), timers: this.host.timers }),
      socketOf,
      endGroup: (identity) => {
        const process = this.#processes.find(identity);
        if (process === null || process.isDead) return false;
        const pod = this.live.find((one) => one.process === process);
        if (pod === undefined) process.kill();
        else {
          this.groupsEnded.push(pod.name);
          this.#gone(pod);
        }
        return true;
      },
      secureBytes: (count) => new Uint8Array(count).fill((this.#tokens += 1)),
    };
  }

  async #start(
    name: PodName,
    signal: AbortSignal,
  ): Promise<{ readonly pid: number; readonly socket: string; readonly warnings: readonly string[] }> {
    const behaviour = this.behaviour.get(name) ?? {};
    if (behaviour.start === "throws")
      throw new YoiError("io_failed", `The process of ${name} did not begin.`);
    let process: SimulatedProcess | null = null;
    const options: OpenOptions = {
      ...behaviour.open,
      began: (begun) => {
        process = begun;
        behaviour.open?.began?.(begun);
        if (behaviour.start === "dies") begun.killAt = () => "before";
      },
    };
    const opened = behaviour.start === "hangs" ? new Promise<never>(() => {}) : this.open(name, options);
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => {});
    const stop = (): void => {
      const pod = this.find(name);
      if (pod !== null) this.#gone(pod);
      process?.kill();
      aborted.reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const begun = process as SimulatedProcess | null;
      const died = begun?.died.promise.then(() => {
        throw new YoiError("io_failed", `The process of ${name} ended before it was ready.`);
      });
      const pod = await Promise.race([opened, aborted.promise, ...(died === undefined ? [] : [died])]);
      return { pid: pod.process.identity.pid, socket: socketOf(name), warnings: [] };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

function socketOf(name: PodName): string {
  return `/run/${name}`;
}

/** What a tool is handed before its Pod is open: looked up when it is called. */
function lazily(self: () => TreePod): TreePod {
  return new Proxy({} as TreePod, { get: (_, key) => Reflect.get(self(), key) as unknown });
}
