/** A tiny clean workspace on disk, for planting faults in. Only the tests of the layer check use it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkLayers, type LayerReport } from "./check.ts";
import { npmName } from "./table.ts";

export type Files = Readonly<Record<string, string>>;

function manifest(folder: string, dependencies: readonly string[], more: object = {}): string {
  return JSON.stringify({
    name: npmName(folder),
    exports: { ".": "./src/index.ts" },
    dependencies: Object.fromEntries(dependencies.map((name) => [name, "0.1.0"])),
    ...more,
  });
}

export { manifest };

/** Each package imports one below it and uses a power where it lives: clean, and not empty. */
export const cleanTree: Files = {
  "packages/base/package.json": manifest("base", []),
  "packages/base/src/index.ts": 'export { base } from "./base.ts";\n',
  "packages/base/src/base.ts": "export const base = 1;\n",
  "packages/host/package.json": manifest("host", ["@yoi/base"]),
  "packages/host/src/index.ts":
    'import { writeFileSync } from "node:fs";\nexport { base } from "@yoi/base";\nexport const write = () => writeFileSync("x", String(Date.now()));\n',
  "packages/model/package.json": manifest("model", ["@yoi/base", "yaml"]),
  "packages/model/src/index.ts":
    'export { base } from "@yoi/base";\nexport const get = () => fetch("http://127.0.0.1");\n',
  "packages/worker/package.json": manifest("worker", ["@yoi/base", "@yoi/model"]),
  "packages/worker/src/index.ts": 'export { base } from "@yoi/model";\n',
  "packages/session-store/package.json": manifest("session-store", ["@yoi/base", "@yoi/host"], {
    exports: { ".": "./src/index.ts", "./conformance": "./test/conformance.ts" },
  }),
  "packages/session-store/src/index.ts": 'export { sweepTemporaries as base } from "@yoi/host";\n',
  "packages/pod/package.json": manifest("pod", ["@yoi/base", "@yoi/worker", "@yoi/session-store"]),
  "packages/pod/src/index.ts": 'export { drive } from "./drive/drive.ts";\n',
  "packages/pod/src/drive/drive.ts": 'export { base as drive } from "../history/gate.ts";\n',
  "packages/pod/src/history/gate.ts": 'export { base } from "@yoi/base";\n',
  "packages/cli/package.json": manifest("cli", ["@yoi/host", "@yoi/pod"], { exports: undefined }),
  "packages/cli/src/main.ts":
    'import { drive } from "@yoi/pod";\nprocess.exit(Number(process.env["X"] ?? drive));\n',
};

/** The report on the clean tree with `files` written over it. */
export function reportOn(files: Files): LayerReport {
  const root = mkdtempSync(join(tmpdir(), "yoi-layers-"));
  try {
    for (const [path, text] of Object.entries({ ...cleanTree, ...files })) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return checkLayers(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Faults as `path:line rule`, which is what the tests compare. */
export function faultsOn(files: Files): readonly string[] {
  return reportOn(files).faults.map((fault) => `${fault.path}:${fault.line ?? "-"} ${fault.rule}`);
}
