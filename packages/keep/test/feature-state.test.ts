/** The state of features in files: what is in them, and that no crash, damage or other user makes a value of what was not written. */
import assert from "node:assert/strict";
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type ErrorCode, YoiError } from "@yoi/base";
import { failNth, type MemoryHost, memoryHost, nodeHost, noFaults } from "@yoi/host";
import {
  createFeatureStateStore,
  type KeptStateStore,
  type PathProtection,
  revisionFileBytesMax,
  revisionsKnownMax,
} from "../src/index.ts";
import { encodeAttempt, firstWhole } from "../src/state-attempt.ts";
import { featureStateConformance } from "./conformance/index.ts";
import { dataDir, inspectOf } from "./support.ts";

featureStateConformance("state in files", async () => {
  const directory = mkdtempSync(join(tmpdir(), "yoi-keep-"));
  const open = () => {
    const { files, ids } = nodeHost();
    return createFeatureStateStore({ files, ids, dataDir: directory, inspect: async (path) => lookAt(path) });
  };
  return {
    state: open(),
    other: open(),
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  };
});

featureStateConformance("state on a simulated disk", async () => {
  const host = memoryHost({ seed: 1 });
  const state = createFeatureStateStore({ ...host, dataDir, inspect: inspectOf(host) });
  return { state, other: state, [Symbol.asyncDispose]: async () => {} };
});

function lookAt(path: string): PathProtection | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const kind = stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "link";
  return { kind, mode: stat.mode & 0o777, own: true };
}

const stateDir = "/data/keep/state/user%3anotes/main";
const pathOf = (revision: number): string => `${stateDir}/${revision}.jsonl`;

function openState(host: MemoryHost): KeptStateStore {
  return createFeatureStateStore({ ...host, dataDir, inspect: inspectOf(host) })("user:notes", "main");
}

function refused(code: ErrorCode, ...words: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(error.code, code);
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} / ${word}`);
    return true;
  };
}

async function written(revisions = 1): Promise<{ host: MemoryHost; state: KeptStateStore }> {
  const host = memoryHost({ seed: 1 });
  const state = openState(host);
  for (let n = 0; n < revisions; n += 1)
    await state.write({ n: n + 1 }, { version: 1, expected: n === 0 ? null : n });
  return { host, state };
}

test("F-25: only the last revision is kept, in one line of its own", async () => {
  const { host } = await written(3);
  assert.deepEqual(await host.files.list(stateDir), ["3.jsonl"]);
  const text = Buffer.from((await host.files.read(pathOf(3))) ?? []).toString();
  assert.match(
    text,
    /^\n\{"schema":1,"id":"[0-9a-f-]{36}","feature":"user:notes","name":"main","version":1,"revision":3,"before":\["[0-9a-f-]{36}","[0-9a-f-]{36}"\],"value":\{"n":3\},"sum":"[0-9a-f]{16}"\}\n$/,
  );
});

test("F-25: an attempt in bytes, as it is read for ever", () => {
  const attempt = { id: "b", feature: "user:notes", name: "main", version: 1, revision: 2, before: ["a"] };
  const bytes = Buffer.from(
    '\n{"schema":1,"id":"b","feature":"user:notes","name":"main","version":1,"revision":2,"before":["a"],"value":{"n":2},"sum":"83c8c83219df5947"}\n',
  );
  assert.deepEqual(firstWhole(bytes), { ...attempt, value: { n: 2 } });
  assert.deepEqual(Buffer.from(encodeAttempt({ ...attempt, value: { n: 2 } })), bytes);
});

describe("F-25: damage", () => {
  test("at every byte of what was written is told with the path, and an older value does not take its place", async () => {
    const { host, state } = await written(2);
    const whole = Buffer.from((await host.files.read(pathOf(2))) ?? []);
    // The line ends around it carry nothing.
    for (let at = 1; at < whole.length - 1; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
      await host.files.replace(pathOf(2), changed);
      await assert.rejects(state.read(), refused("keep_damaged", pathOf(2)), `byte ${at}`);
      await assert.rejects(state.write(9, { version: 1, expected: 2 }), refused("keep_damaged"));
    }
    await host.files.replace(pathOf(2), whole);
    assert.deepEqual(await state.read(), { version: 1, revision: 2, value: { n: 2 } });
  });

  test("of the place: the file of another state, a larger one, a later yoi's", async () => {
    const { host, state } = await written();
    const attempt = {
      id: "x",
      feature: "user:notes",
      name: "main",
      version: 1,
      revision: 1,
      before: [],
      value: 1,
    };
    const put = (bytes: Uint8Array) => host.files.replace(pathOf(1), bytes);
    for (const other of [{ feature: "user:other" }, { name: "other" }, { revision: 2 }]) {
      await put(encodeAttempt({ ...attempt, ...other }));
      await assert.rejects(state.read(), refused("keep_damaged", "as another one"));
    }
    await put(encodeAttempt(attempt));
    assert.equal((await state.read())?.value, 1);
    const large = Buffer.alloc(revisionFileBytesMax, "x");
    Buffer.from(encodeAttempt(attempt)).copy(large);
    await put(large);
    assert.equal((await state.read())?.value, 1);
    await put(Buffer.concat([large, Buffer.from("x")]));
    await assert.rejects(state.read(), refused("keep_damaged", `${revisionFileBytesMax} bytes`));
    const { sealJson } = await import("../src/sealed-json.ts");
    await put(Buffer.from(`${sealJson({ ...attempt, schema: 2 })}\n`));
    await assert.rejects(state.read(), refused("schema_newer", pathOf(1), "update yoi"));
    await assert.rejects(state.write(2, { version: 1, expected: 1 }), refused("schema_newer"));
  });

  test("a link, another user's file, and an open directory are refused", async () => {
    const { host } = await written();
    for (const [path, protection] of [
      [pathOf(1), { kind: "link", mode: 0o777, own: true }],
      [pathOf(1), { kind: "file", mode: 0o600, own: false }],
      [pathOf(1), { kind: "file", mode: 0o640, own: true }],
      [stateDir, { kind: "directory", mode: 0o755, own: true }],
      ["/data/keep/state", { kind: "link", mode: 0o777, own: true }],
      ["/data/keep", { kind: "directory", mode: 0o777, own: true }],
    ] as const) {
      const inspect = async (each: string) => (each === path ? protection : await inspectOf(host)(each));
      const state = createFeatureStateStore({ ...host, dataDir, inspect })("user:notes", "main");
      await assert.rejects(state.read(), refused("permission_denied", path));
      await assert.rejects(state.write(2, { version: 1, expected: 1 }), refused("permission_denied", path));
    }
  });
});

describe("F-25: writers that were held up or killed", () => {
  /** What a killed writer leaves at any point of its write, as the disk would have it. */
  test("a cut attempt is nobody's, and the next writer takes its place", async () => {
    const attempt = encodeAttempt({
      id: "killed",
      feature: "user:notes",
      name: "main",
      version: 1,
      revision: 2,
      before: [],
      value: "half",
    });
    for (const cut of [0, 1, 2, attempt.length / 2, attempt.length - 3, attempt.length - 2]) {
      const { host, state } = await written();
      await host.files.replace(pathOf(2), attempt.subarray(0, Math.floor(cut)));
      assert.deepEqual(await state.read(), { version: 1, revision: 1, value: { n: 1 } });
      assert.equal(await state.write({ n: 2 }, { version: 1, expected: 1 }), 2);
      assert.deepEqual(await state.read(), { version: 1, revision: 2, value: { n: 2 } });
      assert.deepEqual(await host.files.list(stateDir), ["2.jsonl"]);
    }
    // Control: with all of it but the line end it is whole, and decided.
    const { host, state } = await written();
    await host.files.replace(pathOf(2), attempt.subarray(0, -1));
    assert.equal((await state.read())?.value, "half");
    await assert.rejects(state.write({ n: 2 }, { version: 1, expected: 1 }), refused("state_conflict"));
  });

  test("a file full of cut attempts is told, and not written to", async () => {
    const { host, state } = await written();
    await host.files.replace(pathOf(2), Buffer.alloc(revisionFileBytesMax, "x"));
    await assert.rejects(state.write(2, { version: 1, expected: 1 }), refused("keep_damaged", "cut off"));
    assert.deepEqual(await state.read(), { version: 1, revision: 1, value: { n: 1 } });
  });

  /** Runs `between` once, right before the attempt of the next write is appended. */
  function heldUp(host: MemoryHost, between: () => Promise<void>): KeptStateStore {
    let isNext = true;
    const files = {
      ...host.files,
      stat: async (path: string) => {
        if (isNext && path === pathOf(2)) {
          isNext = false;
          await between();
        }
        return host.files.stat(path);
      },
    };
    return createFeatureStateStore({ ...host, files, dataDir, inspect: inspectOf(host) })(
      "user:notes",
      "main",
    );
  }

  test("one that comes when its revision was decided and swept loses, though its file is new", async () => {
    for (const others of [1, 2, 3, revisionsKnownMax + 1]) {
      const { host, state } = await written();
      const late = heldUp(host, async () => {
        for (let n = 1; n <= others; n += 1) await state.write({ other: n }, { version: 1, expected: n });
      });
      await assert.rejects(
        late.write("late", { version: 1, expected: 1 }),
        refused("state_conflict", `is at revision ${others + 1}`),
      );
      assert.deepEqual(await state.read(), { version: 1, revision: others + 1, value: { other: others } });
      await state.write("on", { version: 1, expected: others + 1 });
      assert.deepEqual(await host.files.list(stateDir), [`${others + 2}.jsonl`]);
    }
  });

  test("one that comes when it cannot be told any more who won says so", async () => {
    const { host, state } = await written();
    const late = heldUp(host, async () => {
      for (let n = 1; n <= revisionsKnownMax + 2; n += 1) await state.write(n, { version: 1, expected: n });
    });
    await assert.rejects(
      late.write("late", { version: 1, expected: 1 }),
      refused("io_failed", "read it again"),
    );
    assert.equal((await state.read())?.value, revisionsKnownMax + 2);
  });

  test("one that won is told so, though others went on before it could look", async () => {
    for (const others of [1, revisionsKnownMax]) {
      const { host, state } = await written();
      let isNext = true;
      const files = {
        ...host.files,
        syncDirectory: async (path: string) => {
          await host.files.syncDirectory(path);
          if (!isNext) return;
          isNext = false;
          for (let n = 2; n < 2 + others; n += 1) await state.write(n, { version: 1, expected: n });
        },
      };
      const options = { ...host, files, dataDir, inspect: inspectOf(host) };
      const held = createFeatureStateStore(options)("user:notes", "main");
      assert.equal(await held.write("won", { version: 1, expected: 1 }), 2);
      assert.equal((await state.read())?.revision, 2 + others);
    }
  });
});

test("F-25: a disk that fails is an error, and what was acknowledged stays", async () => {
  for (const kind of ["create", "write", "sync", "sync_directory"] as const)
    for (const effect of ["EIO", "ENOSPC"] as const) {
      const { host, state } = await written();
      host.disk.plan = failNth(kind, host.disk.count(kind) + 1, effect);
      await assert.rejects(
        state.write({ n: 2 }, { version: 1, expected: 1 }),
        refused(effect === "EIO" ? "io_failed" : "disk_full"),
      );
      host.disk.plan = noFaults;
      const after = await state.read();
      assert.ok(after !== null);
      // It may have been written: then it is whole.
      assert.deepEqual(after.value, { n: after.revision });
      assert.equal(
        await state.write({ n: after.revision + 1 }, { version: 1, expected: after.revision }),
        after.revision + 1,
      );
    }
});

test("F-25: what cannot be swept does not undo what was written", async () => {
  const { host, state } = await written();
  host.disk.plan = failNth("remove", host.disk.count("remove") + 1, "EIO");
  assert.equal(await state.write({ n: 2 }, { version: 1, expected: 1 }), 2);
  assert.deepEqual(await host.files.list(stateDir), ["1.jsonl", "2.jsonl"]);
  assert.equal(await state.write({ n: 3 }, { version: 1, expected: 2 }), 3);
  assert.deepEqual(await host.files.list(stateDir), ["3.jsonl"]);
});

test("F-25: others go on between the list of what there is and the reading of it: an older value is never read", async () => {
  const host = memoryHost({ seed: 1 });
  // Its sweep has come to revision 2 and not yet to those below it.
  const removeFile = async (path: string) =>
    path === pathOf(2) ? await host.files.removeFile(path) : undefined;
  const options = { ...host, dataDir, inspect: inspectOf(host) };
  const other = createFeatureStateStore({ ...options, files: { ...host.files, removeFile } })(
    "user:notes",
    "main",
  );
  for (const expected of [null, 1]) await other.write("old", { version: 1, expected });
  let goOn = true;
  const list = async (path: string) => {
    const names = await host.files.list(path);
    if (goOn) await other.write("new", { version: 1, expected: 2 });
    goOn = false;
    return names;
  };
  const state = createFeatureStateStore({ ...options, files: { ...host.files, list } })("user:notes", "main");
  assert.deepEqual(await state.read(), { version: 1, revision: 3, value: "new" });
});
