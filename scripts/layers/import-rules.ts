/** Rules about imports: the table of packages, the order of folders, declared dependencies, and no way around an index. */
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { Fault } from "./fault.ts";
import type { Import } from "./facts.ts";
import { conformanceSubpath, folderOrder, libraries, packages } from "./table.ts";
import type { Package, SourceFile, Workspace } from "./workspace.ts";

/** An import that names a file of the workspace, with the file. */
export interface Edge {
  readonly from: SourceFile;
  readonly to: SourceFile;
  readonly found: Import;
}

export interface ImportCheck {
  readonly faults: readonly Fault[];
  readonly edges: readonly Edge[];
}

export function checkImports(workspace: Workspace): ImportCheck {
  const byName = new Map(workspace.packages.map((one) => [one.name, one]));
  const byFolder = new Map(workspace.packages.map((one) => [one.folder, one]));
  const faults: Fault[] = [];
  const edges: Edge[] = [];

  for (const file of workspace.files.values()) {
    const owner = byFolder.get(file.package);
    if (owner === undefined) continue;
    for (const found of file.facts.imports) {
      const fault = (rule: string, what: string, instead: string) =>
        faults.push({ path: file.path, line: found.line, what, rule: `package/${rule}`, instead });
      const target = resolveImport(workspace, byName, file, owner, found.specifier, fault);
      if (target === null) continue;
      edges.push({ from: file, to: target, found });
      if (target.package !== file.package) crossPackage(file, target, found, fault);
      else folderRule(file, target, found, fault);
    }
  }
  return { faults, edges };
}

type Report = (rule: string, what: string, instead: string) => void;

/** The workspace file that a specifier names. Null for the outside world, and for what is a fault already. */
function resolveImport(
  workspace: Workspace,
  byName: ReadonlyMap<string, Package>,
  file: SourceFile,
  owner: Package,
  specifier: string,
  fault: Report,
): SourceFile | null {
  if (specifier.startsWith("./") || specifier.startsWith("../")) {
    const path = posix.join(posix.dirname(file.path), specifier);
    if (!path.startsWith(`packages/${file.package}/src/`)) {
      fault("boundary", `"${specifier}" leaves the package's src`, "Import the other package by its name.");
      return null;
    }
    const target = workspace.files.get(path);
    if (target === undefined && !/\.(?:json|yaml|txt|md)$/.test(path)) {
      fault("missing", `"${specifier}" names no .ts file`, "Write the whole file name, .ts included.");
    }
    return target ?? null;
  }
  if (isBuiltin(specifier)) return null; // powers.ts judges it
  if (!/^(?:@[a-z0-9-]+\/)?[a-z0-9][a-z0-9._-]*(?:\/[A-Za-z0-9._/-]+)?$/.test(specifier)) {
    fault("form", `"${specifier}" is neither a relative path nor a package`, "Import a file or a package.");
    return null;
  }
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const subpath = specifier === name ? "." : `.${specifier.slice(name.length)}`;
  if (!owner.dependencies.includes(name) && name !== owner.name) {
    fault(
      "undeclared",
      `"${name}" is not a dependency of ${owner.name}`,
      `Add it to packages/${owner.folder}/package.json.`,
    );
  }
  const target = byName.get(name);
  if (target === undefined) {
    if (name.startsWith("@yoi/")) {
      fault("missing", `there is no package "${name}"`, "Packages are listed in scripts/layers/table.ts.");
    } else if (libraries[name]?.includes(file.package) !== true) {
      const where = libraries[name]?.join(", ") ?? "no package";
      fault(
        "library",
        `"${name}" is for ${where}`,
        "Ask the package that holds it, or list it in scripts/layers/table.ts.",
      );
    }
    return null;
  }
  if (target === owner) {
    fault("self", `"${specifier}" is this package`, "Import the file by its relative path.");
    return null;
  }
  if (subpath === conformanceSubpath) {
    fault("conformance", `"${specifier}" is a suite for tests`, "Only tests hand implementations to it.");
    return null;
  }
  const entry = target.exports.get(subpath);
  if (entry === undefined) {
    fault(
      "subpath",
      `"${specifier}" is not exported by ${target.name}`,
      `Its package.json exports ${[...target.exports.keys()].join(", ") || "nothing"}.`,
    );
    return null;
  }
  return workspace.files.get(entry) ?? null;
}

function crossPackage(file: SourceFile, target: SourceFile, found: Import, fault: Report): void {
  const allowed = packages[file.package];
  if (allowed !== undefined && !allowed.includes(target.package)) {
    fault(
      "import",
      `${file.package} may not import ${target.package} ("${found.specifier}")`,
      `It may import ${allowed.join(", ") || "nothing"}; what else it needs it is handed.`,
    );
  }
}

function folderRule(file: SourceFile, target: SourceFile, found: Import, fault: Report): void {
  const order = folderOrder[file.package];
  if (order === undefined) return;
  const level = (one: SourceFile) =>
    one.inside.includes("/") ? order.indexOf(one.inside.split("/")[0] ?? "") : order.length;
  if (level(file) < level(target)) {
    const name = target.inside.includes("/") ? target.inside.split("/")[0] : "the files above all folders";
    fault(
      "folder",
      `${file.inside.split("/")[0]} may not import ${name} ("${found.specifier}")`,
      `From low to high: ${order.join(", ")}.`,
    );
  }
}
