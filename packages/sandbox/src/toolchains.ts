/** Toolchains: the directories that the entries of PATH resolve to, so that a default scope lets installed programs run. */
import { isWithin, parentOf, systemDirectories } from "@yoi/scope";
import { searchPath } from "./environment.ts";
import { machineSurroundings, type Surroundings } from "./surroundings.ts";

/** Most links of one PATH directory that are followed. */
const linksMax = 512;

/** Beside a toolchain and part of it: rustup keeps its compilers apart from its programs. */
const companions: Readonly<Record<string, string>> = { ".cargo": ".rustup" };

const programNames = new Set(["bin", "sbin", "shims", ".bin", "libexec"]);

/** Canonical directories to be read, sorted; those in the system directories or the workspace are left out, and so is what would be the whole home directory. */
export function findToolchains(
  places: { readonly path: string | undefined; readonly workspace: string; readonly home: string | null },
  around: Surroundings = machineSurroundings,
): string[] {
  const found = new Set<string>();
  const add = (root: string): void => {
    const tooWide = root === "/" || (places.home !== null && isWithin(root, places.home));
    if (
      tooWide ||
      isWithin(places.workspace, root) ||
      systemDirectories.some((directory) => isWithin(directory, root))
    )
      return;
    found.add(root);
    const companion = companions[root.slice(root.lastIndexOf("/") + 1)];
    const beside = companion === undefined ? null : around.realPath(`${parentOf(root)}/${companion}`);
    if (beside !== null) found.add(beside);
  };
  for (const entry of searchPath(places.path)) {
    const directory = around.realPath(entry);
    if (
      directory === null ||
      around.kindOf(directory) !== "directory" ||
      isWithin(places.workspace, directory)
    )
      continue;
    if (systemDirectories.some((system) => isWithin(system, directory))) continue;
    add(rootOf(directory, places.home));
    for (const name of around.links(directory).slice(0, linksMax)) {
      const real = around.realPath(`${directory}/${name}`);
      if (real !== null && !isWithin(directory, real)) add(rootOf(parentOf(real), places.home));
    }
  }
  return [...found]
    .filter((root) => ![...found].some((other) => other !== root && isWithin(other, root)))
    .toSorted();
}

/** `/x/tool/bin` belongs to `/x/tool`; a package in node_modules to all of that; `~/bin` and `~/.local/bin` to themselves. */
function rootOf(directory: string, home: string | null): string {
  const modules = directory.indexOf("/node_modules");
  if (modules > 0) return directory.slice(0, modules + "/node_modules".length);
  if (!programNames.has(directory.slice(directory.lastIndexOf("/") + 1))) return directory;
  const parent = parentOf(directory);
  const shared = home !== null && (isWithin(parent, home) || parent === `${home}/.local`);
  return parent === "/" || shared ? directory : parent;
}
