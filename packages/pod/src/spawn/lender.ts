/** Lender: what the parts of spawn share of the Pod that lends, as narrow ports. */
import type { Clock, Ids, PodName, ScopeRule, SegmentId, Timers } from "@yoi/base";
import type { Processes } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import type { Lease, PodStore } from "@yoi/pod-store";
import type { LiveScope } from "@yoi/scope";
import type { Registry } from "@yoi/scope/registry";
import type { SessionStore } from "@yoi/session-store";
import type { Lendable } from "@yoi/tools";
import type { ChildHost } from "./child-host.ts";
import type { OwnRecord } from "./own-record.ts";
import type { PodRef } from "./same-pod.ts";
import type { TreeBudget } from "./tree-budget.ts";

/** A Pod without parent has depth 0. */
export const depthMax = 4;

/** What the model is told of a child, once: `submission` names it over crashes. */
export interface ChildNotice {
  readonly child: PodName;
  readonly message: string;
  readonly reason: string;
  readonly submission: string;
  /** The Pod did it itself: it begins no run. */
  readonly quiet: boolean;
}

export interface Lender {
  readonly name: PodName;
  /** Its own metadata: which loans are open. */
  readonly record: OwnRecord;
  /** What it holds now: without what it lends. */
  readonly scope: LiveScope;
  readonly manifest: Manifest;
  /** What it and its children may use; null: as much as it takes. */
  readonly budget: Pick<TreeBudget, "left" | "leftFor"> | null;
  /** What the child used is on record from then on. */
  readonly keepSpent: (child: PodRef) => Promise<void>;
  readonly sessions: Pick<SessionStore, "readLast" | "removeSession">;
  readonly pods: PodStore;
  readonly lease: Lease;
  readonly registry: Registry;
  /** Null: this process begins and ends no children. */
  readonly host: ChildHost | null;
  readonly ports: {
    readonly processes: Processes;
    readonly clock: Clock;
    readonly timers: Timers;
    readonly ids: Ids;
  };
  /** Where it takes clients; null: nowhere. */
  readonly socket: string | null;
  /** Of its own log, as it is now. */
  readonly segment: () => SegmentId;
  /** Rules of a lend, as their targets really lie. Throws loan_refused. */
  readonly lendable: (rules: readonly ScopeRule[]) => Promise<Lendable>;
  /** Ends what earlier owners of a Pod left running. Under its lease. */
  readonly endStrays: (pod: PodName) => Promise<number>;
  /** Resolves when it is durable. Throws inbox_full. */
  readonly tell: (notice: ChildNotice) => Promise<unknown>;
  /** A notice of that name was accepted before. */
  readonly isTold: (submission: string) => boolean;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}
