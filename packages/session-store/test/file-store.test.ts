/** The store over both file systems; and what only files have: tails, side files, blobs, syncs, and the layout. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { memoryHost, nodeHost, type AppendFile, type Files, type MemoryHost } from "@yoi/host";
import { createSessionStore, entryBytesMax, segmentPath } from "../src/index.ts";
import { groupBytesMax } from "../src/segment-writer.ts";
import {
  inputsOf,
  input,
  opening,
  refOf,
  sessionStoreConformance,
  startOf,
  withCode,
} from "./conformance.ts";

const dataDir = "/data";

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

async function segmentWith(host: MemoryHost, texts: readonly string[]) {
  const store = createSessionStore({ ...host, dataDir });
  const start = startOf(host.ids);
  const { writer } = await store.create(start, opening);
  for (const text of texts) await writer.append([input(text)]);
  await writer.close();
  const ref = refOf(start);
  const path = segmentPath(dataDir, ref);
  const log = Buffer.from((await host.files.read(path)) ?? []);
  return { store, ref, path, log };
}

const read = async (host: MemoryHost, path: string) => Buffer.from((await host.files.read(path)) ?? []);

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
        `The session log ${path} is damaged at line 4 (byte ${offset}): its checksum does not match. Nothing was changed; "yoi pod log NAME" shows the 3 good entries before it.`,
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
  test("are removed by the next owner, below its session only; readers leave them, and nothing else goes", async () => {
    const host = memoryHost({ seed: 1 });
    const { store, ref, path } = await segmentWith(host, ["small", "x".repeat(entryBytesMax)]);
    const { path: foreign } = await segmentWith(host, ["other"]);
    const session = dirname(path);
    const [folder = ""] = await host.files.list(join(session, "blobs"));
    const blobs = join(session, "blobs", folder);
    const [blob = ""] = await host.files.list(blobs);
    const left = [
      join(session, `.${ref.segment}.torn.0f3c6d1e-6a9b-4c1d-8f57-0a1b2c3d4e5f.tmp`),
      join(blobs, `.${blob}.12.tmp`),
    ];
    const kept = [join(session, "notes.tmp"), join(session, ".hidden"), join(dirname(foreign), ".x.1.tmp")];
    for (const file of [...left, ...kept]) await host.files.replace(file, Buffer.from("x"));
    const there = async () => {
      const found: string[] = [];
      for (const file of [...left, ...kept]) if ((await host.files.stat(file)) !== null) found.push(file);
      return found;
    };
    await store.read(ref);
    assert.deepEqual(await there(), [...left, ...kept]);
    const { entries } = await store.open(ref, opening);
    assert.deepEqual(await there(), kept);
    assert.equal(inputsOf(entries).length, 2);
  });

  test("really are what a crash leaves: every crash of a repair and of a blob is swept", async () => {
    let swept = 0;
    for (let operation = 1; operation <= 40; operation += 1) {
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
      await createSessionStore({ ...next, dataDir }).open(ref, opening);
      assert.deepEqual(await names(dirname(path)), [], `operation ${operation}`);
    }
    assert.ok(swept > 2, `only ${swept} were left`);
  });
});

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
