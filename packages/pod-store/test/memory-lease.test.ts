/** The lease in memory passes the suite that the lease on a machine passes. */
import type { PodName } from "@yoi/base";
import type { ProcessIdentity } from "@yoi/host";
import { createMemoryLease, type LeaseOwner } from "../src/index.ts";
import { leaseConformance } from "./conformance.ts";

leaseConformance("memory lease", async () => {
  const table = new Map<PodName, LeaseOwner>();
  const dead = new Set<number>();
  const leaseOf = (pid: number) => {
    const self: ProcessIdentity = { pid, started: pid * 10, boot: "one" };
    return createMemoryLease({
      table,
      clock: { now: () => 1_700_000_000_000, monotonic: () => 0 },
      processes: { self: () => self, isAlive: (other) => other.boot === "one" && !dead.has(other.pid) },
    });
  };
  return {
    first: leaseOf(11),
    second: leaseOf(12),
    firstPid: 11,
    endFirst: async () => void dead.add(11),
    [Symbol.asyncDispose]: async () => {},
  };
});
