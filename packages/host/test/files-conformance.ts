/** What every Files implementation must do: a suite that is handed one. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { YoiError, type ErrorCode } from "@yoi/base";
import type { Files } from "../src/index.ts";

export interface FilesUnderTest {
  readonly files: Files;
  /** An existing empty directory. */
  readonly root: string;
  dispose(): Promise<void>;
}

const bytes = (text: string) => Buffer.from(text, "utf8");
const textOf = (data: Uint8Array | null) => (data === null ? null : Buffer.from(data).toString("utf8"));

export function refusedWith(code: ErrorCode, path: string) {
  return (error: unknown) =>
    error instanceof YoiError &&
    error.code === code &&
    error.message.includes(path) &&
    error.place?.path === path;
}

export function filesConformance(name: string, make: () => Promise<FilesUnderTest>): void {
  describe(`Files: ${name}`, async () => {
    const { files, root, dispose } = await make();
    after(dispose);

    test("what is missing is null, empty, or refused by name", async () => {
      const missing = `${root}/missing`;
      assert.equal(await files.read(missing), null);
      assert.equal(await files.stat(missing), null);
      assert.deepEqual(await files.list(missing), []);
      await files.removeFile(missing);
      await files.removeTree(missing);
      await assert.rejects(files.openAppend(missing), refusedWith("io_failed", missing));
      await assert.rejects(files.readRange(missing, 0, 1), refusedWith("io_failed", missing));
      await assert.rejects(files.syncDirectory(missing), refusedWith("io_failed", missing));
      await assert.rejects(
        files.createAppend(`${missing}/file`),
        refusedWith("io_failed", `${missing}/file`),
      );
      await assert.rejects(files.replace(`${missing}/file`, bytes("x")), YoiError);
    });

    test("makeDirectory makes the whole path, twice is fine, and a file in the way is refused", async () => {
      await files.makeDirectory(`${root}/a/b/c`);
      await files.makeDirectory(`${root}/a/b/c`);
      assert.equal((await files.stat(`${root}/a/b`))?.kind, "directory");
      assert.deepEqual(await files.list(`${root}/a`), ["b"]);
      await files.replace(`${root}/a/file`, bytes("x"));
      await assert.rejects(files.makeDirectory(`${root}/a/file`), YoiError);
      await assert.rejects(files.makeDirectory(`${root}/a/file/below`), YoiError);
      await assert.rejects(files.list(`${root}/a/file`), refusedWith("io_failed", `${root}/a/file`));
    });

    test("an append file counts, appends, cuts, and shows what stands under its path", async () => {
      const path = `${root}/append`;
      const file = await files.createAppend(path);
      assert.equal(file.bytes, 0);
      await file.append(bytes("one,"));
      await file.append(bytes("two,three"));
      await file.append(bytes(""));
      assert.equal(file.bytes, 13);
      await file.truncate(8);
      assert.equal(file.bytes, 8);
      await file.append(bytes("end"));
      await file.sync();
      assert.equal(textOf(await files.read(path)), "one,two,end");
      const seen = await file.stat();
      assert.deepEqual([seen?.kind, seen?.bytes, seen?.inode], ["file", 11, (await files.stat(path))?.inode]);
      await file.close();
      const again = await files.openAppend(path);
      assert.equal(again.bytes, 11);
      await again.append(bytes("!"));
      await again.close();
      assert.equal(textOf(await files.readRange(path, 4, 3)), "two");
      assert.equal(textOf(await files.readRange(path, 8, 100)), "end!");
      assert.equal(textOf(await files.readRange(path, 100, 5)), "");
      await assert.rejects(files.createAppend(path), refusedWith("io_failed", path));
    });

    test("another writer and another file under the path are seen", async () => {
      const path = `${root}/shared`;
      const file = await files.createAppend(path);
      await file.append(bytes("mine"));
      const before = await file.stat();
      const other = await files.openAppend(path);
      await other.append(bytes("theirs"));
      assert.deepEqual([before?.bytes, (await file.stat())?.bytes], [4, 10]);
      await files.replace(path, bytes("new"));
      assert.notEqual((await file.stat())?.inode, before?.inode);
      await files.removeFile(path);
      assert.equal(await file.stat(), null);
      await file.close();
      await other.close();
    });

    test("replace makes a file that its owner may run where that is asked for, and takes it away again", async () => {
      await files.makeDirectory(`${root}/modes`);
      const path = `${root}/modes/run.sh`;
      const found: unknown[] = [];
      for (const executable of [false, true, undefined]) {
        await files.replace(path, bytes("x"), executable === undefined ? undefined : { executable });
        found.push((await files.stat(path))?.executable);
      }
      assert.deepEqual(found, [false, true, false]);
      assert.equal((await files.stat(`${root}/modes`))?.executable, false);
    });

    test("replace creates and replaces whole, and leaves no temp file behind when it fails", async () => {
      await files.makeDirectory(`${root}/replace`);
      const path = `${root}/replace/file`;
      await files.replace(path, bytes("first, and longer"));
      await files.replace(path, bytes("second"));
      assert.equal(textOf(await files.read(path)), "second");
      await files.makeDirectory(`${root}/replace/dir/full`);
      await assert.rejects(files.replace(`${root}/replace/dir`, bytes("x")), YoiError);
      assert.deepEqual(await files.list(`${root}/replace`), ["dir", "file"]);
    });

    test("removeFile and removeTree take away what they name", async () => {
      await files.makeDirectory(`${root}/tree/deep`);
      await files.replace(`${root}/tree/deep/file`, bytes("x"));
      await files.removeFile(`${root}/tree/deep/file`);
      assert.deepEqual(await files.list(`${root}/tree/deep`), []);
      await assert.rejects(files.removeFile(`${root}/tree/deep`), YoiError);
      await files.removeTree(`${root}/tree`);
      assert.equal(await files.stat(`${root}/tree`), null);
    });

    test("reading a directory as a file is refused", async () => {
      await assert.rejects(files.read(root), refusedWith("io_failed", root));
    });
  });
}
