/** The directories of the simulated disk: an entry made or taken away is undecided until its directory is synced. */
import type { DiskFile } from "./disk-file.ts";
import type { SeededRandom } from "./seeded-random.ts";

export type DiskNode = DiskFile | DiskDirectory;

/** Names set (or, with null, taken away) by one operation: they reach the platter together or not at all. */
type Change = ReadonlyMap<string, DiskNode | null>;

export class DiskDirectory {
  readonly inode: number;
  #seen = new Map<string, DiskNode>();
  #platter = new Map<string, DiskNode>();
  #pending: Change[] = [];
  #uncertain: Change[] = [];

  constructor(inode: number) {
    this.inode = inode;
  }

  get(name: string): DiskNode | undefined {
    return this.#seen.get(name);
  }

  /** What the platter has under a name. */
  durable(name: string): DiskNode | undefined {
    return this.#platter.get(name);
  }

  names(): string[] {
    return [...this.#seen.keys()].sort();
  }

  change(change: Change): void {
    apply(this.#seen, change);
    this.#pending.push(change);
    this.#uncertain = this.#uncertain.filter(
      (earlier) => ![...earlier.keys()].some((name) => change.has(name)),
    );
  }

  sync(): void {
    for (const change of this.#pending) apply(this.#platter, change);
    this.#pending = [];
  }

  /** The sync failed: what was pending stays undecided, and no later sync makes it certain. */
  failSync(): void {
    this.#uncertain.push(...this.#pending);
    this.#pending = [];
  }

  cutPower(random: SeededRandom): void {
    for (const change of [...this.#uncertain, ...this.#pending]) {
      if (random.below(2) === 0) apply(this.#platter, change);
    }
    this.#uncertain = [];
    this.#pending = [];
    this.#seen = new Map(this.#platter);
    for (const name of this.names()) this.#seen.get(name)?.cutPower(random);
  }
}

function apply(entries: Map<string, DiskNode>, change: Change): void {
  for (const [name, node] of change) {
    if (node === null) entries.delete(name);
    else entries.set(name, node);
  }
}
