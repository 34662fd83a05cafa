/** All layer rules over one repository. */
import { checkCycles } from "./cycle-rules.ts";
import type { Fault } from "./fault.ts";
import { checkImports } from "./import-rules.ts";
import { checkManifests } from "./manifest-rules.ts";
import { checkPowers } from "./power-rules.ts";
import { readWorkspace } from "./workspace.ts";

export interface LayerReport {
  readonly packages: number;
  readonly files: number;
  readonly imports: number;
  readonly faults: readonly Fault[];
}

export function checkLayers(root: string): LayerReport {
  const workspace = readWorkspace(root);
  const imports = checkImports(workspace);
  const faults = [
    ...checkManifests(workspace),
    ...imports.faults,
    ...checkCycles(imports.edges),
    ...checkPowers(workspace),
  ];
  return {
    packages: workspace.packages.length,
    files: workspace.files.size,
    imports: imports.edges.length,
    faults: faults.sort((a, b) => a.path.localeCompare(b.path) || (a.line ?? 0) - (b.line ?? 0)),
  };
}
