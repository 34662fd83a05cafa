/** Payloads that moved out of their line; and what killed processes leave beside logs and blobs. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { continuedLogSchema, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { createSessionStore, entryBytesMax, replay, segmentPath } from "../src/index.ts";
import { extensionBytesMax } from "../src/encode-entry.ts";
import { input, inputsOf, opening, refOf, startOf, withCode } from "./conformance.ts";
import { dataDir, read, segmentWith } from "./support/small-segment.ts";

describe("blobs", () => {
  const large = "x".repeat(entryBytesMax);

  test("a line has at most the limit; one byte more goes to a blob", async () => {
    const host = memoryHost({ seed: 1 });
    const { path: sample, log } = await segmentWith(host, ["", "0123456789"]);
    assert.ok(sample !== "");
    const empty = log.toString("latin1").split("\n").at(3)?.length ?? 0;
    for (const [over, blobs] of [
      [0, 0],
      [1, 1],
    ] as const) {
      const { path } = await segmentWith(host, ["y".repeat(entryBytesMax - empty - 1 + over)]);
      const lines = (await read(host, path)).toString("latin1").split("\n");
      assert.equal((lines[3] ?? "").length + 1 === entryBytesMax, blobs === 0);
      assert.equal((await host.files.list(join(dirname(path), "blobs"))).length, blobs);
    }
  });

  test("each payload that may grow is moved; the entry names it, and equal payloads share a blob", async () => {
    const host = memoryHost({ seed: 1 });
    const { path } = await segmentWith(host, [large, large]);
    const lines = (await read(host, path)).toString("utf8").split("\n");
    const refs = [lines[3], lines[4]].map((line) =>
      /"parts":\{"blob":\{"sha256":"([0-9a-f]{64})","bytes":(\d+)\}\}/.exec(line ?? "")?.slice(1),
    );
    assert.deepEqual(refs[0], refs[1]);
    const [sha256 = "", bytes] = refs[0] ?? [];
    assert.equal(
      (await host.files.stat(join(dirname(path), "blobs", sha256.slice(0, 2), sha256)))?.bytes,
      Number(bytes),
    );
  });

  test("an entry that no blob can make small enough is refused alone", async () => {
    const host = memoryHost({ seed: 1 });
    const store = createSessionStore({ ...host, dataDir });
    const start = startOf(host.ids);
    const { writer } = await store.create(start, opening);
    const tooLarge = writer.append([{ kind: "run_errored", code: "model_failed", message: large }]);
    await assert.rejects(tooLarge, withCode("limit_exceeded"));
    await writer.append([input("fine")]);
    assert.deepEqual(inputsOf((await store.read(refOf(start))).entries), ["fine"]);
  });

  test("an extension leaves room to be carried on; one byte more is refused", async () => {
    const host = memoryHost({ seed: 1 });
    const store = createSessionStore({ ...host, dataDir });
    const start = startOf(host.ids);
    const { writer } = await store.create(start, opening);
    const body = { kind: "extension", domain: "metrics" } as const;
    await writer.append([{ ...body, payload: "" }]);
    const log = (await read(host, segmentPath(dataDir, refOf(start)))).toString("latin1");
    const room = extensionBytesMax - (log.split("\n").at(-2)?.length ?? 0) - 1;
    const payload = "x".repeat(room);
    await assert.rejects(writer.append([{ ...body, payload: `${payload}x` }]), withCode("limit_exceeded"));
    await writer.append([{ ...body, payload }]);
    await writer.close();
    const next = { ...startOf(host.ids), schema: continuedLogSchema };
    const carried = [{ kind: "carried", of: "extension", domain: "metrics", payload }] as const;
    const made = await store.create(next, opening, { carried, behind: [] });
    await made.writer.close();
    assert.deepEqual(replay((await store.read(refOf(next))).entries).extensions.get("metrics"), payload);
  });

  test("a missing or changed blob is named with its entry, by open and by read", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path } = await segmentWith(host, ["small", large, "after"]);
    const before = await read(host, path);
    const blobs = join(dirname(path), "blobs");
    const [folder = ""] = await host.files.list(blobs);
    const [name = ""] = await host.files.list(join(blobs, folder));
    const blob = join(blobs, folder, name);
    const content = await read(host, blob);
    const changed = Buffer.from(content);
    changed[7] = 0x7a;
    for (const [reason, damage] of [
      ["its content has changed", () => host.files.replace(blob, changed)],
      ["its content has changed", () => host.files.replace(blob, content.subarray(1))],
      ["it is missing", () => host.files.removeFile(blob)],
    ] as const) {
      await damage();
      await assert.rejects(store.open(ref, opening), (error: unknown) => {
        assert.ok(error instanceof YoiError && error.code === "blob_damaged");
        assert.ok(
          error.message.includes(`log entry 4 (user_input) lies in ${blob}, and ${reason}`),
          error.message,
        );
        return error.place?.path === blob;
      });
      const view = await store.read(ref);
      assert.deepEqual([inputsOf(view.entries), view.damage?.line, view.head?.seq], [["small"], 5, 3]);
      assert.ok(view.damage?.reason.includes(blob));
    }
    assert.ok((await read(host, path)).equals(before));
    await host.files.replace(blob, content);
    assert.deepEqual(inputsOf((await store.open(ref, opening)).entries), ["small", large, "after"]);
  });
});

describe("temp files that a killed process left", () => {
  // Of blobs: before the first write beside them, and not at opening, which would list up to 256 directories.
  test("are removed by the next owner, below its session only; readers leave them, and nothing else goes", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path } = await segmentWith(host, ["small", "x".repeat(entryBytesMax)]);
    const { path: foreign } = await segmentWith(host, ["other"]);
    const session = dirname(path);
    const [folder = ""] = await host.files.list(join(session, "blobs"));
    const blobs = join(session, "blobs", folder);
    const [blob = ""] = await host.files.list(blobs);
    const torn = join(session, `.${ref.segment}.torn.0f3c6d1e-6a9b-4c1d-8f57-0a1b2c3d4e5f.tmp`);
    const half = join(blobs, `.${blob}.12.tmp`);
    const left = [torn, half];
    const kept = [join(session, "notes.tmp"), join(session, ".hidden"), join(dirname(foreign), ".x.1.tmp")];
    for (const file of [...left, ...kept]) await host.files.replace(file, Buffer.from("x"));
    const there = async () => {
      const found: string[] = [];
      for (const file of [...left, ...kept]) if ((await host.files.stat(file)) !== null) found.push(file);
      return found;
    };
    await store.read(ref);
    assert.deepEqual(await there(), [...left, ...kept]);
    const { entries, writer } = await store.open(ref, opening);
    assert.deepEqual(await there(), [half, ...kept]);
    assert.equal(inputsOf(entries).length, 2);
    await writer.append([input("x".repeat(entryBytesMax))]);
    assert.deepEqual(await there(), kept);
    // What another writer of the session is at (a compactor beside its Pod) stays.
    await host.files.replace(half, Buffer.from("of a write at this moment"));
    const beside = await store.create({ ...startOf(host.ids), session_id: ref.session }, opening);
    await beside.writer.append([input("x".repeat(entryBytesMax))]);
    assert.deepEqual(await there(), [half, ...kept]);
  });

  test("really are what a crash leaves: every crash of a repair and of a blob is swept", async () => {
    let swept = 0;
    let isOver = false;
    for (let operation = 1; !isOver; operation += 1) {
      const host = memoryHost({ seed: operation });
      const { store, ref, path, log } = await segmentWith(host, ["one"]);
      await host.files.replace(path, log.subarray(0, -5));
      const before = host.disk.operations;
      host.disk.plan = ({ index }) => (index === before + operation ? "crash" : "pass");
      const large = input("x".repeat(entryBytesMax));
      await store
        .open(ref, opening)
        .then(({ writer }) => writer.append([large]))
        .catch(() => {});
      isOver = !host.crashed;
      host.crash("process");
      const next = host.restart();
      const names = async (directory: string): Promise<string[]> => {
        const found: string[] = [];
        for (const name of await next.files.list(directory)) {
          const child = join(directory, name);
          if ((await next.files.stat(child))?.kind === "directory") found.push(...(await names(child)));
          else if (name.endsWith(".tmp")) found.push(child);
        }
        return found;
      };
      swept += (await names(dirname(path))).length;
      const { writer } = await createSessionStore({ ...next, dataDir }).open(ref, opening);
      await writer.append([large]);
      assert.deepEqual(await names(dirname(path)), [], `operation ${operation}`);
    }
    assert.ok(swept > 2, `only ${swept} were left`);
  });
});
