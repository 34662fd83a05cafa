/** Watching repositories: after a command, what git would run because of it is put aside or told. Detection, not prevention. */
import { messageOf, type Clock } from "@yoi/base";
import { type Protection, quotePath } from "@yoi/scope";
import type { Command } from "../runner.ts";
import { type FoundRepositories, RepositoryFinder } from "./find-repositories.ts";
import { type GitState, gitStateOf } from "./git-state.ts";

/** A look that takes longer is told with its cost. */
export const slowLookMs = 250;
/** Most characters of a setting or a redirect that are told. */
const toldMax = 200;
/** Most findings that are told one by one; all are dealt with. */
export const toldFindingsMax = 20;

export interface RepositoryWatchOptions {
  readonly protection: Protection;
  readonly clock: Clock;
  /** Moves a file, link or directory to where nobody runs it, and says where that is. */
  readonly quarantine: (call: Command["call"], path: string) => Promise<string>;
}

type States = ReadonlyMap<string, GitState>;

/** One for a runner: it remembers the directories between commands. */
export class RepositoryWatch {
  readonly #finder = new RepositoryFinder();
  readonly #options: RepositoryWatchOptions;
  #saidIncomplete = false;

  constructor(options: RepositoryWatchOptions) {
    this.#options = options;
  }

  /**
   * Looks at every git directory below the command's writable roots. The function it gives looks again, moves new and changed hooks and
   * redirects away, leaves configuration alone, and says all of it, a sentence each.
   */
  before(command: Pick<Command, "call" | "scope">): () => Promise<readonly string[]> {
    const { protection, clock } = this.#options;
    const writable = command.scope.allow.filter(({ permission }) => permission === "write");
    const roots = [...new Set([protection.workspace, ...writable.map(({ target }) => target)])];
    const started = clock.monotonic();
    const states = statesOf(this.#finder.find(roots));
    const spentMs = clock.monotonic() - started;
    return async () => {
      const again = clock.monotonic();
      const found = this.#finder.find(roots);
      const findings = await this.#findings(command, states, statesOf(found));
      const told = findings.slice(0, toldFindingsMax);
      if (findings.length > told.length) told.push(`And ${findings.length - told.length} more of the kind.`);
      const costMs = Math.round(spentMs + clock.monotonic() - again);
      return [...told, ...this.#costOf(found, costMs)];
    };
  }

  #costOf(found: FoundRepositories, costMs: number): readonly string[] {
    if (found.complete)
      return costMs > slowLookMs
        ? [`Searching ${found.looked} directories for git hooks took ${costMs} ms.`]
        : [];
    if (this.#saidIncomplete) return [];
    this.#saidIncomplete = true;
    return [
      `Only the first ${found.looked} directories below the writable roots are searched for git hooks after each command (now in ${costMs} ms): what is deeper is not looked at.`,
    ];
  }

  async #findings(command: Pick<Command, "call">, before: States, after: States): Promise<string[]> {
    const findings: string[] = [];
    for (const [directory, now] of after) {
      const then = before.get(directory);
      for (const [path, stamp] of now.hooks) {
        if (then?.hooks.get(path) === stamp) continue;
        findings.push(
          await this.#putAside(command, path, "a git hook, which would run at your next use of git"),
        );
      }
      for (const [path, held] of now.redirects) {
        if (then?.redirects.get(path) === held) continue;
        const what = `which would make git take hooks and configuration from ${JSON.stringify(held.slice(0, toldMax))}`;
        findings.push(await this.#putAside(command, path, what));
      }
      for (const [path, settings] of now.settings) {
        const known = new Set(then?.settings.get(path));
        const gained = settings.filter((setting) => !known.has(setting));
        if (gained.length > 0) findings.push(toldSettings(path, gained));
      }
    }
    return findings;
  }

  async #putAside(command: Pick<Command, "call">, path: string, what: string): Promise<string> {
    const made = `The command made or changed ${quotePath(path)}, ${what}`;
    try {
      const where = await this.#options.quarantine(command.call, path);
      return `${made}: it was moved to ${quotePath(where)}.`;
    } catch (thrown) {
      return `${made}, and it could not be moved away (${messageOf(thrown)}): remove it before you use git there.`;
    }
  }
}

function statesOf({ directories }: FoundRepositories): States {
  return new Map(directories.map((directory) => [directory, gitStateOf(directory)]));
}

function toldSettings(path: string, gained: readonly string[]): string {
  const told = gained.map((setting) => JSON.stringify(setting.slice(0, toldMax))).join(", ");
  return `The command gave ${quotePath(path)} settings with which git runs programs or reads other files (${told.slice(0, 4 * toldMax)}): it was left as it is; look at it before you use git there.`;
}
