/** The packages as they are on disk: manifests and every file below `src`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { factsOf, type Facts } from "./facts.ts";

export interface SourceFile {
  /** From the repository's root, with `/`: `packages/pod/src/turn/run.ts`. */
  readonly path: string;
  readonly package: string;
  /** Inside `src`: `turn/run.ts`. */
  readonly inside: string;
  readonly facts: Facts;
}

export interface Package {
  readonly folder: string;
  readonly name: string;
  readonly dependencies: readonly string[];
  /** Subpath (`.`, `./conformance`) -> file from the repository's root. */
  readonly exports: ReadonlyMap<string, string>;
}

export interface Workspace {
  readonly packages: readonly Package[];
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Entries below `src` that cannot be checked: links, code in another language. */
  readonly strange: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
}

const otherCode = /\.(?:[cm]?jsx?|[cm]ts|tsx|node|wasm)$/;

export function readWorkspace(root: string): Workspace {
  const packages: Package[] = [];
  const files = new Map<string, SourceFile>();
  const strange: string[] = [];

  function walk(folder: string, inside: string): void {
    const path = posix.join("packages", folder, "src", inside);
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const below = posix.join(inside, entry.name);
      const file = posix.join(path, entry.name);
      if (entry.isDirectory()) walk(folder, below);
      else if (!entry.isFile() || otherCode.test(entry.name)) strange.push(file);
      else if (entry.name.endsWith(".ts")) {
        const facts = factsOf(file, readFileSync(join(root, file), "utf8"));
        files.set(file, { path: file, package: folder, inside: below, facts });
      }
    }
  }

  for (const entry of readdirSync(join(root, "packages"), { withFileTypes: true })) {
    const manifestPath = join(root, "packages", entry.name, "package.json");
    if (!existsSync(manifestPath)) continue;
    const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as Manifest;
    packages.push({
      folder: entry.name,
      name: manifest.name ?? "",
      dependencies: [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap(
        (one) => Object.keys(one ?? {}),
      ),
      exports: new Map(
        Object.entries(manifest.exports ?? {}).map(([subpath, target]) => [
          subpath,
          posix.join("packages", entry.name, String(target)),
        ]),
      ),
    });
    if (existsSync(join(root, "packages", entry.name, "src"))) walk(entry.name, "");
  }
  return { packages, files, strange };
}
