/** What came to be between two looks: what can be put aside, and what has to be left and told. */
import { parentOf, quotePath } from "@yoi/scope";
import type { FoundRepositories } from "./find-repositories.ts";
import type { GitFile, GitState, Hook } from "./git-state.ts";

export interface Look {
  readonly found: FoundRepositories;
  readonly states: ReadonlyMap<string, GitState>;
  readonly gitFiles: ReadonlyMap<string, GitFile>;
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

/** @param canWrite what the command could write: of the rest nothing is its doing. */
export function compareLooks(then: Look, now: Look, canWrite: (path: string) => boolean): Difference {
  const planted: Planted[] = [];
  const left: string[] = [];
  // What was moved along with its repository is no new hook.
  const hooksThen = new Set(
    [...then.states.values()].flatMap(({ hooks }) => [...hooks.values()].map(({ identity }) => identity)),
  );
  for (const [directory, state] of now.states) {
    const before = then.states.get(directory);
    const wasAll = before === undefined ? wasLookedAt(then.found, directory) : before.hooksAreAll;
    for (const [path, hook] of state.hooks) {
      if (!canWrite(path)) continue;
      switch (compareHook(before?.hooks.get(path), hook, { hooksThen, wasAll })) {
        case "same":
          break;
        case "planted":
          planted.push({ path, what: "a git hook, which would run at your next use of git" });
          break;
        case "unsure":
          left.push(toldUnsure(path));
      }
    }
    for (const [path, held] of state.redirects) {
      if (before?.redirects.get(path) === held || !canWrite(path)) continue;
      planted.push({ path, what: redirecting(held) });
    }
    for (const [path, { stamp, running }] of state.settings) {
      if (before?.unknown.get(path)?.stamp === stamp || !canWrite(path)) continue;
      const known = new Set(before?.settings.get(path)?.running);
      const gained = running.filter((setting) => !known.has(setting));
      if (gained.length > 0) left.push(toldSettings(path, gained));
    }
    for (const [path, { stamp, why }] of state.unknown) {
      const same = before?.unknown.get(path)?.stamp ?? before?.settings.get(path)?.stamp;
      if (same !== stamp && canWrite(path)) left.push(toldUnknown(path, why));
    }
  }
  const leadThen = new Set(
    [...then.gitFiles.values()].filter(({ leadsOut }) => leadsOut).map(({ leadsTo }) => leadsTo),
  );
  for (const [path, { leadsTo, leadsOut }] of now.gitFiles) {
    // What leads where one led before was moved or copied with its directory.
    if (!leadsOut || leadThen.has(leadsTo) || !canWrite(path)) continue;
    const before = then.gitFiles.get(path);
    const isNew = before === undefined ? wasLookedAt(then.found, path) : before.leadsTo !== leadsTo;
    if (isNew) planted.push({ path, what: redirecting(leadsTo) });
    else left.push(toldLeadsOut(path, leadsTo));
  }
  const closedThen = new Set(then.found.closed);
  for (const path of now.found.closed) {
    if (!closedThen.has(path) && canWrite(path))
      left.push(toldUnknown(path, "a directory that cannot be listed"));
  }
  return { planted, left };
}

/** Or the directory that it is the `.git` of: a `.git` that was not there had nothing to be looked at. */
function wasLookedAt({ complete, looked }: FoundRepositories, directory: string): boolean {
  return complete || looked(directory) || looked(parentOf(directory));
}

/** Somebody's own hook must not be taken away: only one that is known to be another than before is planted. */
function compareHook(
  before: Hook | undefined,
  { stamp, identity }: Hook,
  { hooksThen, wasAll }: { readonly hooksThen: ReadonlySet<string | null>; readonly wasAll: boolean },
): "same" | "planted" | "unsure" {
  if (before?.stamp === stamp) return "same";
  if (identity !== null && hooksThen.has(identity)) return "same";
  if (before === undefined) return wasAll ? "planted" : "unsure";
  return before.identity === null || identity === null ? "unsure" : "planted";
}

function redirecting(to: string): string {
  return `which would make git take hooks and configuration from ${JSON.stringify(to.slice(0, toldMax))}`;
}

function toldLeadsOut(path: string, to: string): string {
  return `Since the command, or before where not all could be looked at, ${quotePath(path)} leads git to ${JSON.stringify(to.slice(0, toldMax))}: it was left as it is; look at it before you use git there.`;
}

function toldUnsure(path: string): string {
  return `There is a git hook in ${quotePath(path)} of which not all could be looked at before and after the command: whether the command made or changed it is not known, and it was left; look at it before you use git there.`;
}

function toldUnknown(path: string, why: string): string {
  return `Since the command ${quotePath(path)} is ${why}: what git would run because of it is not known; look at it before you use git there.`;
}

function toldSettings(path: string, gained: readonly string[]): string {
  const told = gained.map((setting) => JSON.stringify(setting.slice(0, toldMax))).join(", ");
  return `Since the command ${quotePath(path)} has settings with which git runs programs or reads other files (${told.slice(0, 4 * toldMax)}): it was left as it is; look at it before you use git there.`;
}
