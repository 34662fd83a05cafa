/** A Host in memory: seeded ids and randomness, virtual time, and a simulated disk that can fail, lie and lose power. */
import type { Host, ProcessIdentity } from "../host.ts";
import { createIds } from "../uuid-v7.ts";
import { Disk, type DiskOperationKind, type FaultPlan } from "./disk.ts";
import { durableBytes, memoryFiles } from "./memory-files.ts";
import { memoryLocks } from "./memory-locks.ts";
import { seededRandom } from "./seeded-random.ts";
import { virtualTime, type VirtualTime } from "./virtual-time.ts";

/** The test's side of the simulated disk. */
export interface SimulatedDisk {
  /** What becomes of each operation from now on; `noFaults` for none. A new life starts without a plan. */
  plan: FaultPlan;
  /** Operations so far, of all lives of this disk. */
  readonly operations: number;
  count(kind: DiskOperationKind): number;
  /** Digest over every operation so far with its data: the same seed and the same program give the same. */
  traceDigest(): string;
  /** What a power cut now would leave of a file, were nothing more written back; null: no file. Not an operation. */
  durable(path: string): Uint8Array | null;
}

export interface MemoryHost extends Host {
  readonly disk: SimulatedDisk;
  readonly crashed: boolean;
  /** Moves virtual time forward and fires what falls due. */
  advance(ms: number): Promise<void>;
  /** Ends this life: every later call throws HostCrashed. `process`: the kernel lives on and keeps unsynced bytes. Default: power. */
  crash(loss?: "power" | "process"): void;
  /** A fresh Host over what survived. Crashes this one first (power) when it still lives. */
  restart(): MemoryHost;
}

export interface MemoryHostOptions {
  readonly seed: number;
  /** The clock at the start, in milliseconds since the epoch. */
  readonly startMs?: number;
}

const startMsDefault = Date.UTC(2026, 0, 1);

interface Machine {
  readonly seed: number;
  readonly disk: Disk;
  readonly time: VirtualTime;
  /** How often the power came back. */
  readonly boot: number;
  /** How often a process started. */
  readonly life: number;
}

export function memoryHost(options: MemoryHostOptions): MemoryHost {
  return start({
    seed: options.seed,
    disk: Disk.create(seededRandom(options.seed)),
    time: virtualTime(options.startMs ?? startMsDefault),
    boot: 1,
    life: 1,
  });
}

function simulatedDisk(disk: Disk): SimulatedDisk {
  return {
    get plan() {
      return disk.plan;
    },
    set plan(plan) {
      disk.plan = plan;
    },
    get operations() {
      return disk.operations;
    },
    count: (kind) => disk.count(kind),
    traceDigest: () => disk.traceDigest(),
    durable: (path) => durableBytes(disk, path),
  };
}

function start({ seed, disk, time, boot, life }: Machine): MemoryHost {
  const random = seededRandom(Math.imul(seed + 1, 0x2545f491) + life);
  const idBytes = seededRandom(Math.imul(seed + 1, 0x5851f42d) + life);
  const self: ProcessIdentity = { pid: 100 + life, started: life, boot: `simulated-${seed}-${boot}` };
  let lost: "power" | "process" = "power";
  const isAlive = (other: ProcessIdentity): boolean =>
    !disk.crashed && other.pid === self.pid && other.started === self.started && other.boot === self.boot;
  const crash = (loss: "power" | "process" = "power"): void => {
    lost = loss;
    disk.crashed = true;
    time.clear();
  };
  /** The only process there is handles no signal, and leads its group. */
  const end = (other: ProcessIdentity): boolean => {
    if (!isAlive(other)) return false;
    crash("process");
    return true;
  };
  return {
    files: memoryFiles(disk, time.clock),
    locks: memoryLocks(disk),
    clock: time.clock,
    timers: time.timers,
    random: { next: random.next },
    ids: createIds(time.clock, idBytes.bytes),
    processes: {
      self: () => self,
      isAlive,
      identify: (pid) => (!disk.crashed && pid === self.pid ? self : null),
      // This disk knows no locks.
      hasLocked: () => false,
      end,
      endGroup: end,
    },
    disk: simulatedDisk(disk),
    get crashed() {
      return disk.crashed;
    },
    advance: (ms) => time.advance(ms),
    crash,
    restart() {
      time.clear();
      const next = disk.next(lost);
      return start({ seed, disk: next, time, boot: lost === "power" ? boot + 1 : boot, life: life + 1 });
    },
  };
}
