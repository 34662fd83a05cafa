/** What one git directory would run or follow: its hooks, the settings of its configuration, its redirects. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { childOf, gitRedirects, parentOf } from "@yoi/scope";
import { runningSettings } from "./git-config.ts";

/** A larger configuration file is not read; its change is told as such. */
export const configBytesMax = 256 * 1024;
const configNames = ["config", "config.worktree"];

export interface GitState {
  /** Path of a hook, or of a `hooks` that is no directory -> what changes with it. */
  readonly hooks: ReadonlyMap<string, string>;
  /** Path of a configuration file -> its settings that run something. */
  readonly settings: ReadonlyMap<string, readonly string[]>;
  /** Path of a file that sends git elsewhere, where git makes none itself -> what it holds. */
  readonly redirects: ReadonlyMap<string, string>;
}

export function gitStateOf(directory: string): GitState {
  return { hooks: hooksOf(directory), settings: settingsOf(directory), redirects: redirectsOf(directory) };
}

function hooksOf(directory: string): ReadonlyMap<string, string> {
  const hooks = childOf(directory, "hooks");
  const own = look(hooks);
  if (own === null) return new Map();
  if (!own.isDirectory) return new Map([[hooks, own.stamp]]);
  const found = new Map<string, string>();
  for (const name of namesIn(hooks)) {
    if (name.endsWith(".sample")) continue;
    const path = childOf(hooks, name);
    const entry = look(path);
    if (entry !== null) found.set(path, entry.stamp);
  }
  return found;
}

function settingsOf(directory: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const name of configNames) {
    const path = childOf(directory, name);
    const entry = look(path);
    if (entry === null || entry.isDirectory) continue;
    if (entry.isLink) found.set(path, [`a link to ${readLink(path)}`]);
    else if (entry.bytes > configBytesMax) found.set(path, [`${entry.bytes} bytes, too many to look at`]);
    else found.set(path, runningSettings(readText(path)));
  }
  return found;
}

/** Git writes both files itself for a worktree: what leads from there to the repository it is in is no redirect. */
function redirectsOf(directory: string): ReadonlyMap<string, string> {
  const isWorktree = parentOf(directory).endsWith("/worktrees");
  const found = new Map<string, string>();
  for (const name of gitRedirects) {
    const path = childOf(directory, name);
    const entry = look(path);
    if (entry === null) continue;
    const held = entry.isLink ? readLink(path) : entry.bytes > configBytesMax ? "" : readText(path);
    const isGits = isWorktree && !entry.isLink && (name === "gitdir" || held.trim() === "../..");
    if (!isGits) found.set(path, held.trim());
  }
  return found;
}

interface Look {
  readonly isDirectory: boolean;
  readonly isLink: boolean;
  readonly bytes: number;
  /** Nobody can put `ctime` back. */
  readonly stamp: string;
}

function look(path: string): Look | null {
  const stat = orNull(() => lstatSync(path, { throwIfNoEntry: false }) ?? null);
  if (stat === null) return null;
  const stamp = `${stat.ino}:${stat.size}:${stat.mode}:${stat.mtimeMs}:${stat.ctimeMs}`;
  return { isDirectory: stat.isDirectory(), isLink: stat.isSymbolicLink(), bytes: stat.size, stamp };
}

function namesIn(path: string): readonly string[] {
  return orNull(() => readdirSync(path).toSorted()) ?? [];
}

function readText(path: string): string {
  return orNull(() => readFileSync(path, "utf8")) ?? "";
}

function readLink(path: string): string {
  return orNull(() => readlinkSync(path)) ?? "";
}

/** What vanished or cannot be read meanwhile is not there for git either. */
function orNull<T>(get: () => T): T | null {
  try {
    return get();
  } catch {
    return null;
  }
}
