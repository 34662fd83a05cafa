/** The one writer: what it expects of the log before each write, and how many syncs it needs. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { memoryHost, type AppendFile, type Files } from "@yoi/host";
import { createSessionStore, segmentPath } from "../src/index.ts";
import { groupBytesMax } from "../src/segment-writer.ts";
import { input, inputsOf, opening, startOf, withCode } from "./conformance.ts";
import { dataDir, read, segmentWith } from "./support/small-segment.ts";

describe("a log that is not what its writer expects", () => {
  const changes: {
    readonly [name: string]: (file: AppendFile, files: Files, path: string) => Promise<void>;
  } = {
    "bytes behind its offset": (file) => file.append(Buffer.from("x")),
    "a whole line behind its offset": (file) => file.append(Buffer.from("{}\n")),
    "bytes before its offset gone": (file) => file.truncate(file.bytes - 1),
    "another file with the same bytes": async (_file, files, path) =>
      files.replace(path, (await files.read(path)) ?? assert.fail()),
    "no file": (_file, files, path) => files.removeFile(path),
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`${name}: refused before the write, and for good`, async () => {
      const host = memoryHost({ seed: 1 });
      const { writer } = await createSessionStore({ ...host, dataDir }).create(startOf(host.ids), opening);
      await writer.append([input("mine")]);
      const path = segmentPath(dataDir, writer.ref);
      await change(await host.files.openAppend(path), host.files, path);
      const before = await read(host, path);
      const writes = host.disk.count("write");
      for (let round = 0; round < 2; round += 1) {
        await assert.rejects(writer.append([input("refused")]), (error) => {
          assert.ok(error instanceof YoiError && error.code === "log_fenced");
          return error.place?.path === path && error.place.offset === writer.offset;
        });
      }
      assert.equal(host.disk.count("write"), writes);
      assert.deepEqual(await read(host, path), before);
    });
  }

  test("an older epoch: refused though the next owner wrote only its opening, and closed", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref } = await segmentWith(host, ["one"]);
    const stale = await store.open(ref, opening);
    const owner = await store.open(ref, opening);
    await owner.writer.close();
    assert.deepEqual([stale.writer.epoch, owner.writer.epoch], [2, 3]);
    await assert.rejects(stale.writer.append([input("stale")]), withCode("log_fenced"));
    assert.deepEqual(inputsOf((await store.read(ref)).entries), ["one"]);
  });
});

describe("syncs", () => {
  test("64 appenders share them, and one appender has one for each batch", async () => {
    const host = memoryHost({ seed: 1 });
    const store = createSessionStore({ ...host, dataDir });
    const { writer } = await store.create(startOf(host.ids), opening);
    const syncs = async (run: () => Promise<unknown>) => {
      const before = host.disk.count("sync");
      await run();
      return host.disk.count("sync") - before;
    };
    const append = (index: number) => writer.append([input(String(index))]);
    assert.equal(await syncs(() => Promise.all(Array.from({ length: 64 }, (_, index) => append(index)))), 1);
    assert.equal(
      await syncs(async () => {
        for (let index = 0; index < 8; index += 1) await append(index);
      }),
      8,
    );
    const busy = async (worker: number) => {
      for (let round = 0; round < 10; round += 1) await append(worker * 10 + round);
    };
    const shared = await syncs(() => Promise.all(Array.from({ length: 64 }, (_, worker) => busy(worker))));
    assert.ok(shared <= 40, `${shared} syncs for 640 appends`);
  });

  test("a group that holds its limit takes no further batch, one byte less and it takes one", async () => {
    for (const [short, together] of [
      [0, false],
      [1, true],
    ] as const) {
      const host = memoryHost({ seed: 1 });
      const { writer } = await createSessionStore({ ...host, dataDir }).create(startOf(host.ids), opening);
      // Lines with a seq of as many digits as the first one's; what they need beside the text is measured.
      for (let seq = 3; seq < 10; seq += 1) await writer.append([input("")]);
      const { offset } = writer;
      await writer.append([input("")]);
      const bare = writer.offset - offset;
      const lines = 9;
      const text = Math.floor(groupBytesMax / lines) - bare;
      const texts = Array.from({ length: lines }, () => text);
      texts[0] = text + (groupBytesMax % lines) - short;
      const [full, next] = await Promise.all([
        writer.append(texts.map((length) => input("m".repeat(length)))),
        writer.append([input("next")]),
      ]);
      const bytes = (await read(host, segmentPath(dataDir, writer.ref))).length;
      assert.deepEqual([full[0]?.batch, next[0]?.batch === 11], [11, together], `${bytes} bytes`);
    }
  });

  test("an append is durable when it resolves, and not visible in head before", async () => {
    const host = memoryHost({ seed: 1 });
    const { writer } = await createSessionStore({ ...host, dataDir }).create(startOf(host.ids), opening);
    const seen: number[] = [];
    host.disk.plan = ({ kind }) => {
      if (kind === "write" || kind === "sync") seen.push(writer.head.seq);
      return "pass";
    };
    await writer.append([input("x")]);
    assert.deepEqual([seen, writer.head.seq], [[2, 2], 3]);
  });
});
