/** Command files: which of the known files a command changed, created or removed, and what they held before. */
import type { Clock } from "@yoi/base";
import { contentOf } from "../scoped-files/content-of.ts";
import { fileBytesMax, type ScopedFiles } from "../scoped-files.ts";
import { digestOf } from "../seen.ts";
import { type KnownFiles, type Listing, type Signature, signatureOf } from "./known-files.ts";
import { type FileCopies, keepBefore, notKept, notKnown, type Touched } from "./touched.ts";

/** Most bytes of the contents that are held, so that there is a copy of what a command overwrites. */
export const heldBytesMax = 32 * 1024 * 1024;
/** A file that was changed so shortly before it was read may be changed again without a sign. */
const unsettledMs = 50;
const filesBetweenPauses = 256;

interface Held {
  readonly signature: Signature;
  /** Null: it is too large, or there was no room; so is its digest. */
  readonly bytes: Buffer | null;
  readonly sha256: string | null;
  readonly isSettled: boolean;
}

export interface CommandFilesOptions {
  readonly files: Pick<ScopedFiles, "descend">;
  readonly known: KnownFiles;
  readonly copies: FileCopies;
  readonly clock: Clock;
  readonly pause: () => Promise<void>;
  /** Directories that commands may write now, real. */
  readonly roots: () => readonly string[];
}

/** `before` and `after` a command that runs alone. What others change in between is taken for the command's. */
export class CommandFiles {
  readonly #options: CommandFilesOptions;
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(options: CommandFilesOptions) {
    this.#options = options;
  }

  /** Reads what is new or changed since the last command. False: nothing can be written, so there is nothing to look after. */
  async before(): Promise<boolean> {
    const roots = this.#options.roots();
    if (roots.length === 0) return false;
    const listing = await this.#options.known.list(roots);
    for (const path of this.#held.keys()) if (!listing.files.has(path)) this.#drop(path);
    await this.#read([...listing.files].filter(([path, signature]) => !this.#isSame(path, signature)));
    return true;
  }

  /** What the command touched, by path. Copies of what it overwrote and removed are kept, as far as there is room. */
  async after(startedMs: number): Promise<readonly Touched[]> {
    const listing = await this.#options.known.list(this.#options.roots());
    const changed: [string, Signature | null][] = [];
    for (const [path, held] of this.#held) {
      const now = listing.files.get(path) ?? signatureOf(path);
      if (now === null || !held.isSettled || !isSame(held.signature, now)) changed.push([path, now]);
    }
    for (const [path, now] of listing.files) if (!this.#held.has(path)) changed.push([path, now]);
    const earlier = new Map(changed.map(([path]) => [path, this.#held.get(path)]));
    for (const [path, now] of changed) if (now === null) this.#drop(path);
    await this.#read(changed.flatMap(([path, now]) => (now === null ? [] : [[path, now] as const])));
    const touched: Touched[] = [];
    for (const [path, now] of changed.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const before = earlier.get(path);
      if (before === undefined && now !== null && !isNew(path, now, listing, startedMs)) continue;
      const one = await this.#touched(path, before ?? null, now, listing);
      if (one !== null) touched.push(one);
    }
    return touched;
  }

  async #touched(
    path: string,
    before: Held | null,
    now: Signature | null,
    listing: Listing,
  ): Promise<Touched | null> {
    const held = now === null ? null : (this.#held.get(path) ?? null);
    const after = now === null ? null : (held?.sha256 ?? notKnown);
    if (before === null)
      return listing.wasMissing(path)
        ? { path, before: null, after }
        : { path, before: notKept, after, why: "whether it was there before is not known" };
    const mode = before.signature.mode & 0o777;
    if (now !== null && before.sha256 !== null && before.sha256 === after && mode === (now.mode & 0o777))
      return null;
    if (now !== null && before.sha256 === null && isSame(before.signature, now)) return null;
    if (before.bytes === null)
      return { path, before: notKept, after, mode, why: "it was too large to be held, or there was no room" };
    return { path, ...(await keepBefore(before.bytes, this.#options.copies, "command")), after, mode };
  }

  #isSame(path: string, signature: Signature): boolean {
    const held = this.#held.get(path);
    return held !== undefined && held.isSettled && isSame(held.signature, signature);
  }

  async #read(found: readonly (readonly [string, Signature])[]): Promise<void> {
    const descent = this.#options.files.descend();
    try {
      let read = 0;
      for (const [path, signature] of found.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        read += 1;
        if (read % filesBetweenPauses === 0) await this.#options.pause();
        this.#drop(path);
        const room = Math.min(fileBytesMax, heldBytesMax - this.#bytes);
        const bytes = contentOf(descent, path, room);
        const latest = Math.max(signature.mtimeMs, signature.ctimeMs);
        this.#held.set(path, {
          signature,
          bytes,
          sha256: bytes === null ? null : digestOf(bytes),
          isSettled: latest + unsettledMs < this.#options.clock.now(),
        });
        this.#bytes += bytes?.length ?? 0;
      }
    } finally {
      descent.close();
    }
  }

  #drop(path: string): void {
    this.#bytes -= this.#held.get(path)?.bytes?.length ?? 0;
    this.#held.delete(path);
  }
}

/** Not one that was there and is only listed now: nothing of it has changed since the command began. */
function isNew(path: string, now: Signature, listing: Listing, startedMs: number): boolean {
  return listing.wasMissing(path) || now.ctimeMs >= startedMs - unsettledMs;
}

function isSame(a: Signature, b: Signature): boolean {
  return (
    a.ino === b.ino &&
    a.dev === b.dev &&
    a.size === b.size &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.mode === b.mode
  );
}
