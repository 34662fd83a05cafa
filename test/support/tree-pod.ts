/** What a simulated tree is made of: its Pods, how they are opened, and how children of it behave. */
import type { PodName, Tool } from "@yoi/base";
import type { FeatureModule, PodManagement } from "@yoi/feature";
import type { MemoryHost } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import type { Model } from "@yoi/model";
import type { Pod, PodEvent } from "@yoi/pod";
import type { Lease, PodStore } from "@yoi/pod-store";
import type { LiveScope } from "@yoi/scope";
import type { Registry } from "@yoi/scope/registry";
import type { SessionStore } from "@yoi/session-store";
import type { SimulatedProcess } from "./simulated-process.ts";

export interface OpenOptions {
  /** Of a new Pod. */
  readonly manifest?: Manifest;
  /** In place of the stored one, as when the configuration has changed. */
  readonly change?: Manifest;
  /** YAML. Default: a model that answers nothing. */
  readonly scenario?: string;
  readonly wrapModel?: (model: Model) => Model;
  readonly tools?: (pod: TreePod) => readonly Tool[];
  readonly features?: (pod: TreePod) => readonly FeatureModule[];
  /** Takes clients and can have children. Default: true. */
  readonly hosted?: boolean;
  /** Default: a notice waits for a run that somebody asks for. */
  readonly beginsOwnRuns?: boolean;
  /** Called with its process before anything is opened in it. */
  readonly began?: (process: SimulatedProcess) => void;
}

/** A Pod that runs in its process. */
export interface TreePod {
  readonly name: PodName;
  readonly process: SimulatedProcess;
  readonly pod: Pod;
  /** What it holds now. */
  readonly scope: LiveScope;
  readonly setup: { readonly confirmed: number };
  readonly events: readonly PodEvent[];
  /** Its children and peers, as a feature of it is handed them. Throws where it is not hosted. */
  readonly manage: PodManagement;
  /** Its orderly end: children first, as its host does. */
  end(): Promise<void>;
}

/** How children behave, by name. */
export interface ChildBehaviour {
  readonly start?: "throws" | "hangs" | "dies";
  readonly shutdown?: "ignored";
  /** It takes clients, and none gets through. */
  readonly reach?: "refused";
  /** What it is opened with. */
  readonly open?: OpenOptions;
}

export interface TreeOptions {
  readonly seed?: number;
  readonly host?: MemoryHost;
  /** Stands between every process and its store, for planted faults. */
  readonly wrapPods?: (pods: PodStore) => PodStore;
  readonly wrapLease?: (lease: Lease) => Lease;
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
  readonly wrapRegistry?: (registry: Registry) => Registry;
}
