/** Known files: the files of the writable roots that a command may change and that are looked after: what a search would list, and what git tracks. */
import { lstatSync, type Stats } from "node:fs";
import { YoiError } from "@yoi/base";
import { textOf } from "../scoped-files/descent.ts";
import { ignoreFileNames } from "../search/ignore-rules.ts";
import type { ScopedFiles } from "../scoped-files.ts";
import { gitTracked } from "./git-tracked.ts";

/** Most files that are known. */
export const knownFilesMax = 20_000;
/** Most entries of one root that are looked at for them. */
const entriesMax = 100_000;

/** What of a file changes with its content, or when another one takes its place. */
export type Signature = Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs" | "birthtimeMs" | "mode" | "dev">;

/** What was at a path the last time: no file, something that is none (a link, a pipe), or nobody looked. */
export type Earlier = "missing" | "other" | "not_known";

export interface Listing {
  /** Regular files, by their real paths. */
  readonly files: ReadonlyMap<string, Signature>;
  /** Of a file that is listed here and was not the last time. */
  earlier(path: string): Earlier;
}

/** What a listing depends on beside the files themselves. */
interface Shape {
  readonly roots: readonly string[];
  /** Files that were there, or that git tracks. */
  readonly paths: ReadonlySet<string>;
  /** What a search passes by because it is neither file nor directory. */
  readonly others: ReadonlySet<string>;
  /** Those that a search would list. */
  readonly searched: ReadonlySet<string>;
  /** Whether a name comes or goes. */
  readonly directories: ReadonlyMap<string, string>;
  /** Which names a search lists. */
  readonly rules: ReadonlyMap<string, string>;
  /** What git tracks. */
  readonly indexes: ReadonlyMap<string, string>;
  /** Not everything could be looked at. */
  readonly isPartial: boolean;
}

export class KnownFiles {
  readonly #files: Pick<ScopedFiles, "tree" | "read">;
  readonly #pause: () => Promise<void>;
  readonly #filesMax: number;
  #shape: Shape | null = null;
  /** What was no file the last time. */
  #others: ReadonlySet<string> = new Set();

  /** @param filesMax of which more are not known. */
  constructor(
    files: Pick<ScopedFiles, "tree" | "read">,
    pause: () => Promise<void>,
    filesMax = knownFilesMax,
  ) {
    this.#filesMax = filesMax;
    this.#files = files;
    this.#pause = pause;
  }

  /** @param roots directories that may be written, real. */
  async list(roots: readonly string[]): Promise<Listing> {
    const before = this.#shape;
    const isSame =
      before !== null &&
      isEqual(before.roots, roots) &&
      [before.directories, before.rules, before.indexes].every(holds);
    const shape = isSame ? before : await this.#look(roots);
    this.#shape = shape;
    const files = new Map<string, Signature>();
    const others = new Set(shape.others);
    for (const path of shape.paths) {
      const stat = lstatOf(path);
      if (stat?.isFile() === true) files.set(path, stat);
      else if (stat !== null) others.add(path);
    }
    const othersBefore = this.#others;
    this.#others = others;
    const searchedAlike =
      before !== null &&
      !before.isPartial &&
      !shape.isPartial &&
      isEqual(before.roots, roots) &&
      areSame(before.rules, shape.rules);
    const earlier = (path: string): Earlier => {
      if (othersBefore.has(path)) return "other";
      const isKnown = before?.paths.has(path) === true || (searchedAlike && shape.searched.has(path));
      return isKnown ? "missing" : "not_known";
    };
    return { files, earlier };
  }

  async #look(roots: readonly string[]): Promise<Shape> {
    const paths = new Set<string>();
    const searched = new Set<string>();
    const others = new Set<string>();
    const indexes = new Set<string>();
    const directories = new Set<string>();
    let isPartial = false;
    const add = (path: string): void => {
      if (paths.has(path)) return;
      if (paths.size >= this.#filesMax) isPartial = true;
      else paths.add(path);
    };
    for (const root of roots) {
      const below = new Set<string>();
      const listed = await this.#tree(root, below, others);
      const tracked = await gitTracked(this.#files, root, below);
      for (const directory of [root, ...below]) directories.add(directory);
      for (const source of tracked.sources) indexes.add(source);
      for (const one of tracked.paths) {
        const path = nameable("", one);
        if (path !== null) add(path);
      }
      if (listed === null) continue;
      isPartial ||= listed.cutAt !== null || listed.unreadable.length > 0;
      for (const one of listed.files) {
        const path = nameable("", one);
        if (path === null) continue;
        searched.add(path);
        add(path);
      }
    }
    const rules = stampsOf(rulesOf(roots, directories));
    const shape = { roots, paths, others, searched, rules, isPartial };
    return { ...shape, directories: stampsOf(directories), indexes: stampsOf(indexes) };
  }

  async #tree(root: string, directories: Set<string>, others: Set<string>) {
    try {
      return await this.#files.tree(root, {
        honourIgnoreFiles: true,
        wantsFile: () => true,
        wantsDirectory: (path) => {
          const directory = nameable(`${root === "/" ? "" : root}/`, path);
          if (directory !== null) directories.add(directory);
          return true;
        },
        seesOther: (one) => {
          const path = nameable("", one);
          if (path !== null) others.add(path);
        },
        pause: this.#pause,
        entriesMax,
      });
    } catch (error) {
      // A root that is not there, or not to be read, has no files that are known.
      if (error instanceof YoiError) return null;
      throw error;
    }
  }
}

/** Null: no path can name it, because its bytes are no UTF-8. */
function nameable(prefix: string, bytes: string): string | null {
  const text = textOf(bytes);
  return Buffer.byteLength(text) === bytes.length ? prefix + text : null;
}

export function signatureOf(path: string): Signature | null {
  const stat = lstatOf(path);
  return stat?.isFile() === true ? stat : null;
}

function lstatOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A parent that became a file, or is closed: what was there is out of reach.
    return null;
  }
}

/** Files above a root count too; what they say is looked up anew whenever a file in the root is listed. */
function rulesOf(roots: readonly string[], directories: ReadonlySet<string>): Set<string> {
  const rules = new Set<string>();
  for (const directory of directories)
    for (const name of ignoreFileNames)
      if (lstatOf(`${directory}/${name}`) !== null || roots.includes(directory))
        rules.add(`${directory}/${name}`);
  return rules;
}

function stampsOf(paths: ReadonlySet<string>): Map<string, string> {
  return new Map([...paths].map((path) => [path, stampOf(path)]));
}

function stampOf(path: string): string {
  const stat = lstatOf(path);
  return stat === null
    ? ""
    : `${stat.dev}.${stat.ino}.${stat.mtimeMs}.${stat.ctimeMs}.${stat.isFile() ? stat.size : ""}`;
}

function holds(stamps: ReadonlyMap<string, string>): boolean {
  for (const [path, stamp] of stamps) if (stampOf(path) !== stamp) return false;
  return true;
}

function areSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, stamp]) => b.get(path) === stamp);
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
