/** Command files: which of the known files a command changed, created or removed, and what they held before. */
import type { Clock } from "@yoi/base";
import { contentOf } from "../scoped-files/content-of.ts";
import { fileBytesMax, type ScopedFiles } from "../scoped-files.ts";
import { digestOf } from "../seen.ts";
import { type Earlier, type KnownFiles, type Listing, type Signature, signatureOf } from "./known-files.ts";
import { type FileCopies, keepBefore, notKept, notKnown, type Touched } from "./touched.ts";

/** Most bytes of the contents that are held, so that there is a copy of what a command overwrites. */
export const heldBytesMax = 32 * 1024 * 1024;
const mebibyte = 1024 * 1024;
/** A file that was changed so shortly before it was read may be changed again without a sign. */
const unsettledMs = 50;
/** The clock of file systems lags behind by up to a tick, of 100 Hz at the most. */
const tickMs = 10;
const filesBetweenPauses = 256;

interface Held {
  readonly signature: Signature;
  /** Null: for the reason beside it; so is its digest. */
  readonly bytes: Buffer | null;
  readonly why: string;
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

/** How the file that is at a path came there: it is the one that was, the command made it, it was known elsewhere, or it is an older one from where nobody looks. */
type Origin = "same" | "made" | "unknown" | { readonly from: string };

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
    const originOf = this.#origins(startedMs);
    const origins = new Map(
      changed.map(([path, now]) => [path, now === null ? "same" : originOf(path, now)] as const),
    );
    for (const [path, now] of changed) if (now === null) this.#drop(path);
    await this.#read(changed.flatMap(([path, now]) => (now === null ? [] : [[path, now] as const])));
    const touched: Touched[] = [];
    for (const [path, now] of changed.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const before = earlier.get(path);
      if (before === undefined && now !== null && !isNew(path, now, listing, startedMs)) continue;
      const origin = origins.get(path) ?? "unknown";
      const one =
        before === undefined
          ? this.#appeared(path, now, origin, listing.earlier(path))
          : await this.#changed(path, before, now, origin);
      if (one !== null) touched.push(one);
    }
    return touched;
  }

  #appeared(path: string, now: Signature | null, origin: Origin, earlier: Earlier): Touched {
    const left = { path, ...this.#left(path, now) };
    const why =
      earlier === "other"
        ? "what was there before was no regular file"
        : earlier === "not_known"
          ? "whether it was there before is not known"
          : origin === "unknown"
            ? movedIn
            : null;
    if (why !== null) return { ...left, before: notKept, why };
    return { ...left, before: null, ...movedFrom(origin) };
  }

  async #changed(path: string, before: Held, now: Signature | null, origin: Origin): Promise<Touched | null> {
    const mode = bitsOf(before.signature);
    const left = { path, ...this.#left(path, now), mode };
    if (now !== null && mode === left.mode_after) {
      if (before.sha256 !== null && before.sha256 === left.after) return null;
      if (before.sha256 === null && isSame(before.signature, now)) return null;
    }
    if (origin === "unknown") return { ...left, before: notKept, why: movedIn };
    if (before.bytes === null) return { ...left, before: notKept, why: before.why };
    return {
      ...left,
      ...(await keepBefore(before.bytes, this.#options.copies, "command")),
      ...movedFrom(origin),
    };
  }

  #left(path: string, now: Signature | null): Pick<Touched, "after" | "mode_after"> {
    if (now === null) return { after: null };
    return { after: this.#held.get(path)?.sha256 ?? notKnown, mode_after: bitsOf(now) };
  }

  /** To be asked while what is held is still what was there before the command. */
  #origins(startedMs: number): (path: string, now: Signature) => Origin {
    let places: ReadonlyMap<string, string> | null = null;
    return (path, now) => {
      const before = this.#held.get(path);
      if (before !== undefined && inodeOf(before.signature) === inodeOf(now)) return "same";
      places ??= new Map([...this.#held].map(([at, { signature }]) => [inodeOf(signature), at]));
      const from = places.get(inodeOf(now));
      if (from !== undefined) return { from };
      // A file system that does not say when has 0 there.
      return now.birthtimeMs >= startedMs - tickMs ? "made" : "unknown";
    };
  }

  #isSame(path: string, signature: Signature): boolean {
    const held = this.#held.get(path);
    return held !== undefined && held.isSettled && isSame(held.signature, signature);
  }

  async #read(found: readonly (readonly [string, Signature])[]): Promise<void> {
    const descent = this.#options.files.descend();
    try {
      let read = 0;
      for (const [path, signature] of found.toSorted(bySize)) {
        read += 1;
        if (read % filesBetweenPauses === 0) await this.#options.pause();
        this.#drop(path);
        const room = Math.min(fileBytesMax, heldBytesMax - this.#bytes);
        const content = contentOf(descent, path, room);
        const bytes = typeof content === "string" ? null : content;
        const latest = Math.max(signature.mtimeMs, signature.ctimeMs);
        this.#held.set(path, {
          signature,
          bytes,
          why: content === "unreadable" ? "it could not be read" : whyLarge(signature),
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

const movedIn = "what is there now was moved here from where yoi does not look";

function movedFrom(origin: Origin): Pick<Touched, "moved_from"> {
  return typeof origin === "string" ? {} : { moved_from: origin.from };
}

function whyLarge({ size }: Signature): string {
  return size > fileBytesMax
    ? `it is larger than ${fileBytesMax / mebibyte} MiB`
    : `the ${heldBytesMax / mebibyte} MiB for what files hold were full`;
}

function bitsOf({ mode }: Signature): number {
  return mode & 0o777;
}

/** A number alone is given again as soon as its file is gone. */
function inodeOf({ dev, ino, birthtimeMs }: Signature): string {
  return `${dev}.${ino}.${birthtimeMs}`;
}

/** So that a few large ones do not take the room of all others. */
function bySize(
  [a, { size }]: readonly [string, Signature],
  [b, other]: readonly [string, Signature],
): number {
  return size - other.size || (a < b ? -1 : 1);
}

/** Not one that was there and is only listed now: nothing of it has changed since the command began. */
function isNew(path: string, now: Signature, listing: Listing, startedMs: number): boolean {
  return listing.earlier(path) !== "not_known" || now.ctimeMs >= startedMs - unsettledMs;
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
