/** What git tracks is looked after wherever its repository begins, as far as the Pod may read it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { scopeRule } from "@yoi/scope";
import { copiesBench, gitTracks } from "./bench.ts";

const git = (cwd: string, ...args: readonly string[]): void => {
  const { status, stderr } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
};

interface Row {
  readonly name: string;
  /** Where the repository begins, and the hidden file that it tracks. */
  readonly top: string;
  readonly file: string;
  /** What of the workspace may be written; the rest is read, or out of reach. */
  readonly written?: string;
  readonly reads?: boolean;
  readonly format?: "sha256";
  readonly isKnown: boolean;
}
const rows: readonly Row[] = [
  { name: "in the workspace", top: "", file: ".x", isKnown: true },
  { name: "with SHA-256", top: "", file: ".x", format: "sha256", isKnown: true },
  { name: "below it", top: "one/two", file: ".x", isKnown: true },
  { name: "above what may be written", top: "", file: "pkg/.x", written: "pkg", reads: true, isKnown: true },
  { name: "above, where nothing may be read", top: "", file: "pkg/.x", written: "pkg", isKnown: false },
];

for (const { name, top, file, written, reads, format, isKnown } of rows)
  test(`a repository ${name}`, async () => {
    const bench = copiesBench(
      written === undefined
        ? {}
        : {
            scope: (workspace) => ({
              allow: [
                scopeRule(`${workspace}/${written}`, "write"),
                ...(reads === true ? [scopeRule(workspace, "read")] : []),
              ],
              deny: [],
            }),
          },
    );
    try {
      const path = top === "" ? file : `${top}/${file}`;
      bench.put(path, "1");
      if (format !== undefined) git(bench.path(top), "init", "-q", `--object-format=${format}`);
      gitTracks(bench.path(top), [file]);
      const touched = await bench.command(() => void bench.put(path, "22"));
      assert.deepEqual(
        touched.map((one) => one.path),
        isKnown ? [bench.path(path)] : [],
      );
    } finally {
      bench.close();
    }
  });

test("a worktree, whose repository is elsewhere; one that begins later; and a file that names none", async () => {
  const bench = copiesBench();
  try {
    bench.put("main/.x", "1");
    bench.put("odd/.x", "1");
    bench.put("odd/.git", `gitdir: ${"../".repeat(3)}main\0\n`);
    gitTracks(bench.path("main"), [".x"]);
    git(bench.path("main"), "commit", "-qm", "one");
    git(bench.path("main"), "worktree", "add", "-q", "../tree");
    const changed = async (): Promise<readonly string[]> =>
      (
        await bench.command(() => {
          for (const name of ["tree", "odd", "late"]) bench.put(`${name}/.x`, String(Math.random()));
        })
      ).map(({ path }) => path);
    mkdirSync(bench.path("late"));
    assert.deepEqual(await changed(), [bench.path("tree/.x")]);
    gitTracks(bench.path("late"), [".x"]);
    assert.deepEqual(await changed(), [bench.path("late/.x"), bench.path("tree/.x")]);
  } finally {
    bench.close();
  }
});
