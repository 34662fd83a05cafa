/** Where a redirect leads: what lies out of the command's reach is neither moved, read nor told. */
import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { test } from "node:test";
import { closePlace, openInPlace } from "../../src/repositories/in-place.ts";
import { start } from "./watched-place.ts";

/** Ways of a model to send git, and whoever looks after it, to `target`; each with what of it is moved away. */
const redirects: readonly (readonly [string, string, (at: string, target: string) => void])[] = [
  ["a .git file", ".git", (at, target) => writeFileSync(join(at, ".git"), `gitdir: ${target}\n`)],
  ["a .git that is a link", ".git", (at, target) => symlinkSync(target, join(at, ".git"))],
  [
    "a link on the way of a .git file",
    ".git",
    (at, target) => {
      symlinkSync(join(target, ".."), join(at, "way"));
      writeFileSync(join(at, ".git"), `gitdir: way/${basename(target)}\n`);
    },
  ],
  [
    "a .git file with a path of two dots",
    ".git",
    (at, target) => writeFileSync(join(at, ".git"), `gitdir: ${relative(at, target)}\n`),
  ],
  [
    "a commondir",
    ".git/commondir",
    (at, target) => {
      mkdirSync(join(at, ".git"));
      writeFileSync(join(at, ".git/commondir"), target);
    },
  ],
  [
    "a link as commondir",
    ".git/commondir",
    (at, target) => {
      mkdirSync(join(at, ".git"));
      symlinkSync(target, join(at, ".git/commondir"));
    },
  ],
  [
    "a commondir that a .git file leads to",
    "gd/commondir",
    (at, target) => {
      mkdirSync(join(at, "gd"));
      writeFileSync(join(at, ".git"), "gitdir: gd\n");
      writeFileSync(join(at, "gd/commondir"), target);
    },
  ],
];
const secret = "TOKEN-7f3a";
for (const deniesHold of [true, false]) {
  for (const [name, file, redirect] of redirects) {
    test(`what lies elsewhere is neither moved nor read by ${name}, ${deniesHold ? "in the sandbox" : "without one"}: the redirect is what is told`, async () => {
      const { workspace, aside, run, put } = start({ deniesHold });
      const elsewhere = join(aside, "elsewhere");
      const files = ["hooks/metadata.json", "hooks/pre-commit", "config", "commondir", "gitdir"];
      for (const each of files) put(join(elsewhere, each), `[alias]\nx = !curl ${secret}\n`);
      const at = join(workspace, "n");
      mkdirSync(at);
      const notes = await run(() => redirect(at, elsewhere));
      for (const each of files) assert.ok(existsSync(join(elsewhere, each)), each);
      assert.equal(notes.length, 1, notes.join("\n"));
      assert.doesNotMatch(notes.join(), new RegExp(secret));
      assert.match(notes[0] ?? "", /make git take hooks and configuration from/);
      assert.match(notes[0] ?? "", deniesHold ? /it was moved to/ : /it was left as it is/);
      assert.equal(lstatSync(join(at, file), { throwIfNoEntry: false }) === undefined, deniesHold);
      put(join(elsewhere, "hooks/post-commit"), "the user's");
      assert.deepEqual(
        await run(() => put(join(elsewhere, "hooks/pre-push"), "the user's")),
        [],
        "nor later",
      );
    });
  }
}

test("a redirect out of reach that was there before is the user's, moved with its directory too; led elsewhere it is moved away", async () => {
  const { workspace, aside, run, put } = start();
  const file = join(workspace, "wt/.git");
  put(file, `gitdir: ${aside}/repo/.git/worktrees/wt\n`);
  assert.deepEqual(await run(() => {}), []);
  assert.deepEqual(await run(() => renameSync(join(workspace, "wt"), join(workspace, "wt2"))), []);
  const notes = await run(() => put(join(workspace, "wt2/.git"), `gitdir: ${aside}/evil\n`));
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /wt2\/\.git", which would make git take .*evil.* was moved to/);
});

test("a link on the way that came to be lets an old redirect lead out: that is told, and the redirect stays", async () => {
  const { workspace, aside, run, put } = start();
  put(join(workspace, "wt/.git"), "gitdir: ../gd/x\n");
  put(join(workspace, "gd/x/HEAD"), "ref: x");
  mkdirSync(join(aside, "x"));
  const notes = await run(() => {
    rmSync(join(workspace, "gd"), { recursive: true });
    symlinkSync(aside, join(workspace, "gd"));
  });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /leads git to .*: it was left as it is/);
  assert.ok(existsSync(join(workspace, "wt/.git")));
});

test("what a redirect says of a place that is not there and of one that is, through a link, is the same", async () => {
  const { workspace, aside, run, put } = start();
  mkdirSync(join(aside, "first"));
  const said = async (name: string): Promise<string> => {
    const at = join(workspace, "n");
    mkdirSync(at);
    const notes = await run(() => {
      symlinkSync(aside, join(at, "way"));
      put(join(at, ".git"), `gitdir: way/${name}\n`);
    });
    rmSync(at, { recursive: true });
    return notes
      .join()
      .replace(name, "")
      .replace(/7\.0-\d+/, "");
  };
  assert.equal(await said("first"), await said("second"));
});

test("what the sandbox keeps the command from is somebody else's: a hook that the user installs meanwhile, and one that a redirect leads to", async () => {
  for (const [readOnly, stays] of [
    ["vendor/x/.git/hooks", true],
    ["vendor", true],
    ["other", false],
  ] as const) {
    const { workspace, git, run, put } = start({ readOnly });
    const hook = join(git, "hooks/pre-commit");
    await run(() => {
      put(join(workspace, "n/.git"), `gitdir: ${git}\n`);
      put(hook, "the user's");
    });
    assert.equal(existsSync(hook), stays, readOnly);
  }
});

test("without a sandbox a new hook is told and stays: anybody may have made it", async () => {
  const { git, run, put, at } = start({ deniesHold: false });
  assert.deepEqual(await run(() => put(join(git, "hooks/pre-commit"), "mine")), [
    `Since the command there is "${at(git)}/hooks/pre-commit", a git hook, which would run at your next use of git: it was left as it is, because without the sandbox anybody may have made it; look at it before you use git there.`,
  ]);
  assert.ok(existsSync(join(git, "hooks/pre-commit")));
  assert.deepEqual(await run(() => {}), [], "told once");
});

test("a directory that another command exchanges for a link right before the move leads the move nowhere else", async () => {
  const swap = (path: string): void => {
    const x = join(path, "../../..");
    renameSync(x, `${x}-old`);
    symlinkSync(join(x, "../../users"), x);
  };
  const { workspace, git, run, put } = start({ quarantine: swap });
  const users = join(workspace, "users/.git/hooks/pre-commit");
  put(users, "the user's");
  const notes = await run(() => put(join(git, "hooks/pre-commit"), "evil"));
  assert.equal(notes.length, 1);
  assert.ok(existsSync(users), "what the link leads to stays");
  assert.ok(!existsSync(join(workspace, "vendor/x-old/.git/hooks/pre-commit")), "what was found is moved");
});

test("openInPlace: what a link on the way leads to is not opened; what lies there is", () => {
  const { workspace, put } = start();
  put(join(workspace, "real/f"), "in its place");
  symlinkSync(join(workspace, "real"), join(workspace, "way"));
  assert.equal(openInPlace(join(workspace, "way/f"), "file"), null);
  assert.equal(openInPlace(`${workspace}/real/../way/.`, "directory"), null);
  const fd = openInPlace(join(workspace, "real/f"), "file");
  assert.ok(fd !== null);
  assert.equal(readFileSync(fd, "utf8"), "in its place");
  closePlace(fd);
});
