/** What came to be between two looks: what can be put aside, and what has to be left and told. */
import { parentOf, quotePath } from "@yoi/scope";
import type { FoundRepositories } from "./find-repositories.ts";
import type { GitState } from "./git-state.ts";

export interface Look {
  readonly found: FoundRepositories;
  readonly states: ReadonlyMap<string, GitState>;
}

/** A hook or a redirect: it does nothing but harm there, so it can go. */
export interface Planted {
  readonly path: string;
  /** Goes on behind its path. */
  readonly what: string;
}

export interface Difference {
  readonly planted: readonly Planted[];
  /** A sentence each. */
  readonly left: readonly string[];
}

/** Most characters of a setting or a redirect that are told. */
const toldMax = 200;

export function compareLooks(then: Look, now: Look): Difference {
  const planted: Planted[] = [];
  const left: string[] = [];
  // What was moved along with its repository is no new hook.
  const hooksThen = new Set([...then.states.values()].flatMap(({ hooks }) => [...hooks.values()]));
  for (const [directory, state] of now.states) {
    const before = then.states.get(directory);
    const isUnseen = before === undefined && !wasLookedAt(then.found, directory);
    for (const [path, hook] of state.hooks) {
      if (before?.hooks.get(path) === hook || hooksThen.has(hook)) continue;
      if (isUnseen) left.push(toldUnseen(path));
      else planted.push({ path, what: "a git hook, which would run at your next use of git" });
    }
    for (const [path, held] of state.redirects) {
      if (before?.redirects.get(path) === held) continue;
      const from = JSON.stringify(held.slice(0, toldMax));
      planted.push({ path, what: `which would make git take hooks and configuration from ${from}` });
    }
    for (const [path, settings] of state.settings) {
      const known = new Set(before?.settings.get(path));
      const gained = settings.filter((setting) => !known.has(setting));
      if (gained.length > 0) left.push(toldSettings(path, gained));
    }
    for (const [path, why] of state.unknown) {
      if (before?.unknown.get(path) !== why) left.push(toldUnknown(path, why));
    }
  }
  const closedThen = new Set(then.found.closed);
  for (const path of now.found.closed) {
    if (!closedThen.has(path)) left.push(toldUnknown(path, "a directory that cannot be listed"));
  }
  return { planted, left };
}

/** Or the directory that it is the `.git` of: a `.git` that was not there had nothing to be looked at. */
function wasLookedAt({ complete, looked }: FoundRepositories, directory: string): boolean {
  return complete || looked(directory) || looked(parentOf(directory));
}

function toldUnseen(path: string): string {
  return `There is a git hook in ${quotePath(path)}, which was too deep to be looked at before the command: whether the command made it is not known, and it was left.`;
}

function toldUnknown(path: string, why: string): string {
  return `Since the command ${quotePath(path)} is ${why}: what git would run because of it is not known; look at it before you use git there.`;
}

function toldSettings(path: string, gained: readonly string[]): string {
  const told = gained.map((setting) => JSON.stringify(setting.slice(0, toldMax))).join(", ");
  return `Since the command ${quotePath(path)} has settings with which git runs programs or reads other files (${told.slice(0, 4 * toldMax)}): it was left as it is; look at it before you use git there.`;
}
