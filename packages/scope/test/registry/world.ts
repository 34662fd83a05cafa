/** What a registry mirrors: processes, leases and metadata of a machine that is made up. */
import { podName, type Loan, type PodName, type Scope } from "@yoi/base";
import { moveTree, nodeHost, type ProcessIdentity } from "@yoi/host";
import {
  type Allocation,
  type ChildAllocation,
  openRegistry,
  type Registry,
  type RegistryOptions,
} from "../../src/registry/index.ts";

interface MadeUpPod {
  readonly name: PodName;
  /** The one that holds the lease; null: nobody. */
  pid: number | null;
  scope: Scope;
  parent: PodName | null;
  readonly loans: Map<PodName, Loan>;
}

export class World {
  readonly living = new Set<number>();
  readonly pods = new Map<PodName, MadeUpPod>();
  /** Called whenever a process is asked for: inside a transaction, that is. */
  looked: () => void = () => {};
  #pid = 100;

  /** A living process. */
  start(): number {
    this.#pid += 1;
    this.living.add(this.#pid);
    return this.#pid;
  }

  pod(name: string): MadeUpPod {
    const key = podName(name);
    const pod = this.pods.get(key) ?? {
      name: key,
      pid: null,
      scope: { allow: [], deny: [] },
      parent: null,
      loans: new Map(),
    };
    this.pods.set(key, pod);
    return pod;
  }

  holds(name: string): boolean {
    const { pid } = this.pod(name);
    return pid !== null && this.living.has(pid);
  }

  readonly processes: RegistryOptions["processes"] = {
    self: () => identity(1),
    isAlive: ({ boot, started, pid }) => {
      this.looked();
      return boot === "now" && started === pid && this.living.has(pid);
    },
  };

  /** As metadata and leases say it: the reference of what a lost registry is made from. */
  rebuild = async (): Promise<readonly Allocation[]> => {
    const rows = new Map<PodName, Allocation>();
    for (const pod of this.pods.values())
      if (this.holds(pod.name)) rows.set(pod.name, row(pod.name, pod.scope, { pid: pod.pid }));
    for (const lender of this.pods.values()) {
      for (const [name, loan] of lender.loans) {
        const pid = this.holds(name) ? this.pod(name).pid : null;
        rows.set(name, row(name, loan.scope, { pid, from: lender.name, loan: loan.id }));
      }
    }
    return [...rows.values()];
  };

  holders = async () =>
    [...this.pods.values()].flatMap(({ name, pid }) =>
      pid !== null && this.holds(name) ? [{ name, owner: identity(pid) }] : [],
    );

  open(path: string, more: Partial<RegistryOptions> = {}): Registry {
    return openRegistry({
      ...nodeHost(),
      path,
      processes: this.processes,
      move: moveTree,
      isHeld: async (name) => this.holds(name),
      isLent: async (lender, child, loan) => this.pod(lender).loans.get(child)?.id === loan,
      holders: this.holders,
      rebuild: this.rebuild,
      ...more,
    });
  }
}

export function identity(pid: number): ProcessIdentity {
  return { pid, started: pid, boot: "now" };
}

export interface RowOptions {
  readonly pid: number | null;
  readonly socket?: string | null;
  readonly from?: PodName;
  readonly loan?: string;
}

export function row(name: string, scope: Scope, { pid, socket = null, from, loan }: RowOptions): Allocation {
  return {
    ...childRow(name, pid, socket),
    scope,
    delegatedFrom: from ?? null,
    loan: loan ?? null,
  };
}

export function childRow(name: string, pid: number | null, socket: string | null = null): ChildAllocation {
  return {
    name: podName(name),
    owner: pid === null ? null : identity(pid),
    socket,
    segment: null,
    epoch: null,
  };
}
