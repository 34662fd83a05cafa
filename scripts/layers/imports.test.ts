/** Planted faults of imports, manifests and cycles: each is found, alone, and the same tree without it is clean. */
import assert from "node:assert/strict";
import test from "node:test";
import { printed } from "./fault.ts";
import { cleanTree, faultsOn, manifest, reportOn, type Files } from "./planted.ts";
import { folderOrder, packages } from "./table.ts";

test("the clean tree is clean, and the walk saw all of it", () => {
  const report = reportOn({});
  assert.deepEqual(report.faults.map(printed), []);
  const sources = Object.keys(cleanTree).filter((path) => path.includes("/src/")).length;
  assert.deepEqual([report.packages, report.files], [7, sources]);
  assert.equal(report.imports, 9);
});

const extra = "packages/worker/src/extra.ts";

const planted: readonly (readonly [string, Files, readonly string[]])[] = [
  [
    "a package that the table forbids, declared or not",
    { [extra]: 'import { sweepTemporaries as base } from "@yoi/host";\nexport const x = base;\n' },
    [`${extra}:1 package/import`, `${extra}:1 package/undeclared`],
  ],
  [
    "a type import is an import too",
    { [extra]: 'import type { base } from "@yoi/session-store";\nexport type X = typeof base;\n' },
    [`${extra}:1 package/import`, `${extra}:1 package/undeclared`],
  ],
  [
    "an import inside a type",
    { [extra]: 'export type X = typeof import("@yoi/host").base;\n' },
    [`${extra}:1 package/import`, `${extra}:1 package/undeclared`],
  ],
  [
    "a re-export",
    { [extra]: '\nexport { sweepTemporaries } from "@yoi/host";\n' },
    [`${extra}:2 package/import`, `${extra}:2 package/undeclared`],
  ],
  [
    "a dynamic import",
    { [extra]: "export const x = async () => {\n  (await import(`@yoi/host`)).sweepTemporaries;\n};\n" },
    [`${extra}:2 package/import`, `${extra}:2 package/undeclared`],
  ],
  [
    "a dynamic import of which the compiler is to know no types",
    { [extra]: 'export const x = async () => (await import("@yoi/host" as string)).sweepTemporaries;\n' },
    [`${extra}:1 package/import`, `${extra}:1 package/undeclared`],
  ],
  [
    "a computed dynamic import",
    { [extra]: 'export const x = (y: string) => import("@yoi/" + y);\n' },
    [`${extra}:1 source/opaque`],
  ],
  [
    "an import by require",
    { [extra]: 'import host = require("@yoi/host");\nexport const x = host.sweepTemporaries;\n' },
    [`${extra}:1 package/import`, `${extra}:1 package/undeclared`],
  ],
  [
    "an alias by import =",
    { [extra]: "import f = globalThis.fetch;\nexport const x = f;\n" },
    [`${extra}:1 source/opaque`],
  ],
  [
    "a way around the index",
    { [extra]: 'export { base } from "../../base/src/base.ts";\n' },
    [`${extra}:1 package/boundary`],
  ],
  [
    "a subpath that is not exported",
    { [extra]: 'export { base } from "@yoi/base/src/base.ts";\n' },
    [`${extra}:1 package/subpath`],
  ],
  ["a file outside src", { [extra]: 'export { x } from "../test/x.ts";\n' }, [`${extra}:1 package/boundary`]],
  [
    "a file that is not there",
    { [extra]: 'export { x } from "./nothing.ts";\n' },
    [`${extra}:1 package/missing`],
  ],
  [
    "a URL",
    { [extra]: 'export { x } from "data:text/javascript,export const x = 1";\n' },
    [`${extra}:1 package/form`],
  ],
  ["an absolute path", { [extra]: 'export { x } from "/etc/x.ts";\n' }, [`${extra}:1 package/form`]],
  ["a package's own name", { [extra]: 'export { base } from "@yoi/worker";\n' }, [`${extra}:1 package/self`]],
  [
    "a package that is not there",
    { [extra]: 'export { x } from "@yoi/keep";\n' },
    [`${extra}:1 package/missing`, `${extra}:1 package/undeclared`],
  ],
  [
    "a conformance suite in src",
    { "packages/pod/src/suite.ts": 'export { suite } from "@yoi/session-store/conformance";\n' },
    ["packages/pod/src/suite.ts:1 package/conformance"],
  ],
  [
    "a library that is not declared",
    { "packages/model/src/z.ts": 'import "@ai-sdk/anthropic";\n' },
    ["packages/model/src/z.ts:1 package/undeclared"],
  ],
  [
    "a library of another package",
    {
      "packages/worker/package.json": manifest("worker", ["@yoi/base", "@yoi/model", "yaml"]),
      [extra]: 'import "yaml";\n',
    },
    ["packages/worker/package.json:- package/dependency", `${extra}:1 package/library`],
  ],
  [
    "a library that nobody has",
    {
      "packages/model/package.json": manifest("model", ["@yoi/base", "left-pad"]),
      "packages/model/src/z.ts": 'import "left-pad/x.js";\n',
    },
    ["packages/model/package.json:- package/dependency", "packages/model/src/z.ts:1 package/library"],
  ],
  [
    "a dependency that the table forbids",
    { "packages/base/package.json": manifest("base", ["@yoi/host"]) },
    ["packages/base/package.json:- package/dependency"],
  ],
  [
    "a package without a place in the table",
    { "packages/utils/package.json": "{}" },
    ["packages/utils/package.json:- package/unknown"],
  ],
  [
    "a name that is not the folder's",
    { "packages/host/package.json": manifest("host", ["@yoi/base"], { name: "@yoi/hots" }) },
    ["packages/host/package.json:- package/name", "packages/session-store/src/index.ts:1 package/missing"],
  ],
  [
    "an export outside src",
    {
      "packages/base/package.json": manifest("base", [], {
        exports: { ".": "./src/index.ts", "./x": "./test/x.ts" },
      }),
    },
    ["packages/base/package.json:- package/exports"],
  ],
  [
    "code in another language",
    { "packages/base/src/x.js": "process.exit();\n" },
    ["packages/base/src/x.js:- package/files"],
  ],
  [
    "a lower folder of pod importing an upper one",
    {
      "packages/pod/src/history/up.ts":
        'import type { drive } from "../drive/drive.ts";\nexport type X = typeof drive;\n',
    },
    ["packages/pod/src/history/up.ts:1 package/folder"],
  ],
  [
    "a folder of pod importing what stands above all folders",
    { "packages/pod/src/serve/up.ts": 'export type X = typeof import("../index.ts");\n' },
    ["packages/pod/src/serve/up.ts:1 package/folder"],
  ],
  [
    "a folder that pod does not have",
    { "packages/pod/src/helpers/x.ts": "export const x = 1;\n" },
    ["packages/pod/src/helpers/x.ts:- package/folder"],
  ],
  [
    "two files that load each other",
    {
      "packages/base/src/a.ts": 'import { b } from "./b.ts";\nexport const a = () => b;\n',
      "packages/base/src/b.ts": 'export const b = 1;\nexport { a } from "./a.ts";\n',
    },
    ["packages/base/src/a.ts:1 cycle/file"],
  ],
  [
    "three files, one of them by import()",
    {
      "packages/base/src/a.ts": 'import "./b.ts";\n',
      "packages/base/src/b.ts": 'import "./c.ts";\n',
      "packages/base/src/c.ts": 'export const c = () => import("./a.ts");\n',
    },
    ["packages/base/src/a.ts:1 cycle/file"],
  ],
  [
    "inline types still load the file",
    {
      "packages/base/src/a.ts": 'import { type B } from "./b.ts";\nexport type A = B;\n',
      "packages/base/src/b.ts": 'import { type A } from "./a.ts";\nexport type B = A | 1;\n',
    },
    ["packages/base/src/a.ts:1 cycle/file"],
  ],
  [
    "two packages that load each other through different files",
    { "packages/base/src/up.ts": 'export { sweepTemporaries } from "@yoi/host";\n' },
    [
      "packages/base/src/up.ts:1 cycle/package",
      "packages/base/src/up.ts:1 package/import",
      "packages/base/src/up.ts:1 package/undeclared",
    ],
  ],
  ["a file that does not parse", { [extra]: "export const = 1;\n" }, [`${extra}:1 source/opaque`]],
];

for (const [title, files, expected] of planted) {
  test(`found: ${title}`, () => assert.deepEqual([...faultsOn(files)].sort(), [...expected].sort()));
}

const clean: Files = {
  "packages/worker/src/extra.ts": [
    "// import { base } from '@yoi/host';",
    "/* export * from '@yoi/host'; */",
    'export const text = `import "@yoi/host"; ${"require(\'@yoi/host\')"}`;',
    'export const pattern = /import "@yoi\\/host"[/\'`]/;',
    'export type { base } from "@yoi/base";',
  ].join("\n"),
  "packages/base/src/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
  "packages/base/src/b.ts": 'import type { A } from "./a.ts";\nexport type B = A | 1;\n',
  "packages/pod/src/drive/down.ts": 'export { base } from "../history/gate.ts";\n',
  "packages/pod/src/drive/beside.ts": 'export { drive } from "./drive.ts";\n',
  "packages/pod/src/pod.ts": 'export { drive } from "./index.ts";\n',
};

test("what only looks like an import, and cycles of types, are no faults", () => {
  assert.deepEqual(reportOn(clean).faults.map(printed), []);
});

test("a fault says where, what, which rule and where to go", () => {
  const [fault] = reportOn({
    [extra]: 'import { base } from "@yoi/base";\nexport const x = base + Date.now();\n',
  }).faults;
  assert.equal(
    fault && printed(fault),
    `${extra}:2: Date.now reads the clock [power/clock] It lives only in host: take a Clock port.`,
  );
});

test("the table itself goes one way and names only packages", () => {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    assert.ok(!path.includes(name), `the table goes in a circle: ${[...path, name].join(" -> ")}`);
    assert.ok(Object.hasOwn(packages, name), `"${name}" is not in the table`);
    if (done.has(name)) return;
    for (const below of packages[name] ?? []) visit(below, [...path, name]);
    done.add(name);
  };
  for (const name of [...Object.keys(packages), ...Object.keys(folderOrder)]) visit(name, []);
});
