/** What a command left for git to run: put aside, told, or left alone. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gitFileBytesMax, hooksMax } from "../../src/repositories/git-state.ts";
import { lookBytesMax } from "../../src/repositories/small-file.ts";
import { slowLookMs, toldFindingsMax } from "../../src/repositories/watch-repositories.ts";
import { start } from "./watched-place.ts";

test("a new hook of a nested repository is moved away; a sample is not", async () => {
  const { git, aside, run, put, at } = start();
  const notes = await run(() => {
    put(join(git, "hooks/post-commit"), "evil");
    put(join(git, "hooks/pre-push.sample"), "fine");
  });
  assert.deepEqual(notes, [
    `Since the command there is "${at(git)}/hooks/post-commit", a git hook, which would run at your next use of git: it was moved to "${at(aside)}/7.0-1".`,
  ]);
  assert.deepEqual(
    [existsSync(join(git, "hooks/post-commit")), existsSync(join(git, "hooks/pre-push.sample"))],
    [false, true],
  );
});

for (const [name, options, isMoved] of [
  ["where the sandbox keeps the command from it is another's", { lent: "vendor" }, false],
  ["reached through a .git file too", { lent: "vendor/x" }, false],
  ["control: beside what is lent it is moved away", { lent: "other" }, true],
  ["where a child has only a part of the workspace it is its lender's", { writable: "mine" }, false],
  ["control: in the part that the child has it is moved away", { writable: "vendor" }, true],
] as const) {
  test(`a new hook in what is lent: ${name}`, async () => {
    const { workspace, git, run, put } = start(options);
    put(join(workspace, "wt/.git"), `gitdir: ${git}\n`);
    const hook = join(git, "hooks/post-commit");
    const notes = await run(() => put(hook, "the child's"));
    assert.deepEqual([notes.length, existsSync(hook)], isMoved ? [1, false] : [0, true]);
  });
}

const changes: readonly (readonly [string, (hook: string) => void])[] = [
  [
    "rewritten with its old length and time",
    (hook) => {
      const { atime, mtime } = statSync(hook);
      writeFileSync(hook, "EVIL");
      utimesSync(hook, atime, mtime);
    },
  ],
  ["made executable", (hook) => chmodSync(hook, 0o755)],
  [
    "replaced by a link",
    (hook) => {
      rmSync(hook);
      symlinkSync("/bin/true", hook);
    },
  ],
  ["given another name", (hook) => renameSync(hook, `${hook.slice(0, -"pre-commit".length)}post-commit`)],
];
for (const [name, change] of changes) {
  test(`a hook that was ${name} is moved away`, async () => {
    const { git, run, put } = start();
    const hook = join(git, "hooks/pre-commit");
    put(hook, "mine");
    assert.deepEqual(await run(() => {}), [], "control: what was there before is left alone");
    assert.equal((await run(() => change(hook))).length, 1);
    assert.deepEqual(readdirSync(join(git, "hooks")), []);
  });
}

const same: readonly (readonly [string, (workspace: string, git: string) => void])[] = [
  [
    "moved with its repository",
    (workspace) => renameSync(join(workspace, "vendor"), join(workspace, "moved")),
  ],
  [
    "given another mode that runs no more than before",
    (_, git) => chmodSync(join(git, "hooks/pre-commit"), 0o600),
  ],
  [
    "copied with its repository",
    (workspace) => cpSync(join(workspace, "vendor"), join(workspace, "copy"), { recursive: true }),
  ],
];
for (const [name, act] of same) {
  test(`a hook that was ${name} is left alone`, async () => {
    const { workspace, git, run, put } = start();
    put(join(git, "hooks/pre-commit"), "mine");
    assert.deepEqual(await run(() => act(workspace, git)), []);
  });
}

for (const name of ["config", "config.worktree", "commondir", "gitdir", "hooks/pre-commit"]) {
  test(`a FIFO as ${name} holds nothing up`, async () => {
    const { git, run } = start();
    const notes = await run(() => execFileSync("mkfifo", [join(git, name)]));
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? "", name.startsWith("hooks") ? /was moved to/ : /is a FIFO/);
  });
}

test("a git directory that a .git file or a commondir leads to is looked at wherever it lies", async () => {
  const { workspace, run, put } = start();
  const elsewhere = join(workspace, "vendor/x/.git/lfs/deep");
  const notes = await run(() => {
    put(join(workspace, "sub/.git"), "gitdir: ../vendor/x/.git/lfs/deep\n");
    put(join(elsewhere, "HEAD"), "ref: x");
    put(join(elsewhere, "hooks/pre-commit"), "evil");
    put(join(workspace, "x/worktrees/w/HEAD"), "ref: x");
    put(join(workspace, "x/worktrees/w/commondir"), "../..\n");
    put(join(workspace, "x/hooks/pre-commit"), "evil too");
  });
  assert.equal(notes.length, 2);
  assert.deepEqual(
    [existsSync(join(elsewhere, "hooks/pre-commit")), existsSync(join(workspace, "x/hooks/pre-commit"))],
    [false, false],
  );
});

test("a hook that was too deep to be looked at before is told, and not taken for the command's", async () => {
  const { workspace, run, put } = start({ directoriesMax: 6 });
  for (const name of ["a", "b", "c", "d"]) mkdirSync(join(workspace, name));
  put(join(workspace, "d/e/repo/.git/hooks/pre-commit"), "mine");
  const notes = await run(() => {
    for (const name of ["a", "b", "c", "vendor"]) rmSync(join(workspace, name), { recursive: true });
  });
  assert.match(notes[0] ?? "", /of which not all could be looked at before and after the command/);
  assert.equal(existsSync(join(workspace, "d/e/repo/.git/hooks/pre-commit")), true);
});

test("a repository that was found stays looked at, however many directories are made before it", async () => {
  const { workspace, git, run, put } = start({ directoriesMax: 8 });
  assert.deepEqual(await run(() => {}), []);
  const notes = await run(() => {
    for (let index = 0; index < 20; index += 1) mkdirSync(join(workspace, `a${index}`));
    put(join(git, "hooks/pre-commit"), "evil");
  });
  assert.match(notes[0] ?? "", /pre-commit/);
  assert.equal(existsSync(join(git, "hooks/pre-commit")), false);
});

test("a configuration over the limit is told as such, at the limit it is read", async () => {
  const { git, run, put } = start();
  const text = "[alias]\nx = y\n";
  const padded = (bytes: number): string => text + "#".repeat(bytes - text.length);
  assert.match((await run(() => put(join(git, "config"), padded(gitFileBytesMax))))[0] ?? "", /alias\.x=y/);
  assert.match(
    (await run(() => put(join(git, "config"), padded(gitFileBytesMax + 1))))[0] ?? "",
    /too many to look at/,
  );
});

test("what one look reads is bounded: the rest is told", async () => {
  const { workspace, run, put } = start();
  const configs = (count: number) => () => {
    for (let index = 0; index < count; index += 1)
      put(join(workspace, `r${index}/.git/config`), "#".repeat(gitFileBytesMax));
  };
  const fit = lookBytesMax / gitFileBytesMax;
  assert.deepEqual(await run(configs(fit)), []);
  const { workspace: other, run: runOther } = start();
  const notes = await runOther(() => {
    for (let index = 0; index <= fit; index += 1)
      put(join(other, `r${index}/.git/config`), "#".repeat(gitFileBytesMax));
  });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /among more than 8388608 bytes that changed/);
});

test("more hooks than are looked at one by one are told", async () => {
  const { git, run, put } = start();
  const make = (from: number, to: number) => () => {
    for (let index = from; index < to; index += 1) put(join(git, `hooks/h${index}.sh`), "same");
  };
  assert.doesNotMatch((await run(make(0, hooksMax))).join(), /too many/);
  assert.match((await run(make(0, hooksMax + 1))).join(), /257 hooks, too many to look at/);
});

test("a repository that the command made, bare ones and hooks that are a link included", async () => {
  const { workspace, run, put } = start();
  const notes = await run(() => {
    put(join(workspace, "new/.git/hooks/post-checkout"), "evil");
    put(join(workspace, "bare/HEAD"), "ref: x");
    put(join(workspace, "bare/objects/x"), "x");
    symlinkSync("/tmp", join(workspace, "bare/hooks"));
  });
  assert.equal(notes.length, 2);
  assert.deepEqual(
    [existsSync(join(workspace, "new/.git/hooks/post-checkout")), existsSync(join(workspace, "bare/hooks"))],
    [false, false],
  );
});

test("a configuration that gained settings is told and not edited", async () => {
  const { git, run, put, at } = start();
  put(join(git, "config"), "[alias]\nst = status\n");
  const text = "[alias]\nst = status\nco = !evil\n[core]\nhooksPath = /tmp/x\n";
  assert.deepEqual(await run(() => put(join(git, "config"), text)), [
    `Since the command "${at(git)}/config" has settings with which git runs programs or reads other files ("alias.co=!evil", "core.hookspath=/tmp/x"): it was left as it is; look at it before you use git there.`,
  ]);
  assert.deepEqual(await run(() => {}), [], "told once");
  assert.deepEqual(await run(() => put(join(git, "config"), "[core]\nbare = false\n")), [], "losing is fine");
});

test("a redirect is moved away, but for the ones that git makes for a worktree", async () => {
  const { git, run, put, at, aside } = start();
  const notes = await run(() => {
    put(join(git, "commondir"), "../../evil\n");
    put(join(git, "worktrees/w/HEAD"), "x");
    put(join(git, "worktrees/w/commondir"), "../..\n");
    put(join(git, "worktrees/w/gitdir"), "/x/.git\n");
    put(join(git, "worktrees/bad/HEAD"), "x");
    put(join(git, "worktrees/bad/commondir"), "/tmp/evil\n");
  });
  const told = (path: string, held: string, number: number): string =>
    `Since the command there is "${at(git)}/${path}", which would make git take hooks and configuration from "${held}": it was moved to "${at(aside)}/7.0-${number}".`;
  assert.deepEqual(notes, [
    told("commondir", "../../evil", 1),
    told("worktrees/bad/commondir", "/tmp/evil", 2),
  ]);
});

test("what cannot be moved away is told with the reason", async () => {
  const { git, run, put, at } = start({
    quarantine: () => {
      throw new Error("no room");
    },
  });
  assert.deepEqual(await run(() => put(join(git, "hooks/x"), "")), [
    `Since the command there is "${at(git)}/hooks/x", a git hook, which would run at your next use of git, and it could not be moved away (no room): remove it before you use git there.`,
  ]);
});

test("many findings are all dealt with, and told up to a number", async () => {
  const { git, run, put } = start();
  const hooks =
    (count: number): (() => void) =>
    () => {
      for (let index = 0; index < count; index += 1) put(join(git, `hooks/h${index}`), "");
    };
  assert.equal((await run(hooks(toldFindingsMax))).length, toldFindingsMax);
  const notes = await run(hooks(toldFindingsMax + 2));
  assert.deepEqual([notes.length, notes.at(-1)], [toldFindingsMax + 1, "And 2 more of the kind."]);
  assert.equal(existsSync(join(git, `hooks/h${toldFindingsMax + 1}`)), false);
});

test("a search that took long says what it cost", async () => {
  const quick = start({ lookMs: slowLookMs / 2 });
  assert.deepEqual(await quick.run(() => {}), []);
  const slow = start({ lookMs: slowLookMs / 2 + 1 });
  assert.deepEqual(await slow.run(() => {}), [
    `Searching 4 directories for git hooks took ${slowLookMs + 2} ms.`,
  ]);
});

test("hooks of more bytes than a look reads: the user's own stay, in every pair of looks", async () => {
  const { git, run, put } = start();
  const count = lookBytesMax / gitFileBytesMax + 8;
  const hooks = Array.from({ length: count }, (_, index) => join(git, `hooks/h${index}`));
  for (const [index, hook] of hooks.entries()) put(hook, String(index).padEnd(gitFileBytesMax, "#"));
  for (const look of ["first", "second", "third"])
    assert.deepEqual(await run(() => {}), [], `the ${look} pair of looks`);
  assert.equal((await run(() => put(hooks[0] ?? "", "evil"))).length, 1);
  assert.deepEqual(
    hooks.map((hook) => existsSync(hook)),
    hooks.map((_, index) => index > 0),
  );
});

test("a hook that comes among those looked at because another went is left, and told", async () => {
  const { git, run, put } = start();
  const hook = (index: number): string => join(git, `hooks/h${String(index).padStart(3, "0")}`);
  for (let index = 0; index <= hooksMax; index += 1) put(hook(index), String(index));
  const notes = await run(() => rmSync(hook(0)));
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /h256.* of which not all could be looked at/);
  assert.equal(existsSync(hook(hooksMax)), true);
});

test("a hook or a configuration too large to be read: its change is told, and it is left", async () => {
  const { git, run, put } = start();
  const large = (text: string): string => text.padEnd(gitFileBytesMax + 1, "#");
  for (const name of ["hooks/pre-commit", "config"]) put(join(git, name), large("mine"));
  assert.deepEqual(await run(() => {}), []);
  const notes = await run(() => {
    for (const name of ["hooks/pre-commit", "config"]) put(join(git, name), large("evil"));
  });
  assert.equal(notes.length, 2);
  assert.equal(existsSync(join(git, "hooks/pre-commit")), true);
  assert.equal((await run(() => put(join(git, "hooks/post-commit"), large("new")))).length, 1);
  assert.equal(existsSync(join(git, "hooks/post-commit")), false, "a new one of any size is moved away");
});
