/** Rules about manifests and files: every package stands in the table, declares only what the table allows, and holds only code that can be read. */
import type { Fault } from "./fault.ts";
import { conformanceSubpath, folderOrder, libraries, npmName, packages } from "./table.ts";
import type { Package, Workspace } from "./workspace.ts";

export function checkManifests(workspace: Workspace): readonly Fault[] {
  const faults: Fault[] = workspace.strange.map((path) => ({
    path,
    line: null,
    what: "src holds TypeScript files and data only, no links and no other code",
    rule: "package/files",
    instead: "Write it as a .ts file.",
  }));
  for (const one of workspace.packages) faults.push(...checkManifest(one));
  for (const file of workspace.files.values()) {
    for (const { line, what } of file.facts.opaque) {
      faults.push({
        path: file.path,
        line,
        what,
        rule: "source/opaque",
        instead: "Write what this check can read.",
      });
    }
    const order = folderOrder[file.package];
    const folder = file.inside.includes("/") ? file.inside.split("/")[0] : undefined;
    if (order !== undefined && folder !== undefined && !order.includes(folder)) {
      faults.push({
        path: file.path,
        line: null,
        what: `${file.package} has no folder "${folder}"`,
        rule: "package/folder",
        instead: `Its folders are ${order.join(", ")}.`,
      });
    }
  }
  return faults;
}

function checkManifest(one: Package): readonly Fault[] {
  const faults: Fault[] = [];
  const fault = (rule: string, what: string, instead: string) =>
    faults.push({
      path: `packages/${one.folder}/package.json`,
      line: null,
      what,
      rule: `package/${rule}`,
      instead,
    });
  const allowed = packages[one.folder];
  if (allowed === undefined) {
    fault(
      "unknown",
      `"${one.folder}" is not a package of yoi`,
      "Packages are listed in scripts/layers/table.ts.",
    );
    return faults;
  }
  if (one.name !== npmName(one.folder))
    fault("name", `the name is "${one.name}"`, `It must be "${npmName(one.folder)}".`);
  const workspaceNames = new Map(Object.keys(packages).map((folder) => [npmName(folder), folder]));
  for (const name of one.dependencies) {
    const folder = workspaceNames.get(name);
    const fine = folder === undefined ? libraries[name]?.includes(one.folder) : allowed.includes(folder);
    if (fine !== true) {
      fault(
        "dependency",
        `${one.folder} may not depend on "${name}"`,
        "What it may import stands in scripts/layers/table.ts.",
      );
    }
  }
  for (const [subpath, target] of one.exports) {
    const folder = subpath === conformanceSubpath ? "test" : "src";
    if (
      !target.startsWith(`packages/${one.folder}/${folder}/`) ||
      !target.endsWith(".ts") ||
      target.includes("*")
    ) {
      fault("exports", `"${subpath}" is ${target}`, `It must name a file below ${folder}.`);
    }
  }
  return faults;
}
