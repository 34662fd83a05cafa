/** A protection whose paths are real: what is protected is also protected where a link leads. */
import { childOf, parentOf, type Protection } from "@yoi/scope";
import { machineSurroundings, type Surroundings } from "./surroundings.ts";

/** Adds the real path of everything that is reached through a link. One look at the file system; made once for a Pod. */
export function resolveProtection(
  protection: Protection,
  around: Surroundings = machineSurroundings,
): Protection {
  const real = realPaths(around);
  const both = (paths: readonly string[]): string[] => [
    ...new Set(paths.flatMap((path) => [path, real(path)])),
  ];
  return {
    hidden: both(protection.hidden),
    readOnly: both(protection.readOnly),
    spill: protection.spill === null ? null : real(protection.spill),
    workspace: real(protection.workspace),
    home: protection.home === null ? null : real(protection.home),
    programs: both(protection.programs),
  };
}

/** Holds an empty name, `.` or `..`, which stand for another directory than their name says. */
const notPlain = /\/\.{0,2}(?:\/|$)/;

/**
 * The real path of each path; of what is missing: where it would be made. One look for each name, and one for a directory that many of the
 * paths lie in: resolving each on its own took 1,000 looks and 2 ms at every start, most of them for what is not there.
 */
function realPaths(around: Surroundings): (path: string) => string {
  const known = new Map<string, string>([["/", "/"]]);
  const real = (path: string): string => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const here = childOf(real(parentOf(path)), path.slice(path.lastIndexOf("/") + 1));
    const asItIs = !notPlain.test(path) && around.kindOf(here) !== "link";
    const found = asItIs ? here : (around.realPath(path) ?? here);
    known.set(path, found);
    return found;
  };
  return real;
}
