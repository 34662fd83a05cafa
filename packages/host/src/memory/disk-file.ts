/** One file on the simulated disk: what programs see, and what the platter holds until a sync. */
import type { SeededRandom } from "./seeded-random.ts";

export const sectorBytes = 512;

const cutWays = ["nothing", "all", "prefix", "sectors"] as const;

/** `buffer` may be longer than the content; what lies beyond `bytes` is zero. */
interface Content {
  readonly buffer: Uint8Array;
  readonly bytes: number;
}

const emptyContent: Content = { buffer: new Uint8Array(0), bytes: 0 };

function resized(content: Content, bytes: number): Content {
  if (bytes < content.bytes) content.buffer.fill(0, bytes, content.bytes);
  if (bytes <= content.buffer.length) return { buffer: content.buffer, bytes };
  const buffer = new Uint8Array(Math.max(bytes, content.buffer.length * 2));
  buffer.set(content.buffer);
  return { buffer, bytes };
}

/**
 * `dirty` sectors reach the platter with the next sync. A failed sync drops them from `dirty` without writing them, as real
 * kernels do: a later sync then succeeds and they are still not on the platter. Both kinds are undecided at a power cut.
 */
export class DiskFile {
  readonly inode: number;
  modifiedMs: number;
  executable = false;
  #seen = emptyContent;
  #platter = emptyContent;
  readonly #dirty = new Set<number>();
  readonly #lost = new Set<number>();

  constructor(inode: number, nowMs: number) {
    this.inode = inode;
    this.modifiedMs = nowMs;
  }

  get bytes(): number {
    return this.#seen.bytes;
  }

  read(from = 0, length: number = this.#seen.bytes): Uint8Array {
    return this.#seen.buffer.slice(from, Math.min(from + length, this.#seen.bytes));
  }

  /** What is on the platter: a power cut now leaves at least the chance of exactly this. */
  durable(): Uint8Array {
    return this.#platter.buffer.slice(0, this.#platter.bytes);
  }

  append(data: Uint8Array): void {
    const from = this.#seen.bytes;
    this.#seen = resized(this.#seen, from + data.length);
    this.#seen.buffer.set(data, from);
    this.#markDirty(from, this.#seen.bytes);
  }

  truncate(length: number): void {
    const old = this.#seen.bytes;
    this.#seen = resized(this.#seen, length);
    this.#markDirty(Math.min(length, old), Math.max(length, old, this.#platter.bytes));
  }

  sync(): void {
    this.#platter = resized(this.#platter, this.#seen.bytes);
    this.#write(this.#dirty);
    this.#dirty.clear();
  }

  /** The sync failed: the pages count as clean now, and are not on the platter. */
  failSync(): void {
    for (const sector of this.#dirty) this.#lost.add(sector);
    this.#dirty.clear();
  }

  /** What is left after a power cut: nothing unsynced, all of it, a prefix of it, or any subset of its sectors. */
  cutPower(random: SeededRandom): void {
    const undecided = [...this.#dirty, ...this.#lost].sort((a, b) => a - b);
    if (undecided.length > 0) {
      const way = cutWays[random.below(cutWays.length)] ?? "nothing";
      const shorter = Math.min(this.#seen.bytes, this.#platter.bytes);
      const spread = Math.abs(this.#seen.bytes - this.#platter.bytes);
      if (way === "all") this.#platter = resized(this.#platter, this.#seen.bytes);
      if (way === "prefix" || way === "sectors") {
        this.#platter = resized(this.#platter, shorter + random.below(spread + 1));
      }
      const kept = undecided.filter(() => way === "sectors" && random.below(2) === 0);
      if (way !== "nothing") this.#write(way === "sectors" ? kept : undecided);
    }
    this.#seen = { buffer: this.#platter.buffer.slice(), bytes: this.#platter.bytes };
    this.#dirty.clear();
    this.#lost.clear();
  }

  #write(sectors: Iterable<number>): void {
    for (const sector of sectors) {
      const from = sector * sectorBytes;
      const to = Math.min(from + sectorBytes, this.#seen.bytes, this.#platter.bytes);
      if (from < to) this.#platter.buffer.set(this.#seen.buffer.subarray(from, to), from);
    }
  }

  #markDirty(from: number, to: number): void {
    for (let sector = Math.floor(from / sectorBytes); sector * sectorBytes < to; sector += 1) {
      this.#dirty.add(sector);
      // Written again: the next sync takes the whole sector along.
      this.#lost.delete(sector);
    }
  }
}
