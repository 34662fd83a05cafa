/** Files that are made whole or not at all, and those that take a process's output. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { createOutputFile, createPrivateFile } from "../../src/index.ts";
import { refusedWith } from "../files-conformance.ts";

const root = mkdtempSync(join(tmpdir(), "yoi-private-file-"));
after(() => rmSync(root, { recursive: true, force: true }));

describe("private file", () => {
  test("the first one stays, whole, 0600, and nothing is left beside it", () => {
    const path = join(root, "first");
    assert.deepEqual(
      ["one", "other"].map((text) => createPrivateFile(path, Buffer.from(text))),
      [true, false],
    );
    assert.equal(readFileSync(path, "utf8"), "one");
    assert.equal((statSync(path).mode & 0o777).toString(8), "600");
    assert.deepEqual(readdirSync(root), ["first"]);
  });

  test("a missing directory is said", () => {
    const path = join(root, "none", "file");
    assert.throws(() => createPrivateFile(path, Buffer.from("x")), refusedWith("io_failed", path));
  });
});

describe("output file", () => {
  test("it is 0600, appends, and takes the place of nothing", () => {
    const path = join(root, "output");
    {
      using file = createOutputFile(path);
      writeSync(file.descriptor, "a");
      writeSync(file.descriptor, "b", 0);
    }
    assert.equal(readFileSync(path, "utf8"), "ab");
    assert.equal((statSync(path).mode & 0o777).toString(8), "600");
    assert.throws(() => createOutputFile(path), refusedWith("io_failed", path));
  });
});
