/** The scope of a new Pod that nobody configured. */
import type { Scope } from "@yoi/base";
import { isBelow, isWithin } from "./path.ts";
import { scopeRule } from "./rule.ts";

/** Where programs and their libraries are, on every Linux. */
export const systemDirectories: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
];

/**
 * Write the workspace; read the system directories and `toolchains`: the directories that the entries of PATH resolve to
 * (sandbox's `findToolchains` looks them up). All paths canonical. A toolchain that holds the home directory or a system directory's parent would
 * grant far more than a toolchain, and is left out.
 */
export function defaultScope(places: {
  readonly workspace: string;
  readonly home: string | null;
  readonly toolchains: readonly string[];
}): Scope {
  const readable = [...systemDirectories];
  for (const root of places.toolchains.toSorted()) {
    const tooWide = root === "/" || (places.home !== null && isWithin(root, places.home));
    const known = isWithin(places.workspace, root) || readable.some((directory) => isWithin(directory, root));
    const holdsSystem = systemDirectories.some((directory) => isBelow(root, directory));
    if (!tooWide && !known && !holdsSystem) readable.push(root);
  }
  return {
    allow: [
      scopeRule(places.workspace, "write"),
      ...readable.map((directory) => scopeRule(directory, "read")),
    ],
    deny: [],
  };
}
