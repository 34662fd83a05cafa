/** Finding git directories below the writable roots: a walk that remembers, so that an unchanged directory costs one look. */
import { lstatSync, readdirSync } from "node:fs";
import { childOf, isWithin } from "@yoi/scope";

/** Most directories that one search looks at. Nearest the roots first. */
export const directoriesMax = 10_000;

/** In a git directory: large, and never the place of another one. */
const gitContent: ReadonlySet<string> = new Set([
  "objects",
  "refs",
  "logs",
  "info",
  "hooks",
  "lfs",
  "rr-cache",
]);

interface Known {
  /** Changes with every name that comes or goes. */
  readonly stamp: string;
  readonly directories: readonly string[];
  readonly isGit: boolean;
}

export interface FoundRepositories {
  /** Git directories, `.git` or bare or a worktree's, in the order in which they were found. */
  readonly directories: readonly string[];
  /** How many directories were looked at. */
  readonly looked: number;
  /** False: there are more than it may look at. */
  readonly complete: boolean;
}

export class RepositoryFinder {
  readonly #max: number;
  #known: ReadonlyMap<string, Known> = new Map();

  constructor(max = directoriesMax) {
    this.#max = max;
  }

  /** Searches below `roots`, and follows no link. What cannot be read is passed over: git cannot read it either. */
  find(roots: readonly string[]): FoundRepositories {
    const queue = roots.filter((root) => !roots.some((other) => other !== root && isWithin(other, root)));
    const known = new Map<string, Known>();
    const directories: string[] = [];
    for (let at = 0; at < queue.length; at += 1) {
      if (known.size === this.#max) {
        this.#known = known;
        return { directories, looked: known.size, complete: false };
      }
      const path = queue[at] ?? "";
      const directory = this.#look(path);
      if (directory === null) continue;
      known.set(path, directory);
      if (directory.isGit) directories.push(path);
      for (const name of directory.directories) queue.push(childOf(path, name));
    }
    this.#known = known;
    return { directories, looked: known.size, complete: true };
  }

  #look(path: string): Known | null {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isDirectory()) return null;
      const stamp = `${stat.dev}:${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
      const before = this.#known.get(path);
      if (before?.stamp === stamp) return before;
      return read(path, stamp);
    } catch {
      return null;
    }
  }
}

function read(path: string, stamp: string): Known {
  const entries = readdirSync(path, { withFileTypes: true });
  const names = new Set(entries.map((entry) => entry.name));
  const isGit =
    path.endsWith("/.git") || (names.has("HEAD") && (names.has("objects") || names.has("commondir")));
  const directories = entries
    .filter((entry) => entry.isDirectory() && !(isGit && gitContent.has(entry.name)))
    .map((entry) => entry.name);
  return { stamp, directories, isGit };
}
