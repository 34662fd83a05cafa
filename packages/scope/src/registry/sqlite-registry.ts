/** The registry on a machine, in one SQLite database. */
import type { Clock, PodName, Timers } from "@yoi/base";
import type { Files, Processes } from "@yoi/host";
import type { Allocation, Registry } from "./registry.ts";

export interface RegistryOptions {
  /** `<data>/registry.sqlite`; `:memory:` is one for this value alone. */
  readonly path: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly processes: Processes;
  /** Whether a living process holds the Pod's lease. */
  readonly isHeld: (name: PodName) => Promise<boolean>;
  /** What leases and metadata say is held now: for a registry that was lost. */
  readonly rebuild: () => Promise<readonly Allocation[]>;
}

export function openRegistry(_options: RegistryOptions): Registry {
  // A first body, so that others can build against the contract: nothing is arbitrated yet.
  const rows = new Map<PodName, Allocation>();
  return {
    register: async (allocation) => void rows.set(allocation.name, allocation),
    delegate: async (lender, child, loan) =>
      void rows.set(child.name, { ...child, delegatedFrom: lender, loan: loan.id }),
    adopt: async (lender, child, loan) =>
      void rows.set(child.name, { ...child, delegatedFrom: lender, loan: loan.id }),
    moved: async () => {},
    reclaim: async (_lender, child) => void rows.delete(child),
    release: async (name) => void rows.delete(name),
    list: async () => [...rows.values()],
    close: () => {},
  };
}
