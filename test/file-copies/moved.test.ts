/** What was moved to where it is, stands in the place of a link, or has the permission bits of the user is not lost by putting files back. */
import assert from "node:assert/strict";
import { chmodSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { describe, test } from "node:test";
import type { Touched } from "@yoi/tools";
import { type CopiesBench, copiesBench } from "./bench.ts";

/** Longer than the clock of a file system lags behind. */
const tick = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);

interface Moved {
  readonly name: string;
  readonly plant?: (bench: CopiesBench) => void;
  /** Each by a command of its own. */
  readonly commands: readonly ((bench: CopiesBench) => void)[];
  readonly meanwhile?: (bench: CopiesBench) => void;
  readonly outcome: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string | null>>;
}
const move =
  (from: string, to: string) =>
  (b: CopiesBench): void =>
    renameSync(b.path(from), b.path(to));
const linkTo = (target: string) => (b: CopiesBench) => symlinkSync(target, b.path("link"));
const instead = (b: CopiesBench): void => {
  unlinkSync(b.path("link"));
  b.put("link", "made");
};

const movedRows: readonly Moved[] = [
  {
    name: "a hidden file that was moved into sight stays",
    commands: [move(".notes", "notes")],
    outcome: { notes: "not_kept" },
    files: { notes: "user\n" },
  },
  {
    name: "an ignored one, too, over a file that was there",
    commands: [move("build/data", "a")],
    outcome: { a: "not_kept" },
    files: { a: "user\n" },
  },
  {
    name: "and one that is moved on from there",
    commands: [move(".notes", "notes"), move("notes", "more")],
    outcome: { notes: "not_kept", more: "not_kept" },
    files: { more: "user\n" },
  },
  {
    name: "control: a known one goes back to where it was",
    commands: [move("a", "c")],
    outcome: { a: "restored", c: "removed" },
    files: { a: "one\n", c: null },
  },
  {
    name: "unless somebody has put another one there",
    commands: [move("a", "c"), move("c", "e")],
    meanwhile: (b) => void b.put("a", "mine"),
    outcome: { a: "changed_since", c: "unchanged", e: "not_kept" },
    files: { a: "mine", e: "one\n" },
  },
  {
    name: "a file in the place of a link stays",
    plant: linkTo("a"),
    commands: [instead],
    outcome: { link: "not_kept" },
    files: { link: "made", a: "one\n" },
  },
  {
    name: "in the place of a link to nothing, too",
    plant: linkTo("nowhere"),
    commands: [instead],
    outcome: { link: "not_kept" },
    files: { link: "made" },
  },
  {
    name: "in the place of a directory it goes, and what was in that comes back",
    commands: [
      (b) => {
        rmSync(b.path("d"), { recursive: true });
        b.put("d", "file");
      },
    ],
    outcome: { d: "removed", "d/b": "restored" },
    files: { "d/b": "two\n" },
  },
];

describe("moved, or of another kind", () => {
  for (const { name, plant, commands, meanwhile, outcome, files } of movedRows)
    test(name, async () => {
      const bench = copiesBench();
      try {
        bench.put(".gitignore", "build/\n");
        bench.put("a", "one\n");
        bench.put("d/b", "two\n");
        for (const path of [".notes", "build/data"]) bench.put(path, "user\n");
        plant?.(bench);
        tick();
        // As doneSince has it.
        const touched: Touched[] = [];
        for (const play of commands) touched.push(...(await bench.command(() => play(bench))));
        meanwhile?.(bench);
        assert.deepEqual(await bench.rewind(touched), outcome);
        for (const [path, text] of Object.entries(files)) assert.equal(bench.text(path), text, path);
      } finally {
        bench.close();
      }
    });
});

describe("permission bits", () => {
  const rows = [
    ["that the user gave since stay", 0o644, () => {}, 0o600, 0o600],
    [
      "of a command that gave others, and then the user",
      0o644,
      (path: string) => chmodSync(path, 0o755),
      0o600,
      0o600,
    ],
    ["control: those of a command alone go", 0o644, (path: string) => chmodSync(path, 0o755), null, 0o644],
    ["that run as another are never given", 0o4755, () => {}, null, 0o755],
  ] as const;
  for (const [name, first, play, since, last] of rows)
    test(name, async () => {
      const bench = copiesBench();
      try {
        const path = bench.put("s", "old");
        chmodSync(path, first);
        tick();
        const touched = await bench.command(() => {
          bench.put("s", "new");
          play(path);
        });
        if (since !== null) chmodSync(path, since);
        assert.deepEqual(await bench.rewind(touched), { s: "restored" });
        assert.deepEqual([bench.text("s"), statSync(path).mode & 0o7777], ["old", last]);
      } finally {
        bench.close();
      }
    });
});
