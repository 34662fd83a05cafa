/** What git directories would run or follow: their hooks, the settings of their configuration, their redirects. */
import { hash } from "node:crypto";
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { childOf, gitRedirects, parentOf } from "@yoi/scope";
import { resolveFrom } from "../project-places.ts";
import type { FoundRepositories } from "./find-repositories.ts";
import { runningSettings } from "./git-config.ts";
import { type SmallFile, SmallFiles } from "./small-file.ts";

/** A larger hook or configuration file is not read; its change is told as such. */
export const gitFileBytesMax = 256 * 1024;
/** A file that holds a path has no more. */
const pathBytesMax = 4096;
/** Most hooks of one directory that are looked at one by one. */
export const hooksMax = 256;
const configNames = ["config", "config.worktree"];

/** A hook, or a `hooks` that is no directory. */
export interface Hook {
  readonly stamp: string;
  /** Its name, content, and whether it runs; null: it was not read. */
  readonly identity: string | null;
}

export interface GitState {
  readonly hooks: ReadonlyMap<string, Hook>;
  /** False: there are hooks that are not in `hooks`. */
  readonly hooksAreAll: boolean;
  /** Path of a configuration file -> its settings that run something. */
  readonly settings: ReadonlyMap<string, { readonly stamp: string; readonly running: readonly string[] }>;
  /** Path of a file that sends git elsewhere, where git makes none itself -> what it holds. */
  readonly redirects: ReadonlyMap<string, string>;
  /** Path -> why it could not be looked at. */
  readonly unknown: ReadonlyMap<string, { readonly stamp: string; readonly why: string }>;
}

/** A `.git` that is a file or a link. */
export interface GitFile {
  readonly leadsTo: string;
  /** That is, or may be, elsewhere than where the command could write, and nothing there was looked at. */
  readonly leadsOut: boolean;
}

/** Where a command could write: what it cannot have changed is nobody's business here. */
export interface Area {
  /** True for what lies where the command could write, or is kept from it there. For a real path. */
  readonly holds: (path: string) => boolean;
  /** True where the command could write it, or something in it. */
  readonly opens: (path: string) => boolean;
}

type Draft = {
  -readonly [K in keyof GitState]: GitState[K] extends ReadonlyMap<infer P, infer V>
    ? Map<P, V>
    : GitState[K];
};

/** One for a runner: it remembers what files hold. */
export class GitStates {
  readonly #hookFiles = new SmallFiles(gitFileBytesMax, (bytes) => hash("sha256", bytes, "hex"));
  readonly #configFiles = new SmallFiles(gitFileBytesMax, (bytes) => runningSettings(bytes.toString("utf8")));
  readonly #pathFiles = new SmallFiles(pathBytesMax, (bytes) => bytes.toString("utf8"));

  /**
   * The states of all git directories that were found, and of those in the area that they and `.git` files lead to. A model can write anything into
   * such a file: what lies elsewhere is not looked at.
   */
  look(
    found: FoundRepositories,
    area: Area,
  ): { readonly states: ReadonlyMap<string, GitState>; readonly gitFiles: ReadonlyMap<string, GitFile> } {
    for (const files of [this.#hookFiles, this.#configFiles, this.#pathFiles]) files.begin();
    const states = new Map<string, GitState>();
    const gitFiles = new Map<string, GitFile>();
    const queue = [...found.directories];
    for (const path of found.gitFiles) {
      const leadsTo = this.#leadFrom(path);
      if (leadsTo === null) continue;
      const real = realPath(leadsTo);
      if (real !== null) queue.push(real);
      const leadsOut = real === null ? hasLink(leadsTo) || !area.holds(leadsTo) : !area.holds(real);
      gitFiles.set(path, { leadsTo, leadsOut });
    }
    for (let at = 0; at < queue.length; at += 1) {
      const directory = queue[at] ?? "";
      if (states.has(directory) || !area.opens(directory)) continue;
      states.set(directory, this.#state(directory));
      const common = this.#leadFrom(childOf(directory, "commondir"));
      const real = common === null ? null : realPath(common);
      if (real !== null) queue.push(real);
    }
    return { states, gitFiles };
  }

  #state(directory: string): GitState {
    const draft: Draft = {
      hooks: new Map(),
      hooksAreAll: true,
      settings: new Map(),
      redirects: new Map(),
      unknown: new Map(),
    };
    this.#hooks(directory, draft);
    this.#configuration(directory, draft);
    this.#redirects(directory, draft);
    return draft;
  }

  #hooks(directory: string, draft: Draft): void {
    const place = childOf(directory, "hooks");
    const own = this.#hookFiles.read(place);
    if (own === null) return;
    const { stamp } = own;
    if (own.file.kind !== "directory") {
      draft.hooks.set(place, { stamp, identity: identityOf("hooks", own.file) });
      return;
    }
    const names = namesIn(place);
    const live = (names ?? []).filter((name) => !name.endsWith(".sample"));
    if (names === null) draft.unknown.set(place, { stamp, why: "a directory that cannot be listed" });
    if (live.length > hooksMax)
      draft.unknown.set(place, { stamp, why: `a directory of ${live.length} hooks, too many to look at` });
    draft.hooksAreAll = names !== null && live.length <= hooksMax;
    for (const name of live.slice(0, hooksMax)) {
      const path = childOf(place, name);
      const hook = this.#hookFiles.read(path);
      if (hook !== null) draft.hooks.set(path, { stamp: hook.stamp, identity: identityOf(name, hook.file) });
    }
  }

  #configuration(directory: string, { settings, unknown }: Draft): void {
    for (const name of configNames) {
      const path = childOf(directory, name);
      const looked = this.#configFiles.read(path);
      if (looked === null) continue;
      const { stamp, file } = looked;
      switch (file.kind) {
        case "file":
          settings.set(path, { stamp, running: file.value });
          break;
        case "link":
          settings.set(path, { stamp, running: [`a link to ${file.to}`] });
          break;
        case "odd":
          unknown.set(path, { stamp, why: file.what });
          break;
        case "unread":
          unknown.set(path, { stamp, why: file.why });
          break;
        case "directory":
      }
    }
  }

  /** Git writes both files itself for a worktree: what leads from there to the repository it is in is no redirect. */
  #redirects(directory: string, { redirects, unknown }: Draft): void {
    const isWorktree = parentOf(directory).endsWith("/worktrees");
    for (const name of gitRedirects) {
      const path = childOf(directory, name);
      const looked = this.#pathFiles.read(path);
      if (looked === null || looked.file.kind === "directory") continue;
      const { stamp, file } = looked;
      if (file.kind === "odd" || file.kind === "unread") {
        unknown.set(path, { stamp, why: file.kind === "odd" ? file.what : file.why });
        continue;
      }
      const held = (file.kind === "link" ? file.to : file.value).trim();
      const isGits = isWorktree && file.kind === "file" && (name === "gitdir" || held === "../..");
      if (!isGits) redirects.set(path, held);
    }
  }

  /** Where a `.git` or a `commondir` leads; null when it leads nowhere that can be told. */
  #leadFrom(path: string): string | null {
    const file = this.#pathFiles.read(path)?.file;
    const isGit = path.endsWith("/.git");
    if (isGit && file?.kind === "link") return resolveFrom(parentOf(path), file.to);
    if (file?.kind !== "file") return null;
    const text = isGit ? /^gitdir: (.+)$/m.exec(file.value)?.[1] : file.value;
    const to = text?.trim() ?? "";
    return to === "" ? null : resolveFrom(parentOf(path), to);
  }
}

/** Null: nothing is there, or what is cannot be reached. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** True when what a path that leads nowhere leads through may lead anywhere: so nobody learns from it what is elsewhere. */
function hasLink(path: string): boolean {
  try {
    for (let place = path; place !== "/"; place = parentOf(place))
      if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true) return true;
    return false;
  } catch {
    return true;
  }
}

/** A hook that was moved, or whose mode changed in another way than to run, is the same. */
function identityOf(name: string, file: SmallFile<string>): string | null {
  switch (file.kind) {
    case "file":
      return `${name} ${file.executable ? "runs" : "does not run"} ${file.value}`;
    case "link":
      return `${name} link ${file.to}`;
    case "directory":
      return `${name} directory`;
    case "odd":
      return `${name} ${file.what}`;
    case "unread":
      return null;
  }
}

/** Null: it cannot be listed, which keeps git from nothing. */
function namesIn(path: string): readonly string[] | null {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return null;
  }
}
