/** The store over both file systems; and what only files have: tails, side files, blobs, syncs, and the layout. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { memoryHost, nodeHost } from "@yoi/host";
import { createSessionStore, entryBytesMax } from "../src/index.ts";
import { inputsOf, opening, sessionStoreConformance, withCode } from "./conformance.ts";
import { dataDir, read, segmentWith } from "./support/small-segment.ts";

sessionStoreConformance("files on this machine", async () => {
  const host = nodeHost();
  const root = await mkdtemp(join(tmpdir(), "yoi-store-"));
  const store = createSessionStore({ ...host, dataDir: join(root, "data") });
  return { store, ids: host.ids, dispose: () => rm(root, { recursive: true }) };
});

sessionStoreConformance("memory", async () => {
  const host = memoryHost({ seed: 1 });
  return { store: createSessionStore({ ...host, dataDir }), ids: host.ids, dispose: async () => {} };
});

describe("the tail", () => {
  test("cut at every byte of the last two lines: repaired, kept beside, and told once", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["one", "two", "three"]);
    const lf = (line: number) => log.toString("latin1").split("\n", line).join("\n").length;
    const torn = path.replace(/\.jsonl$/, ".torn");
    for (let cut = lf(4) + 1; cut <= log.length; cut += 1) {
      await host.files.removeFile(torn);
      await host.files.replace(path, log.subarray(0, cut));
      const text = `cut at ${cut}`;
      const good = log.subarray(0, cut).lastIndexOf(0x0a) + 1;
      const whole = cut === lf(5) || cut === log.length - 1;
      const view = await store.read(ref);
      assert.deepEqual([view.damage, view.tailBytes], [null, cut - good], text);
      const { writer, entries, repair } = await store.open(ref, opening);
      const bytes = cut - good;
      assert.deepEqual(
        repair,
        bytes === 0
          ? null
          : whole
            ? { action: "completed", bytes }
            : { action: "cut", bytes, tornPath: torn },
        text,
      );
      assert.deepEqual(
        inputsOf(entries),
        ["one", "two", "three"].slice(
          0,
          whole ? (cut === lf(5) ? 2 : 3) : cut === log.length ? 3 : cut > lf(5) ? 2 : 1,
        ),
        text,
      );
      assert.deepEqual(
        (await read(host, torn)).toString(),
        bytes === 0 || whole ? "" : log.toString("utf8", good, cut),
        text,
      );
      await writer.close();
      const again = await store.open(ref, opening);
      assert.equal(again.repair, null, text);
      await again.writer.close();
    }
  });

  test("a damaged last newline is put right and the entry stays", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["one"]);
    for (const byte of [0x0b, 0x4a, 0x00, 0x8a]) {
      const damaged = Buffer.from(log);
      damaged[log.length - 1] = byte;
      await host.files.replace(path, damaged);
      const { writer, entries, repair } = await store.open(ref, opening);
      assert.equal(repair?.action, "completed");
      assert.deepEqual(inputsOf(entries), ["one"]);
      await writer.close();
      assert.ok((await read(host, path)).subarray(0, log.length).equals(log));
    }
  });

  test("later tails are kept behind earlier ones, and a repair that was cut short keeps each once", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["one"]);
    const torn = path.replace(/\.jsonl$/, ".torn");
    for (const tail of ["{first", "{second", "{second"]) {
      await host.files.replace(path, Buffer.concat([log, Buffer.from(tail)]));
      await (await store.open(ref, opening)).writer.close();
    }
    assert.equal((await read(host, torn)).toString(), "{first{second");
  });
});

describe("damage", () => {
  test("before the tail is refused with file, line, byte and what to do; nothing is written; reading shows the good part", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["one", "two"]);
    const damaged = Buffer.from(log);
    const at = log.indexOf("one");
    damaged[at] = 0x4f;
    const bytes = Buffer.concat([damaged, Buffer.from("{tail")]);
    await host.files.replace(path, bytes);
    const offset = log.lastIndexOf(0x0a, at) + 1;
    await assert.rejects(store.open(ref, opening), (error: unknown) => {
      assert.ok(error instanceof YoiError);
      assert.deepEqual([error.code, error.place], ["log_damaged", { path, line: 4, offset }]);
      assert.equal(
        error.message,
        `The session log ${path} is damaged at line 4 (byte ${offset}): its checksum does not match. Nothing was changed; the 3 entries before it are good.`,
      );
      return true;
    });
    assert.ok((await read(host, path)).equals(bytes));
    const view = await store.read(ref);
    assert.deepEqual(view.damage, { path, line: 4, offset, reason: "its checksum does not match" });
    assert.deepEqual([view.entries.length, view.head?.seq, view.tailBytes], [3, 2, 5]);
  });

  test("a segment whose start was not written to its end does not exist", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, []);
    await host.files.replace(path, log.subarray(0, log.indexOf("\n") + 5));
    await assert.rejects(store.open(ref, opening), withCode("io_failed"));
    const view = await store.read(ref);
    assert.deepEqual([view.ready, view.entries.length], [false, 1]);
  });
});

describe("the head of the last orderly close", () => {
  const lineOf = (log: Buffer, line: number) => `${log.toString().split("\n")[line]}`;

  test("is there: the log opens, also when only the last newline is missing", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["one", "two"]);
    const { head } = await store.read(ref);
    assert.ok(head !== null);
    for (const bytes of [log, log.subarray(0, -1)]) {
      await host.files.replace(path, bytes);
      const { writer } = await store.open(ref, { ...opening, closedHead: head });
      assert.equal(writer.head.seq, head.seq + 1);
      await writer.close();
    }
  });

  test("is missing or another: refused, and nothing is written; without that head the log would open (control)", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path, log } = await segmentWith(host, ["one", "two"]);
    const { head } = await store.read(ref);
    assert.ok(head !== null);
    const without = (lines: number) => log.subarray(0, log.length - lines);
    const last = lineOf(log, head.seq).length + 1;
    const cases = [
      [without(last), head, /it ends at entry 3, and the last orderly close left it at 4/],
      [without(5), head, /it ends at entry 3, and the last orderly close left it at 4/],
      [log, { ...head, sum: "0".repeat(16) }, /another entry 4 than the last orderly close left/],
    ] as const;
    for (const [bytes, closedHead, says] of cases) {
      await host.files.replace(path, bytes);
      await assert.rejects(store.open(ref, { ...opening, closedHead }), (error) => {
        assert.ok(error instanceof YoiError && error.code === "log_damaged");
        assert.match(error.message, says);
        return true;
      });
      assert.deepEqual(await read(host, path), Buffer.from(bytes));
      const { writer } = await store.open(ref, opening);
      await writer.close();
    }
  });
});

describe("the event trace", () => {
  test("is appended to from owner to owner, a line cut short gets its end, and it is no segment", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path } = await segmentWith(host, ["one"]);
    const traced = path.replace(/\.jsonl$/, ".trace.jsonl");
    const first = await store.openTrace(ref);
    await first.append('{"a":1}\n{"cut');
    assert.deepEqual([first.path, first.bytes], [traced, 13]);
    await first.close();
    const second = await store.openTrace(ref);
    await second.append('{"b":2}\n');
    await second.close();
    const third = await store.openTrace(ref);
    await third.close();
    assert.equal((await read(host, traced)).toString(), '{"a":1}\n{"cut\n{"b":2}\n');
    assert.deepEqual(inputsOf((await store.read(ref)).entries), ["one"]);
  });

  test("goes with its session", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path } = await segmentWith(host, ["one"]);
    await (await store.openTrace(ref)).close();
    await store.removeSession(ref.session);
    assert.equal(await host.files.stat(path.replace(/\.jsonl$/, ".trace.jsonl")), null);
  });
});

describe("opening", () => {
  test("reads each blob once", async () => {
    const host = memoryHost({ seed: 1 });
    const { ref } = await segmentWith(host, ["x".repeat(entryBytesMax), "small"]);
    const reads: string[] = [];
    const files = {
      ...host.files,
      read: (file: string) => (reads.push(file), host.files.read(file)),
    };
    await createSessionStore({ ...host, files, dataDir }).open(ref, opening);
    assert.equal(reads.filter((file) => file.includes("/blobs/")).length, 1);
  });

  test("puts back the payload of a line that it completes", async () => {
    const host = memoryHost({ seed: 1 });
    const large = "x".repeat(entryBytesMax);
    const { store, ref, path, log } = await segmentWith(host, ["small", large]);
    await host.files.replace(path, log.subarray(0, -1));
    const { entries, repair } = await store.open(ref, opening);
    assert.deepEqual([repair?.action, inputsOf(entries)], ["completed", ["small", large]]);
  });
});
