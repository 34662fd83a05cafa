/** Watching repositories: after a command, what git would run because of it is put aside or told. Detection, not prevention. */
import { basename } from "node:path";
import { messageOf, type Clock } from "@yoi/base";
import { isBelow, isWithin, parentOf, type Protection, quotePath } from "@yoi/scope";
import { accessAt, type Mounts } from "../mount.ts";
import type { Command } from "../runner.ts";
import { compareLooks, type Look, type Planted } from "./compare-looks.ts";
import { type FoundRepositories, RepositoryFinder } from "./find-repositories.ts";
import { type Area, GitStates } from "./git-state.ts";
import { closePlace, openInPlace } from "./in-place.ts";

/** A look that takes longer is told with its cost. */
export const slowLookMs = 250;
/** Most findings that are told one by one; all are dealt with. */
export const toldFindingsMax = 20;

export interface RepositoryWatchOptions {
  readonly protection: Protection;
  readonly clock: Clock;
  /** Default: `directoriesMax` of the finder. */
  readonly directoriesMax?: number;
  /** Moves a file, link or directory to where nobody runs it, and says where that is. `at` is `path` by a way that nobody can lead elsewhere meanwhile. */
  readonly quarantine: (call: Command["call"], path: string, at: string) => Promise<string>;
}

/** One for a runner: it remembers directories and files between commands. */
export class RepositoryWatch {
  readonly #finder: RepositoryFinder;
  readonly #states = new GitStates();
  readonly #options: RepositoryWatchOptions;
  #saidIncomplete = false;

  constructor(options: RepositoryWatchOptions) {
    this.#options = options;
    this.#finder = new RepositoryFinder(options.directoriesMax);
  }

  /**
   * Looks at every git directory below what a command could write: by `mounts`, or where there is no sandbox (null) in the workspace and below the
   * writable rules. What it could not write somebody else changes: its user, or a child to whom it is lent. The function it gives looks again, moves new
   * and changed hooks and redirects away, leaves configuration alone, and says all of it, a sentence each: first what was left, which somebody has to
   * look at. Without a sandbox it only says so: that anybody may have written.
   */
  before(command: Pick<Command, "call" | "scope">, mounts: Mounts | null): () => Promise<readonly string[]> {
    const { clock } = this.#options;
    const roots = mounts === null ? this.#openRoots(command.scope) : writableRoots(mounts);
    const holds = (path: string): boolean => roots.some((root) => isWithin(root, path));
    const canWrite = (path: string): boolean =>
      mounts === null ? holds(path) : accessAt(mounts, path) === "write";
    const area: Area = {
      holds,
      opens: (path) => canWrite(path) || roots.some((root) => isBelow(path, root)),
    };
    const started = clock.monotonic();
    const then = this.#look(roots, area);
    const spentMs = clock.monotonic() - started;
    return async () => {
      const again = clock.monotonic();
      const now = this.#look(roots, area);
      const { planted, left } = compareLooks(then, now, canWrite);
      const findings = [...left];
      for (const each of planted)
        findings.push(mounts === null ? toldPlanted(each) : await this.#putAside(command.call, each));
      const told = findings.slice(0, toldFindingsMax);
      if (findings.length > told.length) told.push(`And ${findings.length - told.length} more of the kind.`);
      const costMs = Math.round(spentMs + clock.monotonic() - again);
      return [...told, ...this.#costOf(now.found, costMs)];
    };
  }

  #openRoots({ allow }: Command["scope"]): readonly string[] {
    const writable = allow.filter(({ permission }) => permission === "write");
    return [...new Set([this.#options.protection.workspace, ...writable.map(({ target }) => target)])];
  }

  #look(roots: readonly string[], area: Area): Look {
    const found = this.#finder.find(roots, (path) => !area.opens(path));
    return { found, ...this.#states.look(found, area) };
  }

  #costOf(found: FoundRepositories, costMs: number): readonly string[] {
    if (found.complete)
      return costMs > slowLookMs
        ? [`Searching ${found.count} directories for git hooks took ${costMs} ms.`]
        : [];
    if (this.#saidIncomplete) return [];
    this.#saidIncomplete = true;
    return [
      `Only the first ${found.count} directories below the writable roots are searched for git hooks after each command (now in ${costMs} ms): what is deeper is not looked at.`,
    ];
  }

  async #putAside(call: Command["call"], { path, what }: Planted): Promise<string> {
    const there = toldThere({ path, what });
    let fd: number | null = null;
    try {
      fd = openInPlace(parentOf(path), "directory");
      if (fd === null) throw new Error("the way there leads elsewhere now");
      const at = `/proc/self/fd/${fd}/${basename(path)}`;
      const where = await this.#options.quarantine(call, path, at);
      return `${there}: it was moved to ${quotePath(where)}.`;
    } catch (thrown) {
      return `${there}, and it could not be moved away (${messageOf(thrown)}): remove it before you use git there.`;
    } finally {
      if (fd !== null) closePlace(fd);
    }
  }
}

function writableRoots(mounts: Mounts): readonly string[] {
  return [...mounts].filter(([path]) => accessAt(mounts, path) === "write").map(([path]) => path);
}

function toldThere({ path, what }: Planted): string {
  return `Since the command there is ${quotePath(path)}, ${what}`;
}

function toldPlanted(planted: Planted): string {
  return `${toldThere(planted)}: it was left as it is, because without the sandbox anybody may have made it; look at it before you use git there.`;
}
