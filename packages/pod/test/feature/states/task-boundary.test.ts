/** Who knows of tasks: the Task feature alone. Judged from the source of every package. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readWorkspace } from "../../../../../scripts/layers/workspace.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const { files, packages } = readWorkspace(root);
const sources = [...files.values()].map(({ path, package: owner }) => ({
  path,
  owner,
  text: readFileSync(`${root}${path}`, "utf8"),
}));

/** Words of the feature's own: its store, its tools, its state. */
const ownWords =
  /\b(?:Task(?:Store|Create|Update|Get|List|Status|Change|State|Tools)|taskid|TASK_\w+)\b|"yoi\.tasks"/;

function naming(words: RegExp, among: readonly { readonly path: string; readonly text: string }[]) {
  return among.filter(({ text }) => words.test(text)).map(({ path }) => path);
}

function importers(name: string): readonly string[] {
  const edges = [...files.values()].flatMap(({ package: owner, facts }) =>
    facts.imports
      .filter(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`))
      .map(() => owner),
  );
  return [...new Set(edges)].toSorted();
}

test("A0-15, A0-17, A0-28: no package but the Task feature's names its store, its tools or its state", () => {
  assert.deepEqual(
    naming(
      ownWords,
      sources.filter(({ owner }) => owner !== "builtin"),
    ),
    [],
  );
  // Control: where they are, they are found.
  const found = naming(
    ownWords,
    sources.filter(({ owner }) => owner === "builtin"),
  );
  assert.ok(found.includes("packages/builtin/src/task/task-store.ts") && found.length > 4, String(found));
});

test("A0-15, A0-28: only the composition imports the features that ship, and it gets modules, no store", async () => {
  assert.deepEqual(
    importers("@yoi/builtin").filter((owner) => owner !== "cli"),
    [],
  );
  const shipped = await import("../../../../builtin/src/index.ts");
  const given = { profiles: [], store: {}, actor: {}, wait: async () => {} };
  for (const [name, value] of Object.entries(shipped)) {
    const module: unknown =
      typeof value === "function" ? (value as (options: object) => unknown)(given) : null;
    const keys = Object.keys(Object(module)).filter((key) => key !== "state");
    assert.deepEqual(keys.toSorted(), ["descriptor", "install"], name);
  }
});

// What the host does know is the one kind of item that it may write for a hook: the append queue names it, and nothing else does.
test("A0-18: what asks the hooks knows no tasks, no threshold and no cooldown", () => {
  const hooks = sources.filter(({ path }) => path.startsWith("packages/pod/src/hook/"));
  assert.deepEqual(naming(/task/i, hooks), ["packages/pod/src/hook/append-queue.ts"]);
  const loop = sources.filter(({ owner }) => owner === "worker");
  assert.deepEqual(naming(/task_|reminder|cooldown|inactiv/i, [...hooks, ...loop]), [
    "packages/pod/src/hook/append-queue.ts",
  ]);
});

test("A0-46: the Task feature depends on the nouns and the contract, and nothing that it depends on depends on it", () => {
  const manifest = (name: string) => packages.find((one) => one.name === name) ?? assert.fail(name);
  const reached = new Set<string>();
  const walk = (name: string) => {
    for (const next of manifest(name).dependencies.filter((one) => one.startsWith("@yoi/"))) {
      if (reached.has(next)) continue;
      reached.add(next);
      walk(next);
    }
  };
  walk("@yoi/feature");
  assert.deepEqual([...reached], ["@yoi/base"]);
  for (const name of [
    "@yoi/pod",
    "@yoi/worker",
    "@yoi/host",
    "@yoi/session-store",
    "@yoi/model",
    "@yoi/tools",
  ]) {
    assert.ok(!importers(name).includes("builtin"), `builtin imports ${name}`);
    assert.ok(!manifest(name).dependencies.includes("@yoi/builtin"), `${name} depends on builtin`);
  }
  assert.ok(importers("@yoi/feature").includes("builtin") && importers("@yoi/base").includes("builtin"));
});
