/** EIO, ENOSPC and short writes at every operation of a scripted run: nothing is acknowledged that is not kept, and the log stays valid. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError, type LogEntry } from "@yoi/base";
import {
  failNth,
  memoryHost,
  noFaults,
  type DiskEffect,
  type DiskOperationKind,
  type MemoryHost,
} from "@yoi/host";
import { createSessionStore, entryBytesMax, type SegmentRef } from "../src/index.ts";
import { input, inputsOf, opening, refOf, startOf } from "./conformance.ts";

const dataDir = "/data";
const large = "L".repeat(entryBytesMax);

interface Outcome {
  ref: SegmentRef | null;
  readonly acknowledged: string[];
  readonly failures: YoiError[];
}

type Add = (...texts: string[]) => Promise<void>;

interface Script {
  /** What is done with the segment that was made, and what with it once it is opened again. */
  readonly created: (add: Add) => Promise<void>;
  readonly opened: (add: Add) => Promise<void>;
  /** How many inputs it acknowledges when nothing goes wrong. */
  readonly inputs: number;
}

/** The one script that renames: a blob gets its name when all of it is on disk. */
const renames = "moves a payload to a blob";

const scripts: Readonly<Record<string, Script>> = {
  "appends alone and side by side": {
    created: async (add) => {
      await add("a1", "a2");
      await Promise.all([add("b1"), add("b2", "b3")]);
      await add("c");
    },
    opened: async (add) => {
      await add("d");
      await add("e");
    },
    inputs: 8,
  },
  [renames]: {
    created: async (add) => {
      await add(large);
      await add("a");
    },
    opened: (add) => add("b"),
    inputs: 3,
  },
};

/** Creates, appends, closes, opens again and appends. Goes on after each failure. */
async function play({ created: first, opened: second }: Script, host: MemoryHost): Promise<Outcome> {
  const store = createSessionStore({ ...host, dataDir });
  const outcome: Outcome = { ref: null, acknowledged: [], failures: [] };
  const attempt = async <T>(run: () => Promise<T>): Promise<T | null> => {
    try {
      return await run();
    } catch (error) {
      assert.ok(error instanceof YoiError, String(error));
      outcome.failures.push(error);
      return null;
    }
  };
  const start = startOf(host.ids);
  const created = await attempt(() => store.create(start, opening));
  if (created === null) return outcome;
  outcome.ref = refOf(start);
  const addTo =
    ({ writer }: typeof created): Add =>
    async (...texts) => {
      if ((await attempt(() => writer.append(texts.map(input)))) !== null)
        outcome.acknowledged.push(...texts);
    };
  await first(addTo(created));
  await attempt(() => created.writer.close());
  const opened = await attempt(() => store.open(refOf(start), opening));
  if (opened === null) return outcome;
  await second(addTo(opened));
  await attempt(() => opened.writer.close());
  return outcome;
}

async function survivors(host: MemoryHost, ref: SegmentRef): Promise<readonly LogEntry[]> {
  const view = await createSessionStore({ ...host, dataDir }).read(ref);
  assert.equal(view.damage, null);
  return view.entries;
}

async function operationsOf(script: Script, kind: DiskOperationKind): Promise<number> {
  const host = memoryHost({ seed: 1 });
  const { failures, acknowledged } = await play(script, host);
  assert.deepEqual([failures, acknowledged.length], [[], script.inputs]);
  return host.disk.count(kind);
}

const faults: readonly [DiskOperationKind, DiskEffect][] = [
  ["write", "EIO"],
  ["write", "ENOSPC"],
  ["write", { short: 0 }],
  ["write", { short: 1 }],
  ["write", { short: 150 }],
  ["sync", "EIO"],
  ["sync", "ENOSPC"],
  ["sync_directory", "EIO"],
  ["create", "ENOSPC"],
  ["rename", "EIO"],
  ["read", "EIO"],
];

describe("one fault at each operation", () => {
  for (const [what, script] of Object.entries(scripts))
    for (const [kind, effect] of faults) {
      test(`${what}: ${kind}: ${JSON.stringify(effect)}`, async () => {
        const count = await operationsOf(script, kind);
        assert.equal(count > 0, kind !== "rename" || what === renames, `${count} are done`);
        for (let nth = 1; nth <= count; nth += 1)
          for (const loss of ["process", "power"] as const) {
            const host = memoryHost({ seed: nth });
            host.disk.plan = failNth(kind, nth, effect);
            await checkKept(
              await play(script, host),
              { host, loss },
              `${kind} ${nth} of ${count}, then ${loss} loss`,
            );
          }
      });
    }
});

/** The loss, and what is there afterwards. */
async function checkKept(
  { ref, acknowledged, failures }: Outcome,
  { host, loss }: { readonly host: MemoryHost; readonly loss: "process" | "power" },
  where: string,
): Promise<void> {
  assert.ok(failures.length > 0, `${where}: the fault was not told`);
  host.crash(loss);
  const next = host.restart();
  if (ref === null) return;
  const kept = inputsOf(await survivors(next, ref));
  assert.deepEqual(
    kept.filter((text) => acknowledged.includes(text)),
    acknowledged,
    where,
  );
  // A batch in the sync that failed is not acknowledged and may be kept; every other one that failed is gone.
  if (!failures.some(({ code }) => code === "log_poisoned")) assert.deepEqual(kept, acknowledged, where);
  const store = createSessionStore({ ...next, dataDir });
  const { writer } = await store.open(ref, opening);
  await writer.append([input("after")]);
  assert.equal(inputsOf(await survivors(next, ref)).at(-1), "after");
}

describe("a full disk", () => {
  test("refuses until there is room, loses nothing, and needs no restart", async () => {
    const host = memoryHost({ seed: 1 });
    const store = createSessionStore({ ...host, dataDir });
    const start = startOf(host.ids);
    const { writer } = await store.create(start, opening);
    await writer.append([input("before")]);
    const { head, offset } = writer;
    host.disk.plan = failNth("write", host.disk.count("write") + 1, { short: 40 }, { lasting: true });
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(
        writer.append([input("refused"), input("refused too")]),
        (error: unknown) =>
          error instanceof YoiError &&
          error.code === "disk_full" &&
          error.message.includes("free some space"),
      );
      assert.deepEqual([writer.head, writer.offset], [head, offset]);
    }
    host.disk.plan = noFaults;
    const [entry] = await writer.append([input("after")]);
    assert.equal(entry?.seq, head.seq + 1);
    assert.deepEqual(inputsOf(await survivors(host.restart(), refOf(start))), ["before", "after"]);
  });

  test("and a cut that fails poisons", async () => {
    for (const kind of ["truncate", "sync"] as const) {
      const host = memoryHost({ seed: 1 });
      const { writer } = await createSessionStore({ ...host, dataDir }).create(startOf(host.ids), opening);
      host.disk.plan = (operation) =>
        operation.kind === "write" ? { short: 10 } : operation.kind === kind ? "EIO" : "pass";
      await assert.rejects(
        writer.append([input("x")]),
        (error: unknown) => error instanceof YoiError && error.code === "log_poisoned",
      );
      host.disk.plan = noFaults;
      await assert.rejects(
        writer.append([input("y")]),
        (error: unknown) => error instanceof YoiError && error.code === "log_poisoned",
      );
    }
  });
});

describe("a failed sync", () => {
  test("poisons for ever: no retry, no acknowledgement, also for what waited", async () => {
    const host = memoryHost({ seed: 1 });
    const { writer } = await createSessionStore({ ...host, dataDir }).create(startOf(host.ids), opening);
    host.disk.plan = failNth("sync", host.disk.count("sync") + 1, "EIO");
    const syncs = host.disk.count("sync");
    const first = writer.append([input("first")]);
    // Two turns later the first batch is on its way, and this one waits behind it.
    const waiting = Promise.resolve()
      .then(() => {})
      .then(() => writer.append([input("waiting")]));
    const settled = await Promise.allSettled([first, waiting]);
    for (const result of settled) {
      assert.ok(result.status === "rejected" && result.reason instanceof YoiError, JSON.stringify(result));
      assert.equal(result.reason.code, "log_poisoned");
    }
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(
        writer.append([input("later")]),
        (error: unknown) => error instanceof YoiError && error.code === "log_poisoned",
      );
    }
    assert.equal(host.disk.count("sync"), syncs + 1);
  });

  /** Fails one sync, opens again in a new process on the same kernel, acknowledges, then cuts the power. */
  async function afterwards(seed: number, cutBack: boolean): Promise<boolean> {
    const host = memoryHost({ seed });
    const start = startOf(host.ids);
    const { writer } = await createSessionStore({ ...host, dataDir }).create(start, opening);
    const nth = host.disk.count("sync") + 1;
    host.disk.plan = (operation) =>
      operation.kind === "sync" && operation.nth === nth
        ? "EIO"
        : operation.kind === "truncate" && !cutBack
          ? "EIO"
          : "pass";
    await assert.rejects(writer.append([input("g".repeat(2_000))]), YoiError);
    host.crash("process");
    const second = host.restart();
    const again = await createSessionStore({ ...second, dataDir }).open(refOf(start), opening);
    await again.writer.append([input("acknowledged")]);
    const view = await createSessionStore({ ...second.restart(), dataDir }).read(refOf(start));
    return view.damage === null && inputsOf(view.entries).at(-1) === "acknowledged";
  }

  test("takes the bytes it could not sync out of the next opener's sight: what that one acknowledges is kept", async () => {
    for (let seed = 0; seed < 60; seed += 1) assert.ok(await afterwards(seed, true), `seed ${seed}`);
  });

  test("control: without that, later acknowledged entries are lost", async () => {
    let lost = 0;
    for (let seed = 0; seed < 60; seed += 1) if (!(await afterwards(seed, false))) lost += 1;
    assert.ok(lost > 0);
  });
});

test("a crash between file and directory sync leaves a segment that does not exist, or a whole one", async () => {
  const operations = await (async () => {
    const host = memoryHost({ seed: 1 });
    await createSessionStore({ ...host, dataDir }).create(startOf(host.ids), opening);
    return host.disk.operations;
  })();
  for (let index = 1; index <= operations; index += 1) {
    for (let seed = 0; seed < 10; seed += 1) {
      const host = memoryHost({ seed });
      const start = startOf(host.ids);
      host.disk.plan = (operation) => (operation.index === index ? "crash" : "pass");
      await assert.rejects(createSessionStore({ ...host, dataDir }).create(start, opening));
      const store = createSessionStore({ ...host.restart(), dataDir });
      const opened = await store.open(refOf(start), opening).catch((error: unknown) => error);
      if (opened instanceof Error) {
        assert.ok(
          opened instanceof YoiError && opened.code === "io_failed",
          `operation ${index}, seed ${seed}: ${opened.message}`,
        );
      }
    }
  }
});

describe("an owner that died between its write and its sync", () => {
  /** The next owner dies too, in its first sync that covers a line of its own, and then the power fails. */
  async function thirdOwnerOpens(seed: number, syncsFound: boolean): Promise<boolean> {
    const host = memoryHost({ seed });
    const start = startOf(host.ids);
    const { writer } = await createSessionStore({ ...host, dataDir }).create(start, opening);
    host.disk.plan = ({ kind }) => (kind === "sync" ? "crash" : "pass");
    await assert.rejects(writer.append([input("u".repeat(2_000))]));
    host.crash("process");

    const second = host.restart();
    let wrote = false;
    let syncs = 0;
    second.disk.plan = ({ kind }) => {
      wrote ||= kind === "write";
      if (kind !== "sync") return "pass";
      syncs += 1;
      if (syncs === 1 && !syncsFound) return "lie";
      return wrote ? "crash" : "pass";
    };
    // A long line, so that a good part of what the power cut may leave shows its beginning.
    await createSessionStore({ ...second, dataDir })
      .open(refOf(start), { ...opening, version: "v".repeat(4_000) })
      .catch(() => {});
    second.crash("power");
    const view = await createSessionStore({ ...second.restart(), dataDir }).read(refOf(start));
    return view.damage === null;
  }

  test("leaves lines that the next one makes durable before it writes: no power cut turns them into damage", async () => {
    for (let seed = 0; seed < 200; seed += 1) assert.ok(await thirdOwnerOpens(seed, true), `seed ${seed}`);
  });

  test("control: without that sync, lines that nobody was told of look like damage", async () => {
    let damaged = 0;
    for (let seed = 0; seed < 200; seed += 1) if (!(await thirdOwnerOpens(seed, false))) damaged += 1;
    assert.ok(damaged > 0);
  });
});
