/** What a Pod is opened with: stores and ports from the process, and, once the lease is held, what this Pod runs with. */
import type {
  Clock,
  CommittedItem,
  Entry,
  Ids,
  JsonObject,
  PodName,
  RequestConfig,
  ScopeRule,
  Timers,
  Tool,
} from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import type { Processes } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import type { Model } from "@yoi/model";
import type { Lease, PodRecord, PodStore, RunnerPurpose } from "@yoi/pod-store";
import type { LiveScope } from "@yoi/scope";
import type { Registry } from "@yoi/scope/registry";
import type { SessionStore } from "@yoi/session-store";
import type { Attach, CompletePath, FilesBack, Lendable, ShownRecord } from "@yoi/tools";
import type { Granting } from "./approval/granting.ts";
import type { PodObserver } from "./drive/pod-event.ts";
import type { FeatureHost } from "./feature/feature-host.ts";
import type { SessionSeed } from "./restore/open-session.ts";
import type { ChildHost } from "./spawn/child-host.ts";
import type { Lent } from "./spawn/lent-to.ts";
import type { CommandShell } from "./turn/user-commands.ts";

/** Resolved under the lease, from what is stored of the Pod (null for a new one). Throwing leaves everything as it was. */
export interface PodSetup {
  readonly manifest: Manifest;
  readonly manifestJson: JsonObject;
  readonly model: Model;
  readonly config: RequestConfig;
  /** Who summarises when history is compacted; absent: the Pod's own model. */
  readonly compactor?: { readonly model: Model; readonly config: RequestConfig };
  /** What other Pods of the same account were told of its limits is forgotten. Absent: it is not known. Never throws. */
  readonly forgetLimits?: () => Promise<void>;
  /** Of the program itself; those of features come behind them. */
  readonly tools: readonly Tool[];
  /** Put around every tool, whoever contributed it. */
  readonly guard: (tool: Tool) => Tool;
  /** Installed in this order, as far as what they offer each other allows. */
  readonly features: readonly FeatureModule[];
  readonly featureHost: FeatureHost;
  /** Where a path of a file tool really lies, for the rules; never throws. */
  readonly locate: (path: string) => string;
  /** Rendered only when a segment starts. */
  readonly seed: () => Promise<SessionSeed>;
  readonly attach: Attach;
  /**
   * Told of committed items in log order. `whole`: of all of history, at opening and behind a run that was cut; what was known before is forgotten.
   * `more`: of what was attached. Never throws.
   */
  readonly recall: (items: readonly CommittedItem[], extent: "whole" | "more") => void;
  /** The files that the model was shown, the last one at the end, for a history that shows them no longer; `recall` takes them from there again. */
  readonly readFiles: () => readonly ShownRecord[];
  /** Puts files back that the tools changed; absent: a rewind leaves files alone. */
  readonly filesBack?: FilesBack;
  /** Paths that a person may mean; absent: this Pod offers none. */
  readonly completePath?: CompletePath;
  /** Where commands of the user run; absent: this Pod has no shell. */
  readonly shell?: CommandShell;
  /** What the Pod holds now. Every tool and command asks it anew; work that may write while it goes on has entered it. */
  readonly scope: LiveScope;
  /**
   * Rules of a lend, as their targets really lie, checked against what the Pod holds now. Throws loan_refused for a target that is a link, has other names, is
   * mounted over, or is not there. To `confirm` once the lend has withdrawn them and nobody writes there any more: what works meanwhile can change what was checked.
   */
  readonly lendable: (rules: readonly ScopeRule[]) => Promise<Lendable>;
  /** Ends what earlier owners of a Pod left running: of this one before its open calls are closed, of a child before its loan comes back. Returns how many processes. */
  readonly endStrays: (pod: PodName) => Promise<number>;
  /** Absent: answers of the user are kept for their session only, and no call leaves the scope. */
  readonly granting?: Granting;
  /** Closes what the setup opened (model sockets, watchdog). Called once, when the Pod closes or could not open. */
  readonly release: () => Promise<void>;
}

export interface PodPorts {
  readonly processes: Processes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
}

export interface OpenPodOptions {
  readonly name: PodName;
  /** What the owner does, for whoever finds the Pod held. */
  readonly purpose: RunnerPurpose;
  readonly version: string;
  readonly sessions: SessionStore;
  readonly pods: PodStore;
  readonly lease: Lease;
  readonly registry: Registry;
  /** Null: it takes no clients. */
  readonly socket: string | null;
  /** Absent: this process begins no children; what others lent is reconciled all the same. */
  readonly childHost?: ChildHost;
  readonly ports: PodPorts;
  readonly observer: PodObserver;
  /** Somebody can be asked, now or later: a call that needs a person waits for `answerApproval`. Absent or false: it is refused at once. */
  readonly canAsk?: boolean;
  /** Told of every batch of a run when it is durable and in history, before anything follows from it; and of all that a segment begins with in which history goes on. As an observer, it cannot change a run. */
  readonly committed?: (entries: readonly Entry[]) => void;
  /**
   * A notice that an idle Pod accepts begins a run by itself. Absent or false: nothing begins by itself, as for one run to its end; what arrives
   * behind it waits for the next run.
   */
  readonly beginsOwnRuns?: boolean;
  /** `lent`: of a child, what its parent lends it now: its scope is exactly that, and it is bounded by those above it. */
  readonly setup: (stored: PodRecord | null, lent: Lent | null) => Promise<PodSetup>;
}
