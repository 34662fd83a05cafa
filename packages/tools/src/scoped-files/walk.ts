/** Walk: finds out what a path really names, component by component, each opened below the one before, each asked for under the rules. */
import { closeSync } from "node:fs";
import { YoiError } from "@yoi/base";
import { childOf, isGitName, lowerPermission, normalPath, pathComponents, quotePath } from "@yoi/scope";
import { openEntry, openRoot, type Place, readLinkEntry } from "./descriptor.ts";
import { outOfScope, type Rules } from "./rules.ts";

/** Linux follows this many links in one path. */
export const linksMax = 40;

export interface Walked {
  /** The real path, as the walk found it. */
  readonly path: string;
  /** The directory that holds the last thing that is there. */
  readonly parent: Place;
  readonly parentPath: string;
  /** What the path names; null when it, or a directory on the way, is missing. */
  readonly entry: Place | null;
  /** The names below `parent` that are not there; [] when `entry` is. */
  readonly missing: readonly string[];
  close(): void;
}

interface Step {
  readonly place: Place;
  readonly path: string;
  /** The device that the rule in force began on; null above any rule. */
  readonly device: bigint | null;
}

/**
 * Walks to `asked`. The last component is followed when it is a link. Throws `out_of_scope` before it looks at anything that no
 * rule grants or leads to, and where the real path's permission is less than `wanted`. The caller closes what it gets.
 */
export function walk(asked: string, wanted: "read" | "write", rules: Rules): Walked {
  const start = normalPath(asked);
  const steps: Step[] = [{ place: openRoot(), path: "/", device: null }];
  try {
    return walkFrom(steps, start, wanted, rules);
  } catch (thrown) {
    closeAll(steps);
    throw thrown;
  }
}

function walkFrom(steps: Step[], asked: string, wanted: "read" | "write", rules: Rules): Walked {
  let names = pathComponents(asked);
  let links = 0;
  while (names.length > 0) {
    const [name = "", ...rest] = names;
    const here = last(steps);
    if (name === "..") {
      if (steps.length > 1) closeAll(steps.splice(-1));
      names = rest;
      continue;
    }
    const path = childOf(here.path, name);
    const held = rules.permission(path);
    if (held === "none" && !rules.leadsToGrant(path))
      throw outOfScope(asked, [path, ...rest].join("/"), wanted, held);
    const place = openEntry(here.place.fd, name, path);
    if (place === null) {
      if (rest.includes("..")) throw outOfScope(asked, path, wanted, "none");
      return finish(steps, null, asked, names, wanted, rules);
    }
    if (place.stat.isSymbolicLink()) {
      closeSync(place.fd);
      links += 1;
      if (links > linksMax)
        throw new YoiError(
          "out_of_scope",
          `The path ${quotePath(asked)} goes through more than ${linksMax} links.`,
        );
      const target = readLinkEntry(here.place.fd, name, path);
      if (target.startsWith("/")) closeAll(steps.splice(1));
      names = [...pathComponents(target), ...rest];
      continue;
    }
    const step = enter(here, place, path, rules);
    names = rest;
    if (place.stat.isDirectory()) steps.push(step);
    else if (rest.length > 0) {
      closeSync(place.fd);
      throw new YoiError(
        "io_failed",
        `The path ${quotePath(asked)} goes through ${quotePath(path)}, which is not a directory.`,
      );
    } else return finish(steps, step, asked, [], wanted, rules);
  }
  const directory = steps.length > 1 ? steps.pop() : undefined;
  return finish(steps, directory ?? last(steps), asked, [], wanted, rules);
}

/** Refuses to pass onto another file system than the one that the rule was given for. */
function enter(from: Step, place: Place, path: string, rules: Rules): Step {
  if (rules.isGrant(path)) return { place, path, device: place.stat.dev };
  if (from.device !== null && from.device !== place.stat.dev) {
    closeSync(place.fd);
    throw new YoiError(
      "out_of_scope",
      `The path ${quotePath(path)} is on another file system than the directory that was granted: ask the user to add a rule for it.`,
      { place: { path } },
    );
  }
  return { place, path, device: from.device };
}

function finish(
  steps: Step[],
  entry: Step | null,
  asked: string,
  missing: readonly string[],
  wanted: "read" | "write",
  rules: Rules,
): Walked {
  const parent = last(steps);
  const path = entry?.path ?? missing.reduce(childOf, parent.path);
  const all = entry === null || entry === parent ? steps : [...steps, entry];
  const [made] = missing;
  // A `.git` that is a file says where git takes hooks and configuration from; what is missing would become one.
  const isGitFile =
    isGitName(path.slice(path.lastIndexOf("/") + 1)) && entry?.place.stat.isDirectory() !== true;
  const isClosed = isGitFile || (made !== undefined && rules.isClosed(childOf(parent.path, made)));
  const held = isClosed ? lowerPermission(rules.permission(path), "read") : rules.permission(path);
  if (held === "none" || (wanted === "write" && held !== "write")) {
    if (entry !== null && entry !== parent) closeSync(entry.place.fd);
    throw outOfScope(asked, path, wanted, held);
  }
  return {
    path,
    parent: parent.place,
    parentPath: parent.path,
    entry: entry?.place ?? null,
    missing,
    close: () => closeAll(all.splice(0)),
  };
}

function last(steps: readonly Step[]): Step {
  const step = steps.at(-1);
  if (step === undefined) throw new Error("a walk has always its root");
  return step;
}

function closeAll(steps: readonly Step[]): void {
  for (const { place } of steps) closeSync(place.fd);
}
