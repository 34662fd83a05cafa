/** A file tool's write is durable when it returns: the new file is synced before it gets its name, and its directory after. A sync that fails is told. */
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import promises, { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { mock, test } from "node:test";
import { YoiError } from "@yoi/base";
import { protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";

/** What a case does to the syncs of the process; null lets them pass. */
type FailSync = (path: string) => string | null;

/** A workspace, and every sync and rename in this process noted in order, by the paths relative to it. */
async function watched(fail: FailSync = () => null) {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "yoi-durable-")));
  writeFileSync(join(workspace, "old"), "before\n");
  const told: string[] = [];
  const relative = (path: string): string => path.replace(workspace, ".");
  const handle = await open(workspace);
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = prototype;
  const syncing = mock.method(prototype, "sync", async function (this: FileHandle): Promise<void> {
    const path = relative(readlinkSync(`/proc/self/fd/${this.fd}`));
    const code = fail(path);
    if (code !== null) throw Object.assign(new Error(code), { code });
    await sync.call(this);
    told.push(`sync ${path}`);
  });
  const { rename } = promises;
  const renaming = mock.method(promises, "rename", async (from: string, to: string): Promise<void> => {
    await rename(from, to);
    told.push(`rename ${basename(from)} ${basename(to)}`);
  });
  syncBuiltinESMExports();
  const protection = protectionOf({ workspace, home: null, own: [], spill: null });
  const scope = { allow: [scopeRule(workspace, "write")], deny: [] };
  return {
    workspace,
    told,
    files: createScopedFiles({ scope: () => scope, protection }),
    [Symbol.dispose]: () => {
      syncing.mock.restore();
      renaming.mock.restore();
      syncBuiltinESMExports();
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}
type Watched = Awaited<ReturnType<typeof watched>>;

async function replaceOld({ files, workspace }: Watched): Promise<void> {
  const { identity } = await files.read(`${workspace}/old`);
  await files.write(`${workspace}/old`, Buffer.from("after\n"), { kind: "same", identity });
}

test("a file that is replaced: synced, renamed, the directory synced", async () => {
  using place = await watched();
  await replaceOld(place);
  assert.deepEqual(place.told, ["sync ./.yoi-write-0", "rename .yoi-write-0 old", "sync ."]);
});

test("a file below directories that are made: each of their parents is synced too", async () => {
  using place = await watched();
  mkdirSync(join(place.workspace, "a"));
  await place.files.write(`${place.workspace}/a/b/c/new`, Buffer.from("made\n"), { kind: "missing" });
  assert.deepEqual(place.told, [
    "sync ./a",
    "sync ./a/b",
    "sync ./a/b/c/.yoi-write-0",
    "rename .yoi-write-0 new",
    "sync ./a/b/c",
  ]);
});

const failures = [
  { what: "the file", failing: "./.yoi-write-0", content: "before\n" },
  // It has its name by then, and nobody knows for how long.
  { what: "the directory", failing: ".", content: "after\n" },
];
for (const { what, failing, content } of failures) {
  for (const [errno, code] of [
    ["EIO", "io_failed"],
    ["ENOSPC", "disk_full"],
  ] as const) {
    test(`the sync of ${what} fails with ${errno}: told as ${code}, nothing is left beside it`, async () => {
      using place = await watched((path) => (path === failing ? errno : null));
      await assert.rejects(replaceOld(place), (error) => error instanceof YoiError && error.code === code);
      assert.deepEqual(readdirSync(place.workspace), ["old"]);
      assert.equal(readFileSync(join(place.workspace, "old"), "utf8"), content);
    });
  }
}
