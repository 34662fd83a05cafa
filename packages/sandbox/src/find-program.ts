/** Where a program that yoi runs itself may come from: a place that nothing a model wrote can have got to. */
import { accessSync, constants, lstatSync, readlinkSync, type Stats } from "node:fs";
import { childOf, isWithin, parentOf, pathComponents } from "@yoi/scope";

/** Looked at first where the search path names them, in this order. */
const standardDirectories: readonly string[] = ["/usr/bin", "/bin", "/usr/local/bin"];
/** Root can write everything, and so may its Pods wherever root let them: only what a system installs itself is left. */
const rootPlaces: readonly string[] = ["/usr", "/bin", "/sbin", "/nix", "/run/current-system"];
const othersMayWrite = 0o022;
/** Linux follows this many links in one path. */
const linksMax = 40;

/** The real path of the first executable of that name on `searchPath`, outside `workspace`, that this user cannot have written; null when there is none. */
export function findProgram(name: string, searchPath: readonly string[], workspace: string): string | null {
  const standard = standardDirectories.filter((directory) => searchPath.includes(directory));
  const others = searchPath.filter((directory) => !standardDirectories.includes(directory));
  for (const directory of [...standard, ...others]) {
    if (!directory.startsWith("/")) continue;
    const file = childOf(directory, name);
    try {
      accessSync(file, constants.X_OK);
      const real = trustedFile(file, workspace, standard.includes(directory));
      if (real !== null) return real;
    } catch {
      // Not in this directory: the next one.
    }
  }
  return null;
}

/** The real path of `file`, followed link by link; null where this user could have put something else on the way. Throws when it is not there. */
function trustedFile(file: string, workspace: string, isStandard: boolean): string | null {
  const isRoot = process.getuid?.() === 0;
  let names = pathComponents(file);
  let here = "/";
  let links = 0;
  while (names.length > 0) {
    const [name = "", ...rest] = names;
    if (name === "..") {
      here = parentOf(here);
      names = rest;
      continue;
    }
    const path = childOf(here, name);
    const stat = lstatSync(path);
    const isLink = stat.isSymbolicLink();
    if (isWithin(workspace, path)) return null;
    if (!isStandard && isChangeable(path, stat, isRoot)) return null;
    if (isRoot && !isStandard && !stat.isDirectory() && !rootPlaces.some((place) => isWithin(place, path)))
      return null;
    names = rest;
    if (isLink) {
      links += 1;
      if (links > linksMax) return null;
      const target = readlinkSync(path);
      if (target.startsWith("/")) here = "/";
      names = [...pathComponents(target), ...rest];
    } else if (rest.length > 0) here = path;
    else return stat.isFile() ? path : null;
  }
  return null;
}

/** A link's own mode says nothing: whoever can write its directory can change it. An owner can give himself what he lacks. */
function isChangeable(path: string, stat: Stats, isRoot: boolean): boolean {
  if (isRoot) return stat.uid !== 0 || (!stat.isSymbolicLink() && (stat.mode & othersMayWrite) !== 0);
  if (stat.uid === process.getuid?.()) return true;
  return !stat.isSymbolicLink() && isWritable(path);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
