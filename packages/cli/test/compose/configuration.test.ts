/** Configuration layers: which file wins, what a workspace may say, and what is said of a file that cannot be read. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { YoiError } from "@yoi/base";
import {
  canonicalWorkspace,
  configSources,
  readConfig,
  resolveConfiguration,
} from "../../src/compose/configuration.ts";
import type { Environment } from "../../src/environment.ts";

function machine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-configuration-")));
  const workspace = join(root, "w");
  const home = join(root, "home");
  for (const directory of [workspace, home]) mkdirSync(directory);
  const environment: Environment = {
    variables: { PATH: "/usr/bin:/bin" },
    directories: { config: join(root, "config"), data: join(root, "data"), runtime: join(root, "run") },
    workingDirectory: () => workspace,
    home,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const sources = configSources(environment, workspace);
  const plant = (layer: keyof typeof sources, text: string): void => {
    mkdirSync(dirname(sources[layer].path), { recursive: true });
    writeFileSync(sources[layer].path, text);
  };
  const resolve = (flags = {}) => resolveConfiguration(environment, workspace, flags);
  return {
    root,
    workspace,
    sources,
    plant,
    resolve,
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

test("without a file every value is built in, and the default model is one that the catalog has", async () => {
  using m = machine();
  const { manifest, sources, warnings } = await m.resolve();
  assert.equal(manifest.model.provider, "anthropic");
  assert.match(manifest.model.id, /sonnet/);
  assert.deepEqual(new Set(sources.map(({ origin }) => origin)), new Set(["built-in"]));
  assert.deepEqual(warnings, []);
  assert.ok(manifest.scope.allow.some((rule) => rule.target === m.workspace && rule.permission === "write"));
});

test("flag, then local, project, user, built-in", async () => {
  using m = machine();
  const languages: string[] = [];
  const language = async () => void languages.push((await m.resolve()).manifest.worker.language ?? "none");
  await language();
  for (const layer of ["user", "project", "local"] as const) {
    m.plant(layer, `[worker]\nlanguage = "${layer}"\n`);
    await language();
  }
  assert.deepEqual(languages, ["none", "user", "project", "local"]);
  m.plant("user", '[model]\nref = "anthropic/of-user"\n');
  m.plant("project", '[model]\nref = "anthropic/of-project"\n');
  assert.equal((await m.resolve()).manifest.model.id, "of-project");
  assert.equal((await m.resolve({ model: "anthropic/of-flag" })).manifest.model.id, "of-flag");
});

test("a file of the workspace narrows, and its widening is refused with file and line", async () => {
  using m = machine();
  m.plant("user", "[worker]\nmax_turns = 10\n");
  m.plant("project", "[worker]\nmax_turns = 3\n");
  assert.equal((await m.resolve()).manifest.limits.max_turns, 3);
  m.plant("local", "[sandbox]\nnetwork = true\n");
  await assert.rejects(m.resolve(), (error) => {
    assert.ok(error instanceof YoiError && error.code === "config_invalid");
    assert.deepEqual(error.place, { path: m.sources.local.path, line: 2 });
    return true;
  });
});

test("a missing file is none; one that is no file has one problem, with its path", async () => {
  using m = machine();
  assert.equal(await readConfig(m.sources.user), null);
  mkdirSync(m.sources.user.path, { recursive: true });
  const reading = await readConfig(m.sources.user);
  assert.equal(reading?.layer, null);
  assert.deepEqual(
    reading?.problems.map(({ code, place }) => [code, place]),
    [["config_invalid", { path: m.sources.user.path }]],
  );
});

test("a workspace is its canonical path; what is none is said with what to do, for whom it concerns", async () => {
  using m = machine();
  assert.equal(await canonicalWorkspace(join(m.workspace, "..", "w", "."), []), m.workspace);
  const gone = join(m.root, "gone");
  for (const [pod, says] of [
    [null, `The workspace ${gone} cannot be opened (ENOENT): name an existing directory with -C.`],
    [
      "p",
      `The workspace ${gone} of the Pod p cannot be opened (ENOENT): bring it back, or start another Pod.`,
    ],
  ] as const) {
    await assert.rejects(canonicalWorkspace(gone, [], pod), { code: "workspace_missing", message: says });
  }
  for (const root of ["/", "/usr/..", "/proc/self/root"])
    await assert.rejects(canonicalWorkspace(root, []), {
      code: "usage",
      message: /^The workspace cannot be \/,/,
    });
});
