/** Host: the machine behind ports, as one value that the composition root makes and takes apart. */
import type { Clock, Ids, Random, Timers } from "@yoi/base";
import type { Files } from "./files.ts";

/** A process of this machine, told apart from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time from the kernel (clock ticks since boot). */
  readonly started: number;
  /** The kernel's boot id. */
  readonly boot: string;
}

export interface Processes {
  /** This process. */
  self(): ProcessIdentity;
  /** True when exactly that process (same boot, pid and start time) is alive. */
  isAlive(process: ProcessIdentity): boolean;
}

export interface Host {
  readonly files: Files;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly processes: Processes;
}
