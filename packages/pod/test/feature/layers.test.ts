/** Where extensions have their place: one way in, and nothing below that knows of it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { libraries, packages } from "../../../../scripts/layers/table.ts";

const root = join(import.meta.dirname, "../../../..");

/** What a package says it needs. */
function dependencies(folder: string): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
  const { dependencies: named } = Object(manifest) as { dependencies?: Readonly<Record<string, string>> };
  return Object.keys(named ?? {}).sort();
}

/** Every TypeScript file of a package's source, with what it imports by name. */
function imports(folder: string): readonly (readonly [file: string, from: string])[] {
  const source = join(root, "packages", folder, "src");
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      [...readFileSync(join(source, file), "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(
        ([, from]) => [file, from ?? ""] as const,
      ),
    );
}

test("A2-62: the contract for extensions needs nothing but the nouns: no protocol, no package, no engine", () => {
  assert.deepEqual(packages["feature"], ["base"]);
  assert.deepEqual(dependencies("feature"), ["@yoi/base"]);
  const found = imports("feature").filter(([, from]) => !from.startsWith("./") && from !== "@yoi/base");
  assert.deepEqual(found, []);
  assert.ok(imports("feature").length > 20);
  assert.deepEqual(
    Object.keys(libraries).filter((name) => libraries[name]?.includes("feature")),
    [],
  );
});

test("A2-63: the worker knows no feature, and what is below the Pod neither", () => {
  assert.deepEqual(packages["worker"], ["base", "model"]);
  assert.deepEqual(dependencies("worker"), ["@yoi/base", "@yoi/model"]);
  const knowing = Object.keys(packages).filter((name) => packages[name]?.includes("feature"));
  assert.deepEqual(knowing.sort(), ["builtin", "cli", "pod"]);
  const below = ["base", "worker", "model", "session-store", "tools", "host"];
  assert.deepEqual(
    below.flatMap((folder) => imports(folder).filter(([, from]) => from.startsWith("@yoi/feature"))),
    [],
  );
  // What the loop asks is the worker's own; the Pod's hooks answer it.
  assert.ok(imports("pod").some(([file, from]) => file.startsWith("hook/") && from === "@yoi/worker"));
});

test("A2-01: one folder installs features, those that ship with yoi included, and they see only the contract", () => {
  assert.deepEqual(packages["builtin"], ["base", "feature", "tickets"]);
  const outside = imports("builtin").filter(
    ([, from]) => !from.startsWith(".") && !/^@yoi\/(base|feature|tickets)$/.test(from),
  );
  assert.deepEqual(outside, []);
  const installers = imports("pod").filter(
    ([, from]) => from.endsWith("/install-one.ts") || from.endsWith("/stage.ts"),
  );
  assert.ok(installers.length > 0);
  assert.deepEqual(
    installers.filter(([file]) => !file.startsWith("feature/")),
    [],
  );
  const contracts = imports("pod").filter(([, from]) => from === "@yoi/builtin");
  assert.deepEqual(contracts, []);
});
