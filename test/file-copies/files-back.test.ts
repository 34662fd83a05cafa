/** Files are put back as they were before the tools changed them, and whatever anybody else made of them is left alone. */
import assert from "node:assert/strict";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, test } from "node:test";
import { failNth } from "@yoi/host";
import { scopeRule } from "@yoi/scope";
import { heldBytesMax, knownFilesMax, type Touched } from "@yoi/tools";
import { KnownFiles } from "../../packages/tools/src/copies/known-files.ts";
import { type CopiesBench, copiesBench, gitTracks } from "./bench.ts";

type Changed = readonly Touched[];

interface Row {
  readonly name: string;
  /** What the Pod does, in order; each gives what its records say. */
  readonly work: (bench: CopiesBench) => Promise<readonly Changed[]>;
  /** What somebody else does then. */
  readonly meanwhile?: (bench: CopiesBench) => void;
  readonly outcome: Readonly<Record<string, string>>;
  /** Texts of files afterwards; null: gone. */
  readonly files: Readonly<Record<string, string | null>>;
}

const edit = async (bench: CopiesBench, name: string, from: string, to: string): Promise<Changed> => {
  await bench.call("Read", { file_path: bench.path(name) });
  return bench.change("Edit", { file_path: bench.path(name), old_string: from, new_string: to });
};
const write = (bench: CopiesBench, name: string, content: string): Promise<Changed> =>
  bench.change("Write", { file_path: bench.path(name), content });
const put = (bench: CopiesBench, name: string, text: string) => () => void bench.put(name, text);

const rows: readonly Row[] = [
  {
    name: "two edits of one file",
    work: async (b) => [await edit(b, "a", "one", "two"), await edit(b, "a", "two", "three")],
    outcome: { a: "restored" },
    files: { a: "one\n" },
  },
  {
    name: "an edit, then a command that changes it again",
    work: async (b) => [await edit(b, "a", "one", "two"), await b.command(put(b, "a", "shell"))],
    outcome: { a: "restored" },
    files: { a: "one\n" },
  },
  {
    name: "a new file, below new directories, which stay",
    work: async (b) => [await write(b, "new/deep/c", "c")],
    outcome: { "new/deep/c": "removed" },
    files: { "new/deep/c": null },
  },
  {
    name: "a command that makes, changes and removes",
    work: async (b) => [
      await b.command(() => {
        b.put("made", "x");
        b.put("a", "changed");
        unlinkSync(b.path("dir/b"));
      }),
    ],
    outcome: { a: "restored", "dir/b": "restored", made: "removed" },
    files: { a: "one\n", "dir/b": "two\n", made: null },
  },
  {
    name: "renamed by a command, and its directory with it",
    work: async (b) => [await b.command(() => renameSync(b.path("dir"), b.path("moved")))],
    outcome: { "dir/b": "restored", "moved/b": "removed" },
    files: { "dir/b": "two\n", "moved/b": null },
  },
  {
    name: "removed, then made anew by a command",
    work: async (b) => [await b.command(() => unlinkSync(b.path("a"))), await b.command(put(b, "a", "new"))],
    outcome: { a: "restored" },
    files: { a: "one\n" },
  },
  {
    name: "what the user changed since is the user's",
    work: async (b) => [await edit(b, "a", "one", "two")],
    meanwhile: (b) => b.put("a", "mine"),
    outcome: { a: "changed_since" },
    files: { a: "mine" },
  },
  {
    name: "what the user removed since stays removed",
    work: async (b) => [await edit(b, "a", "one", "two")],
    meanwhile: (b) => unlinkSync(b.path("a")),
    outcome: { a: "changed_since" },
    files: { a: null },
  },
  {
    name: "already as it was",
    work: async (b) => [await edit(b, "a", "one", "two")],
    meanwhile: (b) => b.put("a", "one\n"),
    outcome: { a: "unchanged" },
    files: { a: "one\n" },
  },
  {
    name: "a link swapped in is not followed",
    work: async (b) => [await edit(b, "a", "one", "two")],
    meanwhile: (b) => {
      unlinkSync(b.path("a"));
      symlinkSync(b.put("other", "two\n"), b.path("a"));
    },
    outcome: { a: "out_of_scope" },
    files: { other: "two\n" },
  },
  {
    name: "nor one in the place of its directory",
    work: async (b) => [await b.command(put(b, "dir/b", "changed"))],
    meanwhile: (b) => {
      renameSync(b.path("dir"), b.path("elsewhere"));
      symlinkSync(b.path("elsewhere"), b.path("dir"));
    },
    outcome: { "dir/b": "out_of_scope" },
    files: { "elsewhere/b": "changed" },
  },
  {
    name: "a file with another name is left alone",
    work: async (b) => [await edit(b, "a", "one", "two")],
    meanwhile: (b) => linkSync(b.path("a"), b.path("second")),
    outcome: { a: "out_of_scope" },
    files: { a: "two\n", second: "two\n" },
  },
  {
    name: "a directory where it was",
    work: async (b) => [await edit(b, "a", "one", "two")],
    meanwhile: (b) => {
      unlinkSync(b.path("a"));
      mkdirSync(b.path("a"));
    },
    outcome: { a: "failed" },
    files: {},
  },
  {
    name: "where a command made a directory of a file, that is empty and stays",
    work: async (b) => [
      await b.command(() => {
        unlinkSync(b.path("a"));
        b.put("a/inside", "x");
      }),
    ],
    outcome: { a: "failed", "a/inside": "removed" },
    files: { "a/inside": null },
  },
  {
    name: "bytes that are no text",
    work: async (b) => [await b.command(() => void b.put("binary", Uint8Array.of(0, 255, 1)))],
    outcome: { binary: "restored" },
    files: { binary: "\0\u0001" },
  },
];

describe("put back", () => {
  for (const { name, work, meanwhile, outcome, files } of rows)
    test(name, async () => {
      const bench = copiesBench();
      try {
        bench.put("a", "one\n");
        bench.put("dir/b", "two\n");
        if (name.startsWith("bytes")) bench.put("binary", Uint8Array.of(0, 1));
        const touched = (await work(bench)).flat();
        meanwhile?.(bench);
        assert.deepEqual(await bench.putBack(touched), outcome);
        for (const [path, text] of Object.entries(files)) assert.equal(bench.text(path), text, path);
      } finally {
        bench.close();
      }
    });

  test("a second time nothing is left to do, and what was put back can be undone", async () => {
    const bench = copiesBench();
    try {
      bench.put("a", "one\n");
      const touched = await edit(bench, "a", "one", "two");
      assert.deepEqual(await bench.putBack(touched), { a: "restored" });
      assert.deepEqual(await bench.putBack(touched), { a: "unchanged" });
      const [one] = touched;
      assert.ok(one !== undefined);
      // Forward: what was overwritten is there too.
      assert.deepEqual(await bench.putBack([{ ...one, before: one.after, after: one.before }]), {
        a: "restored",
      });
      assert.equal(bench.text("a"), "two\n");
    } finally {
      bench.close();
    }
  });

  test("permission bits come back, also of what a command removed or only made executable", async () => {
    const bench = copiesBench();
    try {
      for (const name of ["gone", "bits"]) chmodSync(bench.put(name, name), 0o750);
      const touched = await bench.command(() => {
        unlinkSync(bench.path("gone"));
        chmodSync(bench.path("bits"), 0o600);
      });
      assert.deepEqual(await bench.putBack(touched), { gone: "restored", bits: "restored" });
      for (const name of ["gone", "bits"]) {
        assert.equal(statSync(bench.path(name)).mode & 0o777, 0o750, name);
        assert.equal(bench.text(name), name);
      }
    } finally {
      bench.close();
    }
  });

  test("only within the scope of the moment", async () => {
    let permission: "read" | "write" = "write";
    const bench = copiesBench({
      scope: (workspace) => ({
        get allow() {
          return [scopeRule(workspace, permission)];
        },
        deny: [],
      }),
    });
    try {
      bench.put("a", "one\n");
      const touched = await edit(bench, "a", "one", "two");
      permission = "read";
      assert.deepEqual(await bench.putBack(touched), { a: "out_of_scope" });
      assert.equal(bench.text("a"), "two\n");
      // Where nothing may be written nothing is looked after.
      assert.deepEqual(await bench.command(put(bench, "a", "shell")), []);
    } finally {
      bench.close();
    }
  });

  test("a full disk stops no tool: its record says that there is no copy", async () => {
    const bench = copiesBench();
    try {
      bench.put("a", "one\n");
      bench.memory.disk.plan = failNth("write", 1, "ENOSPC");
      const touched = await edit(bench, "a", "one", "two");
      assert.equal(touched[0]?.before, "not_kept");
      assert.match(touched[0]?.why ?? "", /disk is full|no space/i);
      assert.equal(bench.text("a"), "two\n");
    } finally {
      bench.close();
    }
  });
});

describe("known", () => {
  test("what a search lists and what git tracks; and nothing below .git", async () => {
    const bench = copiesBench();
    try {
      bench.put(".gitignore", "ignored*\n");
      for (const name of ["ignored", "ignored-tracked", ".hidden", ".hidden-tracked", "plain"])
        bench.put(name, "1");
      gitTracks(bench.workspace, ["ignored-tracked", ".hidden-tracked"]);
      const touched = await bench.command(() => {
        for (const name of ["ignored", "ignored-tracked", ".hidden", ".hidden-tracked", "plain", ".git/x"])
          bench.put(name, "22");
      });
      assert.deepEqual(
        touched.map(({ path }) => path.slice(bench.workspace.length + 1)),
        [".hidden-tracked", "ignored-tracked", "plain"],
      );
    } finally {
      bench.close();
    }
  });

  test("a file that is listed only now is not taken for a new one", async () => {
    const bench = copiesBench();
    try {
      bench.put(".gitignore", "secret\n");
      bench.put("secret", "mine");
      bench.put("a", "one\n");
      await bench.command(() => {});
      const touched = await bench.command(() => {
        rmSync(bench.path(".gitignore"));
        bench.put("made", "x");
      });
      // Of what is new nobody can say then whether it was there: it is not removed.
      const outcome = touched.map(({ path, before }) => [path.slice(bench.workspace.length + 1), before]);
      assert.equal(
        outcome.some(([, before]) => before === null),
        false,
        JSON.stringify(outcome),
      );
      assert.equal(bench.text("secret"), "mine");
    } finally {
      bench.close();
    }
  });

  test("32 MiB are held, of small files first: of a file beyond them there is no copy, and of one within there is", async () => {
    const bench = copiesBench();
    try {
      const half = heldBytesMax / 2;
      for (const [name, bytes] of [
        ["a", half],
        ["b", half],
        ["c", 2],
      ] as const) {
        bench.put(name, "");
        writeFileSync(bench.path(name), name);
        truncateSync(bench.path(name), bytes);
      }
      const touched = await bench.command(() => {
        for (const name of ["a", "b", "c"]) bench.put(name, name);
      });
      assert.deepEqual(
        touched.map(({ before }) => before === "not_kept"),
        [false, true, false],
      );
      assert.match(touched[1]?.why ?? "", /the 32 MiB for what files hold were full/);
      assert.deepEqual(await bench.putBack(touched.slice(0, 1)), { a: "restored" });
      assert.equal(statSync(bench.path("a")).size, half);
      // The session has kept as much as it keeps for commands.
      bench.put("c", Buffer.alloc(half - 1));
      const more = await bench.command(put(bench, "c", "again"));
      assert.equal(more[0]?.before, "not_kept");
      assert.match(more[0]?.why ?? "", /33554432 bytes for commands/);
    } finally {
      bench.close();
    }
  });

  test("a file that cannot be read is left alone", { skip: process.getuid?.() === 0 }, async () => {
    const bench = copiesBench();
    try {
      chmodSync(bench.put("closed", "1"), 0);
      const touched = await bench.command(() => {
        rmSync(bench.path("closed"));
        writeFileSync(bench.path("closed"), "2");
      });
      assert.equal(touched[0]?.before, "not_kept");
      assert.equal(readFileSync(bench.path("closed"), "utf8"), "2");
    } finally {
      bench.close();
    }
  });

  test("so many files are known, and of the next one it is not known what it held", async () => {
    assert.equal(knownFilesMax, 20_000);
    const bench = copiesBench();
    try {
      for (const name of ["a", "b", "c"]) bench.put(name, name);
      const known = async (filesMax: number) => [
        ...(await new KnownFiles(bench.files, async () => {}, filesMax).list([bench.workspace])).files.keys(),
      ];
      const all = ["a", "b", "c"].map((name) => bench.path(name));
      assert.deepEqual(await known(3), all);
      assert.deepEqual(await known(2), all.slice(0, 2));
    } finally {
      bench.close();
    }
  });
});
