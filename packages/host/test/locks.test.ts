/** Locks: both pass the one suite; what only the file system has; what a crash frees. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { HostCrashed, memoryHost, nodeHost } from "../src/index.ts";
import { nodeLocks, stillHeld } from "../src/node/file-lock.ts";
import { refusedWith } from "./files-conformance.ts";

const root = mkdtempSync(join(tmpdir(), "yoi-locks-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A work that is under way until it is let go. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

for (const [name, make] of [
  ["node", () => ({ locks: nodeHost().locks, directory: root })],
  ["memory", () => ({ locks: memoryHost({ seed: 1 }).locks, directory: "/locks" })],
] as const) {
  describe(`Locks: ${name}`, () => {
    const { locks, directory } = make();
    const path = join(directory, "conformance.lock");

    test("works of one path run one after the other, in the order in which they were asked for", async () => {
      let inside = 0;
      const order: number[] = [];
      const done = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          locks.hold(path, async () => {
            inside += 1;
            assert.equal(inside, 1);
            await turns();
            order.push(n);
            inside -= 1;
            return n * 10;
          }),
        ),
      );
      assert.deepEqual(
        [done, order],
        [
          [10, 20, 30, 40],
          [1, 2, 3, 4],
        ],
      );
    });

    test("a work that fails fails its own caller, and the next one runs", async () => {
      const failed = locks.hold(path, () => Promise.reject(new Error("of its own")));
      const next = locks.hold(path, async () => "next");
      await assert.rejects(failed, /^Error: of its own$/);
      assert.equal(await next, "next");
    });

    test("another path does not wait", async () => {
      const held = gate();
      const first = locks.hold(path, () => held.passed);
      assert.equal(await locks.hold(join(directory, "other.lock"), async () => "other"), "other");
      held.open();
      await first;
    });
  });
}

describe("locks on a machine", () => {
  const hurried = () => nodeLocks({ waitMaxMs: 40 });

  test("the file is made, stays empty, and nothing is beside it", async () => {
    const directory = join(root, "alone");
    mkdirSync(directory);
    const path = join(directory, ".lock");
    await nodeLocks().hold(path, async () => assert.deepEqual(readdirSync(directory), [".lock"]));
    assert.deepEqual([readdirSync(directory), statSync(path).size], [[".lock"], 0]);
  });

  test("who does not get it in time says who has it, and gets it afterwards", async () => {
    const path = join(root, "held.lock");
    const held = gate();
    const begun = gate();
    const first = nodeLocks().hold(path, () => {
      begun.open();
      return held.passed;
    });
    await begun.passed;
    await assert.rejects(
      hurried().hold(path, async () => "never"),
      (error: Error) => {
        assert.ok(refusedWith("io_failed", path)(error));
        assert.match(
          error.message,
          new RegExp(`^Cannot lock .*: the process ${process.pid} has held it for 0\\.04 s, and is stopped`),
        );
        return true;
      },
    );
    const waiting = nodeLocks().hold(path, async () => "after it");
    held.open();
    await first;
    assert.equal(await waiting, "after it");
  });

  test("who is stopped is told from many who are busy, and from who cannot be seen", () => {
    const stopped =
      "Cannot lock /l: the process 7 has held it for 10 s, and is stopped or not one of yoi's; let it go on, or end it, and try again.";
    const busy = "Cannot lock /l: other processes were busy with it for 10 s; try again when they are done.";
    for (const [holders, says] of [
      [[7], stopped],
      [[7, 8], busy],
      [[null, 7], busy],
      [[7, null], busy],
      [[null], busy],
    ] as const)
      assert.equal(stillHeld("/l", holders, 10_000).message, says);
  });

  test("what stands beside it is no part of it: refused, and left as it is", async () => {
    const directory = join(root, "beside");
    mkdirSync(directory);
    const path = join(directory, ".lock");
    for (const suffix of ["-journal", "-wal", "-shm"]) {
      const beside = path + suffix;
      writeFileSync(beside, "mine ".repeat(300));
      await assert.rejects(
        nodeLocks().hold(path, async () => "never"),
        (error: Error) => refusedWith("io_failed", beside)(error) && /stands beside it/.test(error.message),
      );
      assert.equal(statSync(beside).size, 1_500);
      rmSync(beside);
    }
    assert.equal(await nodeLocks().hold(path, async () => "alone"), "alone");
  });

  test("control: a descriptor of the file that this process closes loses the lock", async () => {
    const path = join(root, "lost.lock");
    await nodeLocks().hold(path, async () => {
      // In this process SQLite knows its own locks; what the kernel has is what another process meets.
      const { hasLocked, self } = nodeHost().processes;
      assert.equal(hasLocked(self(), path), true);
      writeFileSync(path, "");
      assert.equal(hasLocked(self(), path), false);
    });
  });

  const planted: readonly {
    what: string;
    code: "permission_denied" | "io_failed";
    says: RegExp;
    plant: (path: string) => void;
  }[] = [
    {
      what: "a symbolic link",
      code: "permission_denied",
      says: /it is a symbolic link, which is not followed; move it away, and it is made anew\.$/,
      plant: (path) => symlinkSync(join(root, "target"), path),
    },
    { what: "a directory", code: "io_failed", says: /it is not a file; /, plant: (path) => mkdirSync(path) },
    {
      what: "a file with something in it",
      code: "io_failed",
      says: /it is not empty; /,
      plant: (path) => writeFileSync(path, "SQLite format 3\0"),
    },
    {
      what: "nothing, in no directory",
      code: "io_failed",
      says: /it does not exist \(ENOENT\)/,
      plant: () => undefined,
    },
  ];
  for (const { what, code, says, plant } of planted)
    test(`in its place is ${what}: ${code}, and nothing is followed`, async () => {
      const path = what.startsWith("nothing") ? join(root, "none", ".lock") : join(root, `planted ${what}`);
      plant(path);
      await assert.rejects(
        nodeLocks().hold(path, async () => "never"),
        (error: Error) => refusedWith(code, path)(error) && says.test(error.message),
      );
      assert.equal(statSync(join(root, "target"), { throwIfNoEntry: false }), undefined);
    });

  test("a file system that cannot be written to is permission_denied", async () => {
    const path = "/sys/kernel/yoi.lock";
    await assert.rejects(
      nodeLocks().hold(path, async () => "never"),
      refusedWith("permission_denied", path),
    );
  });
});

test("a crash of the simulated machine ends what is held, and the next life has no lock to wait for", async () => {
  const host = memoryHost({ seed: 1 });
  const never: Promise<void> = new Promise(() => {});
  void host.locks.hold("/lock", () => never);
  const waiting = host.locks.hold("/lock", async () => "in the first life");
  let isSettled = false;
  void waiting.finally(() => (isSettled = true)).catch(() => undefined);
  const next = host.restart();
  assert.equal(await next.locks.hold("/lock", async () => "in the next"), "in the next");
  assert.equal(isSettled, false);
  await assert.rejects(
    host.locks.hold("/other", async () => "never"),
    HostCrashed,
  );
});
