/** Files that a user names: whole up to the limit, and what is no file is refused without waiting for it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { readSmallFile } from "../../src/compose/read-small-file.ts";

test("a regular file up to its limit, also through a link; anything else is said", async () => {
  const root = mkdtempSync(join(tmpdir(), "yoi-small-file-"));
  try {
    writeFileSync(join(root, "ten"), "0123456789");
    writeFileSync(join(root, "empty"), "");
    symlinkSync("ten", join(root, "link"));
    symlinkSync("nowhere", join(root, "dangling"));
    execFileSync("mkfifo", [join(root, "fifo")]);
    const table: readonly (readonly [name: string, bytesMax: number, expected: object])[] = [
      ["ten", 10, { kind: "read", text: "0123456789" }],
      ["ten", 9, { kind: "too_large" }],
      ["link", 10, { kind: "read", text: "0123456789" }],
      ["empty", 0, { kind: "read", text: "" }],
      ["missing", 10, { kind: "missing" }],
      ["dangling", 10, { kind: "missing" }],
      ["ten/below", 10, { kind: "missing" }],
      [".", 10, { kind: "not_a_file" }],
      ["fifo", 10, { kind: "not_a_file" }],
      ["zero", 10, { kind: "not_a_file" }],
      ["x".repeat(300), 10, { kind: "unreadable", code: "ENAMETOOLONG" }],
    ];
    for (const [name, bytesMax, expected] of table) {
      const path = name.endsWith("zero") ? "/dev/zero" : join(root, name);
      assert.deepEqual(await readSmallFile(path, bytesMax), expected, name);
    }
    // /proc says that its files have no bytes, and they have.
    assert.deepEqual(await readSmallFile("/proc/self/status", 10), { kind: "too_large" });
  } finally {
    rmSync(root, { recursive: true });
  }
});
