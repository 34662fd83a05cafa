/** Names that no file tool makes: whatever of the way to them is missing, and in whatever case they are written. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { featureFiles } from "../src/index.ts";
import { protectionOf, scopeRule } from "@yoi/scope";
import { type Bench, createBench } from "./support.ts";

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.close());

/** Below a directory at any depth. */
const anywhere = [
  ".git",
  ".GIT",
  ".Git",
  ".git/hooks/pre-commit",
  ".git/hooks/deep/er/x",
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
  ".git/gitdir",
  ".git/worktrees/w/commondir",
  ".git/modules/m/config",
  ".git/rebase-merge/git-rebase-todo",
  ".GIT/hooks/pre-commit",
  ".git/HOOKS/pre-commit",
  ".gIt/Config",
];
/** Below the workspace itself. */
const inWorkspace = [
  ".yoi",
  ".YOI",
  ".yoi/config.toml",
  ".yoi/new",
  ".yoi/features/x.ts",
  ".yoi/tickets",
  ".yoi/tickets/0000000000001/thread.md",
  ".YOI/TICKETS/0000000000001/item.md",
  ".yoi/tickets/.lock",
  ".yoi/features/x/index.ts",
  ".Yoi/config.toml",
  ".YOI/FEATURES/x.ts",
];
const parents = ["", "made/", "made/below/", "made/below/deeper/"];

/** The Write tool, and the handle of a feature, each on the same workspace. */
function writers(): Readonly<Record<"tool" | "handle", (path: string) => Promise<void>>> {
  const { workspace, files } = bench;
  const scope = { allow: [scopeRule(workspace, "write")], deny: [] };
  const protection = protectionOf({ workspace, home: null, own: [], spill: null });
  const handle = featureFiles({
    enter: () => () => {},
    scope: () => scope,
    protection,
    workspace,
    grants: [{ access: "write", path: "." }],
  });
  return {
    tool: async (path) => {
      await files.write(bench.path(path), Buffer.from("x"), { kind: "anything" });
    },
    handle: (path) => handle.write(path, "x"),
  };
}

for (const writer of ["tool", "handle"] as const) {
  for (const there of [0, 1, 2, 3]) {
    test(`${writer}: no protected name is made with ${there} directories of the way there`, async () => {
      const write = writers()[writer];
      for (const parent of parents) {
        const way = parent.split("/").slice(0, -1).slice(0, there).join("/");
        mkdirSync(bench.path(way), { recursive: true });
        const names = parent === "" ? [...anywhere, ...inWorkspace] : anywhere;
        for (const name of names) {
          await assert.rejects(write(parent + name), { code: "out_of_scope" }, parent + name);
          assert.equal(existsSync(bench.path(parent + name)), false, parent + name);
        }
      }
    });
  }

  test(`${writer}: with the directory of the name there, it takes no protected name either`, async () => {
    const write = writers()[writer];
    for (const parent of parents) {
      for (const name of parent === "" ? [...anywhere, ...inWorkspace] : anywhere) {
        if (!name.includes("/")) continue;
        mkdirSync(dirname(bench.path(parent + name)), { recursive: true });
        await assert.rejects(write(parent + name), { code: "out_of_scope" }, parent + name);
      }
    }
  });

  test(`${writer}: names that only resemble them are made, however much of the way is missing`, async () => {
    const write = writers()[writer];
    for (const parent of parents) {
      for (const name of [
        ".gitx",
        ".git.d/hooks/pre-commit",
        "x.git",
        "git/hooks/pre-commit",
        "hooks/config",
        ".yois/x",
      ]) {
        await write(parent + name);
        assert.equal(readFileSync(bench.path(parent + name), "utf8"), "x");
      }
    }
    for (const name of ["made/.git/HEAD", "fresh/.yoi/x"]) {
      await write(name);
      assert.equal(readFileSync(bench.path(name), "utf8"), "x");
    }
  });
}
