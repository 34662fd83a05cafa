/** Lease: one owner process per Pod. It dies with its process and is never taken by a timeout. */
import type { PodName } from "@yoi/base";

/** The purpose of an owner that takes clients: a process that hosts the Pod. */
export const hostPurpose = "host";
/** The purpose of an owner that runs the Pod and takes no clients. */
export const runPurpose = "run";

/** What a process is that is the Pod. */
export type RunnerPurpose = typeof hostPurpose | typeof runPurpose;

/** False: the owner holds the lease so that nobody is the Pod meanwhile, and writes nowhere as it. */
export function isTheOneThatRuns({ purpose }: Pick<LeaseOwner, "purpose">): boolean {
  return purpose === hostPurpose || purpose === runPurpose;
}

/** Who holds a lease: a hint for people; the lock itself is the authority. */
export interface LeaseOwner {
  readonly pid: number;
  readonly started: number;
  readonly boot: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  /** What the owner is, for the message: `run`, `rm`, ... */
  readonly purpose: string;
  /** The runtime directory of its environment, where clients find it; null: it did not say. */
  readonly runtime: string | null;
}

export interface HeldLease {
  readonly name: PodName;
  /** Idempotent. Also lost when the process ends, however it ends. */
  release(): Promise<void>;
}

export interface Lease {
  /**
   * Takes the Pod's lease or throws `pod_held`, naming the owner (pid, since when, what it does). Waits a bounded time where nobody is known to
   * be alive behind the lock.
   */
  acquire(name: PodName, purpose: string): Promise<HeldLease>;
  /** Says again who holds the lease, where this process does and the hint was lost or changed. Touches no lock; does nothing where it does not hold it. */
  renewHint(name: PodName): Promise<void>;
  /** The owner as far as the hint beside the lock says, and whether that process is alive. Opens no lock file. */
  owner(name: PodName): Promise<{ readonly owner: LeaseOwner; readonly alive: boolean } | null>;
}
