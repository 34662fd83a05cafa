/** The simulated disk loses, tears and lies as real ones do, and the same seed does it the same way. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import {
  crashAt,
  failNth,
  HostCrashed,
  memoryHost,
  noFaults,
  type Files,
  type MemoryHost,
} from "../../src/index.ts";

const seeds = Array.from({ length: 200 }, (_, seed) => seed);

async function logWith(host: MemoryHost, durable: string, loose: string) {
  await host.files.makeDirectory("/d");
  const file = await host.files.createAppend("/d/log");
  await host.files.syncDirectory("/d");
  await file.append(Buffer.from(durable));
  await file.sync();
  if (loose !== "") await file.append(Buffer.from(loose));
  return file;
}

async function textAt(files: Files, path: string): Promise<string | null> {
  const data = await files.read(path);
  return data === null ? null : Buffer.from(data).toString("latin1");
}

describe("power cut", () => {
  const durable = "D".repeat(700);
  const loose = "u".repeat(2_000);

  test("keeps every synced byte, and shows every kind of loss on unsynced ones", async () => {
    const seen = new Set<string>();
    for (const seed of seeds) {
      const host = memoryHost({ seed });
      await logWith(host, durable, loose);
      const left = (await textAt(host.restart().files, "/d/log")) ?? "";
      assert.ok(left.startsWith(durable), `seed ${seed}`);
      const rest = left.slice(durable.length);
      assert.match(rest, /^[u\0]*$/, `seed ${seed}`);
      if (rest === "") seen.add("nothing");
      else if (rest === loose) seen.add("all");
      else if (!rest.includes("\0")) seen.add("prefix");
      else if (/\0u/.test(rest)) seen.add("a hole with later bytes behind it");
    }
    assert.deepEqual([...seen].sort(), ["a hole with later bytes behind it", "all", "nothing", "prefix"]);
  });

  test("a killed process loses nothing that was written", async () => {
    const host = memoryHost({ seed: 3 });
    await logWith(host, durable, loose);
    host.crash("process");
    assert.equal(await textAt(host.restart().files, "/d/log"), durable + loose);
  });

  test("a new name may be lost until its directory is synced, never after", async () => {
    const lost = { before: 0, after: 0 };
    for (const seed of seeds) {
      for (const when of ["before", "after"] as const) {
        const host = memoryHost({ seed });
        await host.files.makeDirectory("/d");
        const file = await host.files.createAppend("/d/new");
        await file.sync();
        if (when === "after") await host.files.syncDirectory("/d");
        if ((await host.restart().files.stat("/d/new")) === null) lost[when] += 1;
      }
    }
    assert.ok(lost.before > 50 && lost.before < 150, `${lost.before} of 200`);
    assert.equal(lost.after, 0);
  });

  test("replace leaves the old or the new file, at whichever operation the power goes", async () => {
    const seen = new Set<string | null>();
    for (const seed of seeds) {
      const host = memoryHost({ seed });
      await host.files.makeDirectory("/d");
      await host.files.replace("/d/file", Buffer.from("old"));
      host.disk.plan = crashAt(host.disk.operations + 1 + (seed % 5));
      await assert.rejects(host.files.replace("/d/file", Buffer.from("new")), HostCrashed);
      seen.add(await textAt(host.restart().files, "/d/file"));
    }
    assert.deepEqual([...seen].sort(), ["new", "old"]);
  });
});

test("a replace that fails at any operation keeps the old file and leaves no temp file", async () => {
  for (const kind of ["create", "write", "sync", "rename"] as const) {
    const host = memoryHost({ seed: 1 });
    await host.files.makeDirectory("/d");
    await host.files.replace("/d/file", Buffer.from("old"));
    host.disk.plan = failNth(kind, host.disk.count(kind) + 1, "ENOSPC");
    await assert.rejects(
      host.files.replace("/d/file", Buffer.from("new")),
      (error: YoiError) => error.code === "disk_full",
    );
    assert.deepEqual(
      [await host.files.list("/d"), await textAt(host.files, "/d/file")],
      [["file"], "old"],
      kind,
    );
  }
});

describe("makeDirectory", () => {
  test("makes the whole path durable, also what a process left that died or failed in the middle", async () => {
    for (const seed of seeds) {
      for (const effect of ["crash", "EIO"] as const) {
        const first = memoryHost({ seed });
        const index = 1 + (seed % 5);
        first.disk.plan = (operation) => (operation.index === index ? effect : "pass");
        await assert.rejects(first.files.makeDirectory("/a/b"));
        first.crash("process");
        const second = first.restart();
        await second.files.makeDirectory("/a/b");
        await second.files.replace("/a/b/file", Buffer.from("x"));
        assert.equal(
          await textAt(second.restart().files, "/a/b/file"),
          "x",
          `seed ${seed}, ${effect} at ${index}`,
        );
      }
    }
  });
});

describe("a failed sync", () => {
  test("marks pages clean: the next sync succeeds and the bytes may still be lost", async () => {
    let lost = 0;
    for (const seed of seeds) {
      const host = memoryHost({ seed });
      const file = await logWith(host, "D".repeat(512), "");
      await file.append(Buffer.from("g".repeat(512)));
      host.disk.plan = failNth("sync", host.disk.count("sync") + 1, "EIO");
      await assert.rejects(file.sync(), (error: YoiError) => error.code === "io_failed");
      await file.append(Buffer.from("n".repeat(512)));
      await file.sync();
      const left = (await textAt(host.restart().files, "/d/log")) ?? "";
      assert.equal(left.slice(1_024), "n".repeat(512), `seed ${seed}`);
      if (left.slice(512, 1_024) !== "g".repeat(512)) lost += 1;
    }
    assert.ok(lost > 20, `lost in ${lost} of 200`);
  });
});

describe("planned faults", () => {
  test("hit the k-th operation of their kind, and are YoiErrors", async () => {
    const host = memoryHost({ seed: 1 });
    const file = await logWith(host, "a", "");
    const next = (kind: "write" | "sync") => host.disk.count(kind) + 1;
    host.disk.plan = failNth("write", next("write") + 1, "ENOSPC");
    await file.append(Buffer.from("b"));
    await assert.rejects(file.append(Buffer.from("c")), (error: YoiError) => error.code === "disk_full");
    await file.append(Buffer.from("d"));
    host.disk.plan = failNth("write", next("write"), { short: 2 });
    await assert.rejects(file.append(Buffer.from("efgh")), (error: YoiError) => error.code === "disk_full");
    assert.equal(file.bytes, 5);
    host.disk.plan = failNth("sync", next("sync"), "EIO", { lasting: true });
    await assert.rejects(file.sync(), YoiError);
    await assert.rejects(file.sync(), YoiError);
    host.disk.plan = noFaults;
    await file.sync();
    assert.equal(await textAt(host.files, "/d/log"), "abdef");
  });

  test("a lying sync succeeds and keeps nothing", async () => {
    let lost = 0;
    for (const seed of seeds) {
      const host = memoryHost({ seed });
      const file = await logWith(host, "D", "");
      host.disk.plan = ({ kind }) => (kind === "sync" ? "lie" : "pass");
      await file.append(Buffer.from("u".repeat(600)));
      await file.sync();
      if ((await textAt(host.restart().files, "/d/log")) !== `D${"u".repeat(600)}`) lost += 1;
    }
    assert.ok(lost > 50, `lost in ${lost} of 200`);
  });

  test("a crash ends the life: every later call throws, and the next life is another process and boot", async () => {
    const host = memoryHost({ seed: 1 });
    const file = await logWith(host, "a", "");
    const before = host.processes.self();
    host.disk.plan = crashAt(host.disk.operations + 1);
    await assert.rejects(file.append(Buffer.from("b")), HostCrashed);
    await assert.rejects(file.sync(), HostCrashed);
    await assert.rejects(host.files.read("/d/log"), HostCrashed);
    const next = host.restart();
    await assert.rejects(host.files.stat("/d/log"), HostCrashed);
    assert.equal(next.processes.isAlive(before), false);
    assert.equal(next.processes.isAlive(next.processes.self()), true);
    assert.notEqual(next.processes.self().boot, before.boot);
    assert.ok((await next.files.stat("/d/log")) !== null);
  });
});

test("the same seed and program give the same trace, ids, randomness and survivors", async () => {
  const run = async (seed: number) => {
    const host = memoryHost({ seed });
    const file = await logWith(host, "a".repeat(100), "b".repeat(3_000));
    await Promise.all([file.append(Buffer.from("c")), host.files.replace("/d/other", Buffer.from("o"))]);
    const next = host.restart();
    return [
      host.ids.uuidV7(),
      host.random.next(),
      next.ids.uuidV7(),
      next.disk.traceDigest(),
      await textAt(next.files, "/d/log"),
    ];
  };
  assert.deepEqual(await run(5), await run(5));
  assert.notDeepEqual(await run(5), await run(6));
});
