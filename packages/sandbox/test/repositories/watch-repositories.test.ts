/** What a command left for git to run: put aside, told, or left alone. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { protectionOf } from "@yoi/scope";
import { RepositoryWatch, slowLookMs, toldFindingsMax } from "../../src/repositories/watch-repositories.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-watch-")));
after(() => rmSync(root, { recursive: true }));

let places = 0;
function start(options: { readonly quarantine?: () => never; readonly lookMs?: number } = {}) {
  places += 1;
  const workspace = join(root, `ws${places}`);
  const aside = join(root, `aside${places}`);
  mkdirSync(join(workspace, "vendor/x/.git/hooks"), { recursive: true });
  mkdirSync(aside);
  let now = 0;
  let moved = 0;
  const watch = new RepositoryWatch({
    protection: protectionOf({ workspace, home: null, own: [], spill: null, programs: [] }),
    clock: { now: () => 0, monotonic: () => (now += options.lookMs ?? 0) },
    quarantine: async (call, path) => {
      options.quarantine?.();
      const to = join(aside, `${call}-${(moved += 1)}`);
      renameSync(path, to);
      return to;
    },
  });
  const git = join(workspace, "vendor/x/.git");
  const command = {
    call: "7.0" as never,
    scope: { allow: [{ target: workspace, permission: "write", recursive: true }], deny: [] },
  } as const;
  const run = async (act: () => void): Promise<readonly string[]> => {
    const after = watch.before(command);
    act();
    return (await after()).map((note) => note.replaceAll(root, ""));
  };
  const put = (path: string, text: string): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  };
  return { workspace, aside, git, run, put, at: (path: string) => path.replace(root, "") };
}

test("a new hook of a nested repository is moved away; a sample is not", async () => {
  const { git, aside, run, put, at } = start();
  const notes = await run(() => {
    put(join(git, "hooks/post-commit"), "evil");
    put(join(git, "hooks/pre-push.sample"), "fine");
  });
  assert.deepEqual(notes, [
    `The command made or changed "${at(git)}/hooks/post-commit", a git hook, which would run at your next use of git: it was moved to "${at(aside)}/7.0-1".`,
  ]);
  assert.deepEqual(
    [existsSync(join(git, "hooks/post-commit")), existsSync(join(git, "hooks/pre-push.sample"))],
    [false, true],
  );
});

const changes: readonly (readonly [string, (hook: string) => void])[] = [
  ["rewritten with its old length", (hook) => writeFileSync(hook, "EVIL")],
  ["made executable", (hook) => chmodSync(hook, 0o755)],
  [
    "replaced by a link",
    (hook) => {
      rmSync(hook);
      symlinkSync("/bin/true", hook);
    },
  ],
];
for (const [name, change] of changes) {
  test(`a hook that was ${name} is moved away`, async () => {
    const { git, run, put } = start();
    const hook = join(git, "hooks/pre-commit");
    put(hook, "mine");
    assert.deepEqual(await run(() => {}), [], "control: what was there before is left alone");
    assert.equal((await run(() => change(hook))).length, 1);
    assert.equal(existsSync(hook), false);
  });
}

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
    `The command gave "${at(git)}/config" settings with which git runs programs or reads other files ("alias.co=!evil", "core.hookspath=/tmp/x"): it was left as it is; look at it before you use git there.`,
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
    `The command made or changed "${at(git)}/${path}", which would make git take hooks and configuration from "${held}": it was moved to "${at(aside)}/7.0-${number}".`;
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
    `The command made or changed "${at(git)}/hooks/x", a git hook, which would run at your next use of git, and it could not be moved away (no room): remove it before you use git there.`,
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
