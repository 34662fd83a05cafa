/** The simulated disk: its operations in order, the faults a test plans for them, and what a power cut leaves. */
import { createHash, type Hash } from "node:crypto";
import { fileError } from "../file-error.ts";
import { DiskDirectory } from "./disk-tree.ts";
import type { SeededRandom } from "./seeded-random.ts";

export type DiskOperationKind =
  | "create"
  | "write"
  | "sync"
  | "truncate"
  | "rename"
  | "sync_directory"
  | "remove"
  | "read";

export interface DiskOperation {
  readonly kind: DiskOperationKind;
  readonly path: string;
  /** 1 for the first operation of this kind on this disk. */
  readonly nth: number;
  /** 1 for the first operation of any kind on this disk. */
  readonly index: number;
}

/**
 * What becomes of one operation. An error number: it fails. `short`: a write that puts down this many bytes, then ENOSPC. `crash`: the
 * process dies at this point, before, in the middle of, or after the operation's effect. `lie`: a sync that does nothing and succeeds.
 */
export type DiskEffect = "pass" | "EIO" | "ENOSPC" | "EACCES" | "crash" | "lie" | { readonly short: number };

export type FaultPlan = (operation: DiskOperation) => DiskEffect;

/** Thrown by every call of a host that has crashed. Not a YoiError: nothing may handle it. */
export class HostCrashed extends Error {
  override readonly name = "HostCrashed";
  constructor() {
    super("the simulated machine has crashed");
  }
}

export const noFaults: FaultPlan = () => "pass";

/** The `nth` operation of a kind gets `effect`, and with `lasting` all later ones of that kind too. */
export function failNth(
  kind: DiskOperationKind,
  nth: number,
  effect: DiskEffect,
  options: { lasting?: boolean } = {},
): FaultPlan {
  return (operation) =>
    operation.kind === kind && (operation.nth === nth || (options.lasting === true && operation.nth > nth))
      ? effect
      : "pass";
}

export function crashAt(index: number): FaultPlan {
  return (operation) => (operation.index === index ? "crash" : "pass");
}

const verbs: { readonly [kind in DiskOperationKind]: string } = {
  create: "create",
  write: "write to",
  sync: "sync",
  truncate: "truncate",
  rename: "replace",
  sync_directory: "sync the directory",
  remove: "remove",
  read: "read",
};

/** How an operation takes effect under each fault; the disk itself supplies the rest. */
export interface Effects<T> {
  readonly apply: () => T;
  /** A part of it: what a short write or a crash in the middle leaves. */
  readonly partly?: (bytes: number) => void;
  /** How many bytes `partly` may be told. */
  readonly bytes?: number;
  /** What a failure leaves behind, when that is not nothing. */
  readonly failed?: () => void;
  /** What a lying sync answers. */
  readonly lied?: () => T;
}

/** What lives on from one life of the machine to the next. */
interface Platter {
  readonly root: DiskDirectory;
  readonly random: SeededRandom;
  readonly counts: Map<DiskOperationKind, number>;
  readonly trace: Hash;
  inodes: number;
  operations: number;
}

/** The disk as one life of the machine sees it: once that life has crashed, every call throws. */
export class Disk {
  plan: FaultPlan = noFaults;
  crashed = false;
  readonly #platter: Platter;

  private constructor(platter: Platter) {
    this.#platter = platter;
  }

  static create(random: SeededRandom): Disk {
    return new Disk({
      root: new DiskDirectory(0),
      random,
      counts: new Map(),
      trace: createHash("sha256"),
      inodes: 1,
      operations: 0,
    });
  }

  /** The same disk for the next life. With `power` lost, what was undecided is decided now. */
  next(loss: "power" | "process"): Disk {
    this.crashed = true;
    this.#platter.trace.update(`${loss} lost\n`);
    if (loss === "power") this.#platter.root.cutPower(this.#platter.random);
    return new Disk(this.#platter);
  }

  get root(): DiskDirectory {
    return this.#platter.root;
  }

  get operations(): number {
    return this.#platter.operations;
  }

  count(kind: DiskOperationKind): number {
    return this.#platter.counts.get(kind) ?? 0;
  }

  traceDigest(): string {
    return this.#platter.trace.copy().digest("hex");
  }

  nextInode(): number {
    this.#platter.inodes += 1;
    return this.#platter.inodes;
  }

  assertAlive(): void {
    if (this.crashed) throw new HostCrashed();
  }

  /** Runs one operation after a seeded number of turns of the promise queue, so that concurrent callers interleave. */
  async run<T>(kind: DiskOperationKind, path: string, data: Uint8Array, effects: Effects<T>): Promise<T> {
    const { random, counts, trace } = this.#platter;
    this.assertAlive();
    for (let turns = 1 + random.below(3); turns > 0; turns -= 1) await Promise.resolve();
    this.assertAlive();
    const nth = this.count(kind) + 1;
    counts.set(kind, nth);
    const index = (this.#platter.operations += 1);
    const effect = this.plan({ kind, path, nth, index });
    trace.update(`${index} ${kind} ${path} ${data.length} ${JSON.stringify(effect)}\n`);
    trace.update(data);
    return this.#take(kind, path, effect, effects);
  }

  #take<T>(kind: DiskOperationKind, path: string, effect: DiskEffect, effects: Effects<T>): T {
    if (effect === "pass") return effects.apply();
    if (effect === "lie") return (effects.lied ?? effects.apply)();
    if (effect === "crash") {
      const point = this.#platter.random.below(3);
      if (point === 2) effects.apply();
      if (point === 1) effects.partly?.(this.#platter.random.below((effects.bytes ?? 0) + 1));
      this.crashed = true;
      throw new HostCrashed();
    }
    if (typeof effect === "object") {
      effects.partly?.(Math.min(effect.short, effects.bytes ?? 0));
      throw fileError(verbs[kind], path, "ENOSPC");
    }
    effects.failed?.();
    throw fileError(verbs[kind], path, effect);
  }
}
