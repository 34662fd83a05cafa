/** Host: the machine behind ports, as one value that the composition root makes and takes apart. */
import type { Clock, Ids, Random, Timers } from "@yoi/base";
import type { Files } from "./files.ts";
import type { Locks } from "./locks.ts";

/** A process of this machine, told apart from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time from the kernel (clock ticks since boot). */
  readonly started: number;
  /** The kernel's boot id. */
  readonly boot: string;
}

/** Asked to end, or ended whatever it does, also when it is stopped. */
export type EndSignal = "SIGTERM" | "SIGKILL";

export interface Processes {
  /** This process. */
  self(): ProcessIdentity;
  /** True when exactly that process (same boot, pid and start time) is alive. */
  isAlive(process: ProcessIdentity): boolean;
}

/** Also how they end: for who was told to end one. */
export interface ProcessControl extends Processes {
  /** Which process has this pid now; null: none. */
  identify(pid: number): ProcessIdentity | null;
  /** Whether the kernel shows that exactly that process has locked the file for writing. Opens nothing, by which a lock could be lost. */
  hasLocked(process: ProcessIdentity, path: string): boolean;
  /** Signals exactly that process. False, and nothing is done: it is gone. Throws io_failed: the system does not let this process do so. */
  end(process: ProcessIdentity, signal: EndSignal): boolean;
  /** The same to all of its group. False, and nothing is done: it is gone, or does not lead a group of its own. */
  endGroup(process: ProcessIdentity, signal: EndSignal): boolean;
}

export interface Host {
  readonly files: Files;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly processes: ProcessControl;
}
