/** Licence texts of a bundle: one section for each package that code is taken from. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { licensesOf, packageFolder } from "./third-party-licenses.ts";

test("a module belongs to its innermost package, and what is no package's to none", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["/r/node_modules/diff/lib/index.js", ["/r/node_modules/diff"]],
    ["/r/node_modules/@a/b/dist/x.mjs", ["/r/node_modules/@a/b"]],
    ["/r/node_modules/x/node_modules/@a/b/i.js", ["/r/node_modules/x/node_modules/@a/b"]],
    ["/r/packages/cli/src/main.ts", []],
    ["\0rolldown/runtime.js", []],
  ];
  for (const [module, folder] of table) assert.deepEqual(packageFolder(module), folder, module);
});

test("each package once, with all it says of its licence, one without a text with that of its repository, and else not at all", () => {
  const root = mkdtempSync(join(tmpdir(), "yoi-licences-"));
  const put = (name: string, files: Readonly<Record<string, string>>): string => {
    for (const [file, text] of Object.entries(files)) {
      const path = join(root, "node_modules", name, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return join(root, "node_modules", name, "index.js");
  };
  const json = (name: string, license: string, url: string) =>
    JSON.stringify({ name, version: "1.0.0", license, repository: { url } });
  try {
    const modules = [
      put("b", { "package.json": json("b", "MIT", "r"), "license.md": "text of b", NOTICE: "notice of b" }),
      put("@s/a", { "package.json": json("@s/a", "MIT", "r") }),
      put("x/node_modules/b", { "package.json": json("b", "MIT", "r"), LICENSE: "text of b" }),
    ];
    const text = licensesOf(modules);
    assert.deepEqual(text.match(/^\S+@1\.0\.0 \(MIT\)$/gm), ["@s/a@1.0.0 (MIT)", "b@1.0.0 (MIT)"]);
    assert.equal(text.split("text of b").length, 3, text);
    assert.match(text, /notice of b/);
    const alone = put("alone", { "package.json": json("alone", "MIT", "other") });
    assert.throws(() => licensesOf([...modules, alone]), /alone@1\.0\.0 ships no licence text/);
    const named = put("named", {
      "package.json": JSON.stringify({
        name: "named",
        version: "1.0.0",
        license: "MIT",
        author: "A. U. Thor",
      }),
    });
    assert.match(
      licensesOf([named]),
      /^named@1\.0\.0 \(MIT\)\n\nMIT License\n\nCopyright \(c\) A\. U\. Thor\n/m,
    );
    const other = put("other", {
      "package.json": JSON.stringify({
        name: "other",
        version: "1.0.0",
        license: "ISC",
        author: "A. U. Thor",
      }),
    });
    assert.throws(() => licensesOf([other]), /other@1\.0\.0 ships no licence text/);
    const silent = put("silent", { "package.json": '{"name":"silent","version":"1.0.0"}', LICENSE: "x" });
    assert.throws(() => licensesOf([silent]), /does not say its licence/);
  } finally {
    rmSync(root, { recursive: true });
  }
});
