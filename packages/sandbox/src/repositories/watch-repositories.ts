/** Watching repositories: after a command, what git would run because of it is put aside or told. Detection, not prevention. */
import { messageOf, type Clock } from "@yoi/base";
import { isWithin, permissionAt, type Protection, quotePath } from "@yoi/scope";
import type { Command } from "../runner.ts";
import { compareLooks, type Look, type Planted } from "./compare-looks.ts";
import { type FoundRepositories, RepositoryFinder } from "./find-repositories.ts";
import { GitStates } from "./git-state.ts";

/** A look that takes longer is told with its cost. */
export const slowLookMs = 250;
/** Most findings that are told one by one; all are dealt with. */
export const toldFindingsMax = 20;

export interface RepositoryWatchOptions {
  readonly protection: Protection;
  readonly clock: Clock;
  /** Default: `directoriesMax` of the finder. */
  readonly directoriesMax?: number;
  /** Moves a file, link or directory to where nobody runs it, and says where that is. */
  readonly quarantine: (call: Command["call"], path: string) => Promise<string>;
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
   * Looks at every git directory below the command's writable roots; where denies hold, not at what they keep the command from: what changes there
   * meanwhile somebody else did, a child to whom it is lent for one. The function it gives looks again, moves new and changed hooks and
   * redirects away, leaves configuration alone, and says all of it, a sentence each: first what was left, which somebody has to look at.
   */
  before(
    command: Pick<Command, "call" | "scope">,
    { deniesHold }: { readonly deniesHold: boolean },
  ): () => Promise<readonly string[]> {
    const { protection, clock } = this.#options;
    const writable = command.scope.allow.filter(({ permission }) => permission === "write");
    const { workspace } = protection;
    // A child works in its lender's workspace, of which it can write a part.
    const isOwn = !deniesHold || permissionAt(command.scope, workspace) === "write";
    const roots = [...new Set([...(isOwn ? [workspace] : []), ...writable.map(({ target }) => target)])];
    const denied = deniesHold ? command.scope.deny.filter(({ recursive }) => recursive) : [];
    const leftOut = (path: string): boolean => denied.some(({ target }) => isWithin(target, path));
    const started = clock.monotonic();
    const then = this.#look(roots, leftOut);
    const spentMs = clock.monotonic() - started;
    return async () => {
      const again = clock.monotonic();
      const now = this.#look(roots, leftOut);
      const { planted, left } = compareLooks(then, now);
      const findings = [...left];
      for (const each of planted) findings.push(await this.#putAside(command.call, each));
      const told = findings.slice(0, toldFindingsMax);
      if (findings.length > told.length) told.push(`And ${findings.length - told.length} more of the kind.`);
      const costMs = Math.round(spentMs + clock.monotonic() - again);
      return [...told, ...this.#costOf(now.found, costMs)];
    };
  }

  #look(roots: readonly string[], leftOut: (path: string) => boolean): Look {
    const found = this.#finder.find(roots, leftOut);
    // A `.git` file can lead there all the same.
    const states = [...this.#states.look(found)].filter(([directory]) => !leftOut(directory));
    return { found, states: new Map(states) };
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
    const there = `Since the command there is ${quotePath(path)}, ${what}`;
    try {
      const where = await this.#options.quarantine(call, path);
      return `${there}: it was moved to ${quotePath(where)}.`;
    } catch (thrown) {
      return `${there}, and it could not be moved away (${messageOf(thrown)}): remove it before you use git there.`;
    }
  }
}
