/** What every PodStore must do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, segmentId, sessionId, YoiError, type ErrorCode } from "@yoi/base";
import { metadataBytesMax, type PodStore } from "../src/index.ts";

/** A store, freshly made and empty, and the clock it was given. */
export interface PodStoreParts extends AsyncDisposable {
  readonly store: PodStore;
  /** A second store over the same Pods, as another process has it. */
  readonly other: PodStore;
  now(): number;
  /** Puts bytes in the place of a Pod's record, as damage does. */
  overwrite(name: string, bytes: Uint8Array): Promise<void>;
}

const name = podName("Atlas.1");
const session = sessionId("0198c0de-0000-7000-8000-000000000001");
const segment = segmentId("0198c0de-0000-7000-8000-000000000002");
const manifest = { schema: 1, model: { provider: "scripted", id: "a/b" }, é: [1, null, { "": "\u2028" }] };

export async function codeOf(attempt: Promise<unknown>): Promise<ErrorCode> {
  const outcome = await attempt.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof YoiError, "it was accepted, or failed with something else");
  return outcome.code;
}

export function podStoreConformance(implementation: string, open: () => Promise<PodStoreParts>): void {
  const check = (what: string, run: (parts: PodStoreParts) => Promise<void>): void => {
    test(`${implementation}: ${what}`, async () => {
      await using parts = await open();
      await run(parts);
    });
  };
  const create = (store: PodStore, called = name) =>
    store.create({ name: called, pointer: { state: "pending", session }, manifest });

  check("nothing is there at first", async ({ store }) => {
    assert.equal(await store.read(name), null);
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.findIgnoringCase(name), null);
    assert.equal(await codeOf(store.update(name, { epoch: 0, revision: 1 }, { epoch: 1 })), "pod_unknown");
    await store.remove(name);
  });

  check("a created Pod is read back whole", async ({ store, other, now }) => {
    const before = now();
    const record = await create(store);
    const { createdMs, updatedMs, ...rest } = record;
    assert.deepEqual(rest, {
      name,
      pointer: { state: "pending", session },
      epoch: 0,
      closedHead: null,
      manifest,
      parent: null,
      children: [],
      reclaimed: [],
      peers: [],
      revision: 1,
    });
    assert.ok(createdMs >= before && createdMs <= now() && updatedMs === createdMs);
    assert.deepEqual(await other.read(name), record);
    assert.deepEqual(await other.list(), [{ name, record }]);
  });

  check("a Pod that is created by its first owner knows the epoch at once", async ({ store, other }) => {
    const pointer = { state: "pending", session } as const;
    const { epoch, revision } = await store.create({ name, pointer, epoch: 3, manifest });
    assert.deepEqual([epoch, revision, (await other.read(name))?.epoch], [3, 1, 3]);
  });

  check("an update changes what it names and keeps the rest", async ({ store, other }) => {
    const created = await create(store);
    const closedHead = { segment, seq: 41, sum: "0123456789abcdef" };
    const steps = [
      { pointer: { state: "active", session, segment } },
      { epoch: 7 },
      { closedHead },
      { manifest: { schema: 2 } },
      { closedHead: null, pointer: { state: "pending", session } },
      {},
    ] as const;
    let expected = created;
    for (const [index, step] of steps.entries()) {
      const updated = await store.update(name, expected, step);
      expected = { ...expected, ...step, revision: index + 2, updatedMs: updated.updatedMs };
      assert.deepEqual(updated, expected);
      assert.deepEqual(await other.read(name), expected);
    }
  });

  check(
    "an update from an old revision or an old epoch is refused and writes nothing",
    async ({ store, other }) => {
      const created = await create(store);
      const current = await store.update(name, created, { epoch: 3 });
      assert.equal(await codeOf(other.update(name, created, { epoch: 9 })), "metadata_conflict");
      assert.equal(
        await codeOf(other.update(name, { epoch: 3, revision: 3 }, { epoch: 9 })),
        "metadata_conflict",
      );
      assert.deepEqual(await other.read(name), current);
    },
  );

  check("of updates made at once from one revision one wins", async ({ store }) => {
    await create(store);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, epoch) => store.update(name, { epoch: 0, revision: 1 }, { epoch })),
    );
    const won = tries.filter((outcome) => outcome.status === "fulfilled");
    assert.equal(won.length, 1);
    for (const outcome of tries) {
      if (outcome.status === "rejected") assert.equal((outcome.reason as YoiError).code, "metadata_conflict");
    }
    assert.deepEqual(await store.read(name), won[0]?.value);
  });

  check("a name is taken once, whatever its case", async ({ store, other }) => {
    const record = await create(store);
    assert.equal(await codeOf(create(other)), "pod_exists");
    for (const twin of ["atlas.1", "ATLAS.1", "aTLAS.1"].map(podName)) {
      assert.equal(await codeOf(create(other, twin)), "pod_exists");
      assert.equal(await other.findIgnoringCase(twin), name);
    }
    assert.equal(await store.findIgnoringCase(name), null);
    assert.deepEqual(await other.list(), [{ name, record }]);
    await create(other, podName("Atlas.10"));
  });

  check("two names that differ by case are never both made, also at once", async ({ store, other }) => {
    for (let round = 0; round < 10; round += 1) {
      const twins = [podName(`Pod${round}`), podName(`pod${round}`)];
      const stores = [store, other];
      await Promise.allSettled(twins.map((twin, index) => create(stores[index] ?? store, twin)));
      const made = (await store.list()).filter((found) => found.name.toLowerCase() === `pod${round}`);
      assert.ok(made.length <= 1, `${made.length} were made`);
    }
  });

  check("a removed Pod is gone and its name free", async ({ store, other }) => {
    await create(store);
    await create(store, podName("borea"));
    await store.remove(name);
    assert.equal(await other.read(name), null);
    assert.deepEqual(
      (await other.list()).map((found) => found.name),
      ["borea"],
    );
    await store.remove(name);
    assert.equal((await create(store, podName("ATLAS.1"))).revision, 1);
  });

  check("damage is refused, listed, never overwritten, and can be removed", async ({ store, overwrite }) => {
    const good = await create(store, podName("borea"));
    await create(store);
    await overwrite(name, Buffer.from('{"schema": 1'));
    assert.equal(await codeOf(store.read(name)), "metadata_damaged");
    assert.equal(
      await codeOf(store.update(name, { epoch: 0, revision: 1 }, { epoch: 1 })),
      "metadata_damaged",
    );
    assert.equal(await codeOf(create(store)), "pod_exists");
    const [first, second] = await store.list();
    assert.ok(
      first !== undefined && "error" in first && first.name === name && first.error.includes("damaged"),
    );
    assert.deepEqual(second, { name: "borea", record: good });
    await store.remove(name);
    assert.equal((await create(store)).revision, 1);
  });

  check("what would be over the size limit is refused and writes nothing", async ({ store }) => {
    const created = await create(store);
    const big = { schema: 1, text: "x".repeat(metadataBytesMax) };
    assert.equal(await codeOf(store.update(name, created, { manifest: big })), "limit_exceeded");
    assert.deepEqual(await store.read(name), created);
  });
}
