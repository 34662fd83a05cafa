/** Finding git directories below the writable roots: a walk that remembers, so that an unchanged directory costs one look. */
import { lstatSync, readdirSync } from "node:fs";
import { childOf, isWithin } from "@yoi/scope";

/** Most directories that one search looks at. Nearest the roots first, and what it found before first of all. */
export const directoriesMax = 10_000;

/** In a git directory: large, and no place of another one; a `.git` file that leads into one of them is followed. */
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
  /** It has a `.git` that is a file or a link: a worktree, a submodule, or something that leads to a git directory elsewhere. */
  readonly hasGitFile: boolean;
}

export interface FoundRepositories {
  /** Git directories, `.git` or bare or a worktree's, in the order in which they were found. */
  readonly directories: readonly string[];
  /** `.git` files and links. */
  readonly gitFiles: readonly string[];
  /** Directories that may be entered and not listed. What lies in them is not looked at. */
  readonly closed: readonly string[];
  /** True when this directory was looked at. */
  readonly looked: (path: string) => boolean;
  readonly count: number;
  /** False: there are more than it may look at. */
  readonly complete: boolean;
}

export class RepositoryFinder {
  readonly #max: number;
  #known: ReadonlyMap<string, Known> = new Map();
  #found: readonly string[] = [];

  constructor(max = directoriesMax) {
    this.#max = max;
  }

  /** Searches below `roots`, without what is `leftOut` with all below it, and follows no link. */
  find(roots: readonly string[], leftOut: (path: string) => boolean = () => false): FoundRepositories {
    const tops = roots.filter((root) => !roots.some((other) => other !== root && isWithin(other, root)));
    // No crowd of new directories pushes a repository out of reach that was in it.
    const queue = [...this.#found.filter((path) => tops.some((top) => isWithin(top, path))), ...tops];
    const known = new Map<string, Known>();
    const closed: string[] = [];
    let complete = true;
    for (let at = 0; at < queue.length; at += 1) {
      const path = queue[at] ?? "";
      if (known.has(path) || leftOut(path)) continue;
      if (known.size === this.#max) {
        complete = false;
        break;
      }
      const directory = this.#look(path);
      if (directory === null) continue;
      if (directory === "closed") {
        closed.push(path);
        continue;
      }
      known.set(path, directory);
      for (const name of directory.directories) queue.push(childOf(path, name));
    }
    this.#known = known;
    this.#found = [...known].filter(([, { isGit }]) => isGit).map(([path]) => path);
    return {
      directories: this.#found,
      gitFiles: [...known].filter(([, { hasGitFile }]) => hasGitFile).map(([path]) => childOf(path, ".git")),
      closed,
      looked: (path) => known.has(path),
      count: known.size,
      complete,
    };
  }

  #look(path: string): Known | "closed" | null {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isDirectory()) return null;
      const stamp = `${stat.dev}:${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
      const before = this.#known.get(path);
      return before?.stamp === stamp ? before : read(path, stamp);
    } catch {
      return "closed";
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
  const hasGitFile = entries.some(
    (entry) => entry.name === ".git" && (entry.isFile() || entry.isSymbolicLink()),
  );
  return { stamp, directories, isGit, hasGitFile };
}
