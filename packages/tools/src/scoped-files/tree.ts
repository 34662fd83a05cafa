/** A tree of files: what is below a directory, in the order of the bytes of whole paths, no link followed, no file system left. */
import type { Dirent } from "node:fs";
import { lstatSync, opendirSync } from "node:fs";
import { YoiError } from "@yoi/base";
import {
  type IgnoreFileName,
  ignoreFileNames,
  type IgnoreLevel,
  type IgnoreRules,
  ignoreVerdict,
  parseIgnoreFile,
} from "../search/ignore-rules.ts";
import { codeOf, failure } from "./descriptor.ts";
import { type Descent, textOf, type Unavailable } from "./descent.ts";

/** Most entries of a tree that are looked at. */
export const treeEntriesMax = 250_000;
/** Deepest directory below `/` that is looked into. */
export const treeDepthMax = 512;
/** Most bytes of an ignore file: a larger one says nothing. */
export const ignoreFileBytesMax = 1024 * 1024;
/** Between two chances for others to run. */
const entriesBetweenPauses = 1024;

export interface TreeOptions {
  /** Hidden files are left out, and what ignore files say is. */
  readonly honourIgnoreFiles: boolean;
  /** Whether a file is wanted, and a directory to be looked into; by the path below the start, one character a byte. */
  wantsFile(path: string, name: string): boolean;
  wantsDirectory(path: string): boolean;
  /** Told of what is neither file nor directory, a link for one; absolute, one character a byte. */
  seesOther?(path: string): void;
  /** Called now and then. Throws to end the walk. */
  pause(): Promise<void>;
  /** Without it, `treeEntriesMax`. */
  readonly entriesMax?: number;
  /** Of one directory; others in it are not looked at, and the walk goes on. Without it, all. */
  readonly oneDirectoryMax?: number;
}

export interface Tree {
  /** Absolute, one character a byte. */
  readonly files: readonly string[];
  /** Directories that could not be looked into, alike. */
  readonly unreadable: readonly string[];
  /** The directory where there were too many entries: not all in it were looked at, and none that would come after it. */
  readonly cutAt: string | null;
  /** A directory had more than `oneDirectoryMax`. */
  readonly isThinned: boolean;
}

/** @param start the real path of a directory that the caller was let into, with a final slash, one character a byte. */
export async function walkTree(descent: Descent, start: string, options: TreeOptions): Promise<Tree> {
  const walker = new TreeWalker(descent, start, options);
  return await walker.walk();
}

class TreeWalker {
  readonly #descent: Descent;
  readonly #start: string;
  readonly #options: TreeOptions;
  readonly #files: string[] = [];
  readonly #unreadable: string[] = [];
  #entries = 0;
  #cutAt: string | null = null;
  #isThinned = false;

  constructor(descent: Descent, start: string, options: TreeOptions) {
    this.#descent = descent;
    this.#start = start;
    this.#options = options;
  }

  async walk(): Promise<Tree> {
    const above = this.#descendToStart();
    if (typeof above === "string")
      throw new YoiError("io_failed", "The directory was moved while it was looked at: try again.");
    await this.#directory(above);
    return {
      files: this.#files,
      unreadable: this.#unreadable,
      cutAt: this.#cutAt,
      isThinned: this.#isThinned,
    };
  }

  /** The ignore files of the directories above count too. */
  #descendToStart(): IgnoreLevel | null | Unavailable {
    let level: IgnoreLevel | null = null;
    for (const name of this.#start.split("/").slice(1, -1)) {
      if (this.#options.honourIgnoreFiles) level = this.#levelBelow(level, null);
      const problem = this.#descent.enter(name);
      if (problem !== null) return problem;
    }
    return level;
  }

  async #directory(above: IgnoreLevel | null): Promise<void> {
    const descent = this.#descent;
    const { prefix } = descent;
    const listed = descent.isListable && descent.depth <= treeDepthMax ? this.#list() : null;
    if (listed === null) {
      this.#unreadable.push(prefix);
      return;
    }
    const { honourIgnoreFiles } = this.#options;
    const level = honourIgnoreFiles ? this.#levelBelow(above, listed) : null;
    // Of this directory what was listed is shown; what is below it, or comes after it, is more than may be looked at.
    const isCut = this.#cutAt !== null;
    for (const { name, isDirectory } of listed) {
      if (this.#cutAt !== null && !isCut) return;
      this.#entries += 1;
      if (this.#entries % entriesBetweenPauses === 0) await this.#options.pause();
      if (name === ".git" || (honourIgnoreFiles && isLeftOut(level, prefix, name, isDirectory))) continue;
      if (!isDirectory) this.#file(name);
      else if (!isCut) await this.#enter(name, level);
    }
  }

  async #enter(name: string, level: IgnoreLevel | null): Promise<void> {
    const below = `${this.#descent.prefix}${name}`;
    if (!this.#options.wantsDirectory(below.slice(this.#start.length))) return;
    const problem = this.#descent.enter(name);
    if (problem === "unreadable") this.#unreadable.push(`${below}/`);
    if (problem !== null) return;
    await this.#directory(level);
    this.#descent.leave();
  }

  #file(name: string): void {
    const path = `${this.#descent.prefix}${name}`;
    if (!this.#options.wantsFile(path.slice(this.#start.length), name)) return;
    if (this.#descent.mayRead(name)) this.#files.push(path);
  }

  /** Files and directories by the bytes of their paths; null when it may not be listed. */
  #list(): Listed[] | null {
    const listed: Listed[] = [];
    try {
      // A directory whose names can be seen and that cannot be entered is as good as closed.
      lstatSync(`${this.#descent.listing}/.`);
      // One character a byte: names need not be UTF-8.
      using directory = opendirSync(this.#descent.listing, { encoding: "latin1", bufferSize: 256 });
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (this.#entries + listed.length >= (this.#options.entriesMax ?? treeEntriesMax)) {
          this.#cutAt = this.#descent.prefix;
          break;
        }
        if (listed.length >= (this.#options.oneDirectoryMax ?? treeEntriesMax)) {
          this.#isThinned = true;
          break;
        }
        const one = listedOf(entry);
        if (one !== null) listed.push(one);
        else this.#options.seesOther?.(this.#descent.prefix + entry.name);
      }
    } catch (cause) {
      if (codeOf(cause) === "EACCES" || codeOf(cause) === "EPERM") return null;
      if (codeOf(cause) === "ENOENT") return [];
      throw failure("list", textOf(this.#descent.prefix), cause);
    }
    return listed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** @param listed what is in the directory; null when that is not known. */
  #levelBelow(parent: IgnoreLevel | null, listed: readonly Listed[] | null): IgnoreLevel | null {
    const files: Partial<Record<IgnoreFileName, IgnoreRules>> = {};
    let isEmpty = true;
    for (const name of ignoreFileNames) {
      const [first = name] = name.split("/");
      if (listed !== null && !listed.some((entry) => entry.name === first)) continue;
      const text = this.#ignoreFile(name);
      if (text === null) continue;
      files[name] = parseIgnoreFile(text);
      isEmpty = false;
    }
    return isEmpty ? parent : { parent, prefix: this.#descent.prefix, files };
  }

  #ignoreFile(path: string): string | null {
    const names = path.split("/");
    const last = names.pop() ?? path;
    let entered = 0;
    try {
      for (const name of names) {
        if (this.#descent.enter(name) !== null) return null;
        entered += 1;
      }
      return this.#descent.smallFile(last, ignoreFileBytesMax);
    } finally {
      for (; entered > 0; entered -= 1) this.#descent.leave();
    }
  }
}

interface Listed {
  readonly name: string;
  readonly isDirectory: boolean;
  /** What the path is ordered by. */
  readonly key: string;
}

function listedOf(entry: Dirent): Listed | null {
  const { name } = entry;
  if (entry.isDirectory()) return { name, isDirectory: true, key: `${name}/` };
  return entry.isFile() ? { name, isDirectory: false, key: name } : null;
}

function isLeftOut(level: IgnoreLevel | null, prefix: string, name: string, isDirectory: boolean): boolean {
  const verdict = ignoreVerdict(level, prefix + name, name, isDirectory);
  return verdict === "ignored" || (verdict === null && name.startsWith("."));
}
