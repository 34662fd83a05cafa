/** Temp files are told from every other file by their names, on both file systems. */
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { failNth, memoryHost, nodeHost, sweepTemporaries } from "../src/index.ts";
import { temporaryPath } from "../src/temporary.ts";

test("only what replace names so is swept, in that directory alone", async () => {
  const root = await mkdtemp(join(tmpdir(), "yoi-sweep-"));
  try {
    const { files } = nodeHost();
    const directory = join(root, "d");
    await sweepTemporaries(files, directory);
    await files.makeDirectory(join(directory, "below"));
    const put = (name: string) => files.replace(join(directory, name), Buffer.from("x"));
    const temporary = temporaryPath(join(directory, "log.torn"), "0198c0de-0000-7000-8000-000000000001");
    await files.replace(temporary, Buffer.from("x"));
    const kept = ["a.tmp", ".a.tmp", ".a.XYZ.tmp", ".a.12.tmp.bak", "a.12.tmp", "log.torn"];
    for (const name of kept) await put(name);
    const folder = ".a.1f.tmp";
    await files.makeDirectory(join(directory, folder));
    kept.push(folder);
    await sweepTemporaries(files, directory, ["torn", "og.torn"]);
    assert.deepEqual(
      await files.list(directory),
      [".log.torn.0198c0de-0000-7000-8000-000000000001.tmp", "below", ...kept].sort(),
    );
    await symlink("loop.tmp", join(directory, ".loop.tmp.a.tmp"));
    await symlink(".loop.b.tmp", join(directory, ".loop.b.tmp"));
    const deeper = join(directory, "below", ".a.12.tmp");
    await files.replace(deeper, Buffer.from("x"));
    await sweepTemporaries(files, directory);
    assert.deepEqual(await files.list(directory), ["below", ...kept].sort());
    assert.notEqual(await files.stat(deeper), null);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("what a replace leaves that dies before its rename is swept, and the file itself is not", async () => {
  const left: string[] = [];
  for (let seed = 0; seed < 10; seed += 1) {
    const host = memoryHost({ seed });
    await host.files.makeDirectory("/d");
    host.disk.plan = failNth("rename", 1, "crash");
    await assert.rejects(host.files.replace("/d/file", Buffer.from("x")));
    host.crash("process");
    const { files } = host.restart();
    const names = await files.list("/d");
    await sweepTemporaries(files, "/d");
    assert.deepEqual(
      await files.list("/d"),
      names.filter((name) => name === "file"),
    );
    left.push(...names);
  }
  assert.ok(left.includes("file") && left.some((name) => name !== "file"), left.join(" "));
});
