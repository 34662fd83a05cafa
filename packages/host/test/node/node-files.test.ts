/** What only the real file system has: modes, system errors, and files under other names. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { nodeHost } from "../../src/index.ts";
import { atOnceBytesMax } from "../../src/node/append-file.ts";
import { refusedWith } from "../files-conformance.ts";

describe("node files", () => {
  const { files } = nodeHost();
  let root = "";
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "yoi-node-files-"));
  });
  after(() => rm(root, { recursive: true }));

  test("files are 0600 and directories 0700", async () => {
    await files.makeDirectory(join(root, "a/b"));
    await files.replace(join(root, "a/replaced"), Buffer.from("x"));
    await (await files.createAppend(join(root, "a/log"))).close();
    const mode = async (path: string) => ((await stat(join(root, path))).mode & 0o777).toString(8);
    assert.deepEqual(
      [await mode("a"), await mode("a/b"), await mode("a/replaced"), await mode("a/log")],
      ["700", "700", "600", "600"],
    );
  });

  test("a full disk is disk_full and says what to do", async () => {
    const file = await files.openAppend("/dev/full");
    await assert.rejects(file.append(Buffer.from("x")), (error: Error) => {
      assert.ok(refusedWith("disk_full", "/dev/full")(error));
      assert.equal(
        error.message,
        "Cannot write to /dev/full: the disk is full (ENOSPC); free some space and try again.",
      );
      return true;
    });
    await file.close();
  });

  test("a read-only file system is permission_denied", async () => {
    await assert.rejects(files.makeDirectory("/proc/yoi"), (error: Error) =>
      /permission_denied|io_failed/.test((error as { code?: string }).code ?? ""),
    );
    await assert.rejects(
      files.createAppend("/sys/kernel/yoi"),
      refusedWith("permission_denied", "/sys/kernel/yoi"),
    );
  });

  test("replacing leaves no other name behind", async () => {
    const path = join(root, "kept");
    for (let round = 0; round < 5; round += 1) await files.replace(path, Buffer.from(String(round)));
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.includes("kept")),
      ["kept"],
    );
  });

  for (const bytes of [0, 1, atOnceBytesMax, atOnceBytesMax + 1, 3_000_001]) {
    test(`${bytes} bytes arrive whole, appended and replaced, and a full disk refuses them`, async () => {
      const path = join(root, `sized-${bytes}`);
      const data = Buffer.alloc(bytes, "abcdefg");
      const file = await files.createAppend(path);
      await file.append(data);
      await file.sync();
      assert.equal(file.bytes, bytes);
      await file.close();
      assert.ok(Buffer.from((await files.read(path)) ?? []).equals(data));
      await files.replace(`${path}-replaced`, data);
      assert.ok(Buffer.from((await files.read(`${path}-replaced`)) ?? []).equals(data));
      if (bytes === 0) return;
      const full = await files.openAppend("/dev/full");
      await assert.rejects(full.append(data), refusedWith("disk_full", "/dev/full"));
      await full.close();
    });
  }

  test("a directory that was taken away is made again", async () => {
    const path = join(root, "gone/inner");
    await files.makeDirectory(path);
    await rm(join(root, "gone"), { recursive: true });
    await files.makeDirectory(path);
    assert.ok((await stat(path)).isDirectory());
  });
});
