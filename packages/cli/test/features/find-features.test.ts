/** Discovery of third parties: what is found where, under which id, and that nothing of it runs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { findFeatures } from "../../src/features/find-features.ts";
import { packageJsonBytesMax } from "../../src/features/find-packages.ts";
import { featuresMax } from "../../src/features/found-feature.ts";
import { place } from "./place.ts";

const packageJson = (name: string, feature: unknown, more: object = {}) =>
  JSON.stringify({ name, version: "1.2.0", yoi: { feature }, ...more });

test("A2-71: a file that is there and a package that is installed are found, and get nothing: no import, no approval, no grant", async () => {
  using at = place();
  const canary = join(at.root, "canary");
  const hostile = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(canary)}, "loaded");\n`;
  at.plant("w/.yoi/features/canary.ts", hostile);
  at.plant("w/.yoi/features/broken.ts", "export const = {{{");
  at.plant("w/.yoi/features/endless.ts", "for (;;);\n");
  at.plant("c/features/mine.ts", hostile);
  at.plant(
    "w/node_modules/@acme/lint/package.json",
    packageJson("@acme/lint", "./src/feature.ts", { main: "./src/feature.ts" }),
  );
  at.plant("w/node_modules/@acme/lint/src/feature.ts", hostile);
  const { features, warnings } = await findFeatures(at.workspace, at.config);
  assert.deepEqual(
    features.map(({ id, name, source, path, version, problem }) => ({
      id,
      name,
      source,
      path,
      version,
      problem,
    })),
    [
      {
        id: "project:broken",
        name: "broken.ts",
        source: "project",
        path: join(at.workspace, ".yoi/features/broken.ts"),
        version: null,
        problem: null,
      },
      {
        id: "project:canary",
        name: "canary.ts",
        source: "project",
        path: join(at.workspace, ".yoi/features/canary.ts"),
        version: null,
        problem: null,
      },
      {
        id: "project:endless",
        name: "endless.ts",
        source: "project",
        path: join(at.workspace, ".yoi/features/endless.ts"),
        version: null,
        problem: null,
      },
      {
        id: "user:mine",
        name: "mine.ts",
        source: "user",
        path: join(at.config, "features/mine.ts"),
        version: null,
        problem: null,
      },
      {
        id: "package:@acme/lint",
        name: "@acme/lint",
        source: "package",
        path: join(at.workspace, "node_modules/@acme/lint"),
        version: "1.2.0",
        problem: null,
      },
    ],
  );
  assert.deepEqual(warnings, []);
  const contents = await Promise.all(features.map(({ read }) => read()));
  assert.deepEqual(
    contents.map(({ files }) => files.map(({ path }) => path)),
    [["broken.ts"], ["canary.ts"], ["endless.ts"], ["mine.ts"], ["package.json", "src/feature.ts"]],
  );
  assert.ok(!existsSync(canary));
  await import(join(at.workspace, ".yoi/features/canary.ts"));
  assert.ok(existsSync(canary), "control: an import of it would be seen");
});

test("names that give no id, links, folders and FIFOs are listed with the reason", async () => {
  using at = place();
  const folder = join(at.workspace, ".yoi/features");
  for (const name of ["Upper.ts", "two words.ts", "naïve.ts", ".ts", "a:b.ts", `${"x".repeat(130)}.ts`])
    at.plant(`w/.yoi/features/${name}`, "");
  for (const ignored of ["types.d.ts", "notes.md", "index.js"]) at.plant(`w/.yoi/features/${ignored}`, "");
  symlinkSync("/etc/passwd", join(folder, "link.ts"));
  execFileSync("mkfifo", [join(folder, "fifo.ts")]);
  mkdirSync(join(folder, "folder.ts"));
  const { features } = await findFeatures(at.workspace, at.config);
  const rule = `gives no id: use lower-case letters, digits, "-", "_" and ".", beginning with a letter or digit`;
  assert.deepEqual(
    features.map(({ name, id, problem }) => [name, id, problem]),
    [
      [".ts", null, `its name "" ${rule}`],
      ["Upper.ts", null, `its name "Upper" ${rule}`],
      ["a:b.ts", null, `its name "a:b" ${rule}`],
      ["fifo.ts", "project:fifo", '"fifo.ts" is not a regular file'],
      ["folder.ts", "project:folder", '"folder.ts" is a directory'],
      ["link.ts", "project:link", '"link.ts" is a link'],
      ["naïve.ts", null, `its name "naïve" ${rule}`],
      ["two words.ts", null, `its name "two words" ${rule}`],
      [`${"x".repeat(130)}.ts`, null, `its name "${"x".repeat(130)}" ${rule}`],
    ],
  );
});

test("packages: what names no feature is left out, what names it wrongly says so when it is read", async () => {
  using at = place();
  const plant = (name: string, feature: unknown) =>
    at.plant(`w/node_modules/${name}/package.json`, packageJson(name, feature));
  at.plant("w/node_modules/plain/package.json", '{"name":"plain","yoi":{}}');
  at.plant("w/node_modules/text/package.json", '{"name":"text","yoi":"feature.ts"}');
  at.plant("w/node_modules/broken/package.json", "{");
  at.plant(
    "w/node_modules/deep/package.json",
    `{"yoi":{"feature":"a"},"x":${"[".repeat(200)}${"]".repeat(200)}}`,
  );
  at.plant("w/node_modules/.cache/package.json", packageJson("cache", "a.ts"));
  at.plant(
    "w/node_modules/huge/package.json",
    `${packageJson("huge", "a.ts")}${" ".repeat(packageJsonBytesMax)}`,
  );
  mkdirSync(join(at.workspace, "node_modules/bare"));
  execFileSync("mkfifo", [join(at.workspace, "node_modules/bare/package.json")]);
  plant("Legacy", "a.ts");
  for (const [name, feature] of [
    ["absent", "gone.ts"],
    ["absolute", "/etc/passwd"],
    ["number", 7],
    ["outside", "../plain/package.json"],
  ] as const)
    plant(name, feature);
  plant("fits", "./a/../package.json");
  const { features, warnings } = await findFeatures(at.workspace, at.config);
  const seen = await Promise.all(
    features.map(async ({ id, name, problem, read }) => {
      const error = await read().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      assert.ok(error === null || (error instanceof YoiError && error.code === "feature_invalid"), name);
      return [id, problem ?? error?.message ?? null];
    }),
  );
  const must = "and must name a file of the package";
  assert.deepEqual(seen, [
    [
      null,
      `its name "Legacy" gives no id: use lower-case letters, digits, "-", "_" and ".", beginning with a letter or digit`,
    ],
    ["package:absent", `"yoi.feature" in its package.json is "gone.ts", ${must}`],
    ["package:absolute", `"yoi.feature" in its package.json is "/etc/passwd", ${must}`],
    ["package:fits", null],
    ["package:number", `"yoi.feature" in its package.json is no text, ${must}`],
    ["package:outside", `"yoi.feature" in its package.json is "../plain/package.json", ${must}`],
  ]);
  assert.deepEqual(warnings, []);
});

test("a package behind a link is found where the link stays in the workspace, and else is said not to be looked at", async () => {
  using at = place();
  at.plant("w/packages/lint/package.json", packageJson("lint", "f.ts"));
  at.plant("w/packages/lint/f.ts", "");
  at.plant("other/package.json", packageJson("other", "f.ts"));
  mkdirSync(join(at.workspace, "node_modules"));
  symlinkSync("../packages/lint", join(at.workspace, "node_modules/lint"));
  symlinkSync(join(at.root, "other"), join(at.workspace, "node_modules/other"));
  symlinkSync("nowhere", join(at.workspace, "node_modules/dangling"));
  const { features, warnings } = await findFeatures(at.workspace, at.config);
  assert.deepEqual(
    features.map(({ id, path }) => [id, path]),
    [["package:lint", join(at.workspace, "packages/lint")]],
  );
  assert.deepEqual(warnings, ['Packages that lead out of the workspace are not looked at: "other".']);
});

test("a package that is named is found where it would be listed, and nowhere else", async () => {
  using at = place();
  for (const name of ["@acme/lint", "plain", "plain/sub", "plain/node_modules/inner", ".hidden", "@acme"])
    at.plant(`w/node_modules/${name}/package.json`, packageJson(name, "package.json"));
  at.plant("w/up/package.json", packageJson("up", "package.json"));
  at.plant("other/package.json", packageJson("other", "package.json"));
  symlinkSync(join(at.root, "other"), join(at.workspace, "node_modules/other"));
  const listed = ["package:@acme/lint", "package:plain"];
  for (const id of [
    ...listed,
    "package:@acme",
    "package:plain/sub",
    "package:plain/node_modules/inner",
    "package:.hidden",
    "package:../up",
    "package:..",
    "package:",
    "package:other",
    "package:@acme/../../up",
    "project:plain",
    "plain",
  ]) {
    const { features } = await findFeatures(at.workspace, at.config, id);
    assert.deepEqual(
      features.map((one) => one.id),
      listed,
      id,
    );
  }
});

test("a folder of features that cannot be looked at is said, and the others are shown", async () => {
  using at = place();
  at.plant("elsewhere/lint.ts", "");
  at.plant("w/node_modules/p/package.json", packageJson("p", "package.json"));
  mkdirSync(join(at.workspace, ".yoi"));
  symlinkSync(join(at.root, "elsewhere"), join(at.workspace, ".yoi/features"));
  mkdirSync(at.config);
  symlinkSync(join(at.root, "elsewhere"), join(at.config, "features"));
  const { features, warnings } = await findFeatures(at.workspace, at.config);
  assert.deepEqual(
    features.map(({ id, path }) => [id, path]),
    [
      ["user:lint", join(at.root, "elsewhere/lint.ts")],
      ["package:p", join(at.workspace, "node_modules/p")],
    ],
  );
  assert.deepEqual(warnings, [
    "Features in the workspace's .yoi/features are not shown: it leads out of the workspace.",
  ]);
});

test("a file in the place of a folder is no reason to fail", async () => {
  using at = place();
  at.plant("w/.yoi", "");
  at.plant("w/node_modules", "");
  at.plant("c/features", "");
  const { features, warnings } = await findFeatures(at.workspace, at.config);
  assert.equal(features.length, 0);
  assert.equal(warnings.length, 3, warnings.join("\n"));
});

test("as many packages with a feature as the limit, and one more; as long a package.json, and longer", async () => {
  using at = place();
  const json = packageJson("p", "package.json");
  for (let n = 1; n <= featuresMax; n += 1) at.plant(`w/node_modules/p${n}/package.json`, json);
  const room = " ".repeat(packageJsonBytesMax - json.length);
  at.plant("w/node_modules/p1/package.json", `${json}${room}`);
  const all = await findFeatures(at.workspace, at.config);
  assert.deepEqual([all.features.length, all.warnings], [featuresMax, []]);
  at.plant("w/node_modules/q/package.json", json);
  const cut = await findFeatures(at.workspace, at.config);
  assert.deepEqual([cut.features.length, cut.warnings.length], [featuresMax, 1]);
  at.plant("w/node_modules/p1/package.json", `${json}${room} `);
  const again = await findFeatures(at.workspace, at.config);
  assert.deepEqual([again.features.length, again.warnings], [featuresMax, []]);
});

test("as many features as the limit, and one more", async () => {
  using at = place();
  for (let n = 0; n < featuresMax; n += 1) at.plant(`w/.yoi/features/f${n}.ts`, "");
  const all = await findFeatures(at.workspace, at.config);
  assert.deepEqual([all.features.length, all.warnings], [featuresMax, []]);
  at.plant("w/.yoi/features/one-more.ts", "");
  const cut = await findFeatures(at.workspace, at.config);
  assert.deepEqual(
    [cut.features.length, cut.warnings],
    [
      featuresMax,
      [
        `${join(at.workspace, ".yoi/features")} holds more than can be shown: the first ${featuresMax} features of it are.`,
      ],
    ],
  );
  const named = await findFeatures(at.workspace, at.config, "project:one-more");
  assert.ok(named.features.some(({ id }) => id === "project:one-more"));
});
