/** A protection whose paths are real: what is protected is also protected where a link leads. */
import type { Protection } from "@yoi/scope";
import { machineSurroundings, type Surroundings } from "./surroundings.ts";

/** Adds the real path of everything that is reached through a link. One look at the file system; made once for a Pod. */
export function resolveProtection(
  protection: Protection,
  around: Surroundings = machineSurroundings,
): Protection {
  const both = (paths: readonly string[]): string[] => [
    ...new Set(paths.flatMap((path) => [path, around.realPath(path) ?? path])),
  ];
  return {
    hidden: both(protection.hidden),
    readOnly: both(protection.readOnly),
    spill: protection.spill === null ? null : (around.realPath(protection.spill) ?? protection.spill),
    workspace: around.realPath(protection.workspace) ?? protection.workspace,
    home: protection.home === null ? null : (around.realPath(protection.home) ?? protection.home),
    programs: both(protection.programs),
  };
}
