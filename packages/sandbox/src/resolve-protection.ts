/** A protection whose paths are real: what is protected is also protected where a link leads. */
import { childOf, parentOf, type Protection } from "@yoi/scope";
import { machineSurroundings, type Surroundings } from "./surroundings.ts";

/** Adds the real path of everything that is reached through a link. One look at the file system; made once for a Pod. */
export function resolveProtection(
  protection: Protection,
  around: Surroundings = machineSurroundings,
): Protection {
  const real = (path: string): string => realOf(path, around);
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

/** Of what is missing: where it would be made. */
function realOf(path: string, around: Surroundings): string {
  if (path === "/") return path;
  return (
    around.realPath(path) ?? childOf(realOf(parentOf(path), around), path.slice(path.lastIndexOf("/") + 1))
  );
}
