/** The lease in memory: several "processes" of a simulation compete over one table. */
import type { Clock, PodName } from "@yoi/base";
import type { Processes } from "@yoi/host";
import { heldByOther, heldBySelf } from "./held-error.ts";
import type { Lease, LeaseOwner } from "./lease.ts";

/** What the lock files are to the machine: hand the same table to every lease of one simulation. */
export type LeaseTable = Map<PodName, LeaseOwner>;

export interface MemoryLeaseOptions {
  readonly table: LeaseTable;
  readonly clock: Clock;
  /** Of the simulated process. A holder that is no longer alive has lost its lease, as on a machine. */
  readonly processes: Processes;
  /** Of the simulated process's environment. */
  readonly runtimeDir?: string;
}

export function createMemoryLease(options: MemoryLeaseOptions): Lease {
  const { table, clock, processes } = options;
  const runtime = options.runtimeDir ?? null;
  return {
    async acquire(name, purpose) {
      const self = processes.self();
      const found = table.get(name);
      if (found !== undefined && processes.isAlive(found)) {
        const mine = found.pid === self.pid && found.started === self.started && found.boot === self.boot;
        throw mine ? heldBySelf(name, found) : heldByOther(name, found, runtime);
      }
      const owner: LeaseOwner = { ...self, sinceMs: clock.now(), purpose, runtime };
      table.set(name, owner);
      return {
        name,
        async release() {
          if (table.get(name) === owner) table.delete(name);
        },
      };
    },
    // The table is the lock and the hint.
    async renewHint() {},
    async owner(name) {
      const owner = table.get(name);
      return owner === undefined ? null : { owner, alive: processes.isAlive(owner) };
    },
  };
}
