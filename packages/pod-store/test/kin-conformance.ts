/** What every PodStore must do with children, reclaimed children and peers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, segmentId, sessionId } from "@yoi/base";
import type { PodRecord, PodStore } from "../src/index.ts";
import { child, nameOf, parent, peerOf } from "./kin.ts";
import { codeOf, type PodStoreParts } from "./store-conformance.ts";

const name = podName("Atlas.1");
const session = sessionId("0198c0de-0000-7000-8000-000000000001");
const segment = segmentId("0198c0de-0000-7000-8000-000000000002");
const manifest = { schema: 1, kept: ["é", null] };
const how = { reason: "lost", atMs: 77 } as const;
const [cora, borea, dora] = [peerOf("cora"), peerOf("borea", 2), peerOf("dora", 3)];

/** A Pod whose every field says something. */
export async function fullPod(store: PodStore): Promise<PodRecord> {
  let record = await store.create({
    name,
    pointer: { state: "pending", session },
    epoch: 2,
    manifest,
    parent,
  });
  record = await store.putChild(name, record, child(1));
  record = await store.putChild(name, record, child(2));
  record = await store.putChild(name, record, child(3));
  record = await store.reclaimChild(name, record, nameOf(3), how);
  record = await store.setPeer(name, record, cora.name, cora.session);
  const closedHead = { segment, seq: 41, sum: "0123456789abcdef" };
  return store.update(name, record, { pointer: { state: "active", session, segment }, closedHead });
}

export function kinConformance(implementation: string, open: () => Promise<PodStoreParts>): void {
  const check = (what: string, run: (parts: PodStoreParts) => Promise<void>): void => {
    test(`${implementation}: ${what}`, async () => {
      await using parts = await open();
      await run(parts);
    });
  };

  check(
    "children, loans, reclaimed children and peers are the store's, for every reader",
    async ({ store, other }) => {
      const record = await fullPod(store);
      const { name: back, loan, session: its } = child(3);
      const kin = {
        parent,
        children: [child(1), child(2)],
        reclaimed: [{ name: back, loan, session: its, ...how }],
        peers: [cora],
      };
      assert.deepEqual({ ...record, ...kin }, record);
      assert.deepEqual(await other.read(name), record);
      assert.deepEqual(await other.list(), [{ name, record }]);
    },
  );

  check("of a child of which nothing is left nothing is kept", async ({ store }) => {
    const record = await fullPod(store);
    const { children, reclaimed } = await store.reclaimChild(name, record, nameOf(1), null);
    assert.deepEqual([children, reclaimed], [[child(2)], record.reclaimed]);
  });

  check("each verb keeps every field that it does not name", async ({ store, other }) => {
    let before = await fullPod(store);
    const steps: readonly (readonly [
      string,
      (record: PodRecord) => Promise<PodRecord>,
      readonly (keyof PodRecord)[],
    ])[] = [
      ["pointer", (r) => store.update(name, r, { pointer: { state: "pending", session } }), ["pointer"]],
      ["epoch", (r) => store.update(name, r, { epoch: r.epoch + 1 }), ["epoch"]],
      ["closed head", (r) => store.update(name, r, { closedHead: null }), ["closedHead"]],
      ["manifest", (r) => store.update(name, r, { manifest: { other: 1 } }), ["manifest"]],
      ["a new child", (r) => store.putChild(name, r, child(4)), ["children"]],
      ["a child again", (r) => store.putChild(name, r, { ...child(4), state: "starting" }), ["children"]],
      ["reclaim", (r) => store.reclaimChild(name, r, nameOf(4), how), ["children", "reclaimed"]],
      ["a reclaimed child", (r) => store.putChild(name, r, child(4)), ["children", "reclaimed"]],
      ["a peer", (r) => store.setPeer(name, r, borea.name, dora.session), ["peers"]],
      ["another one of its name", (r) => store.setPeer(name, r, borea.name, borea.session), ["peers"]],
      ["a peer less", (r) => store.setPeer(name, r, cora.name, null), ["peers"]],
    ];
    for (const [what, step, named] of steps) {
      const after = await step(before);
      assert.notDeepEqual(
        named.map((key) => after[key]),
        named.map((key) => before[key]),
        what,
      );
      const kept = Object.fromEntries(named.map((key) => [key, after[key]]));
      const { revision, updatedMs } = after;
      assert.deepEqual(after, { ...before, ...kept, revision, updatedMs }, what);
      assert.equal(revision, before.revision + 1, what);
      assert.deepEqual(await other.read(name), after, what);
      before = after;
    }
    assert.deepEqual(
      [before.children.map((one) => one.name), before.reclaimed.map((one) => one.name), before.peers],
      [["child1", "child2", "child4"], ["child3"], [borea]],
    );
  });

  check(
    "the verbs of kin are refused from an old revision and from an old epoch, and write nothing",
    async ({ store, other }) => {
      const record = await fullPod(store);
      const { revision, epoch } = record;
      for (const expected of [
        { revision: revision - 1, epoch },
        { revision, epoch: epoch - 1 },
        { revision: revision + 1, epoch: epoch + 1 },
      ]) {
        for (const attempt of [
          other.putChild(name, expected, child(9)),
          other.reclaimChild(name, expected, nameOf(1), how),
          other.setPeer(name, expected, dora.name, dora.session),
          other.setPeer(name, expected, cora.name, cora.session),
        ])
          assert.equal(await codeOf(attempt), "metadata_conflict");
      }
      assert.deepEqual(await other.read(name), record);
    },
  );

  check("what is no child is not reclaimed, and nobody is their own child or peer", async ({ store }) => {
    const record = await fullPod(store);
    assert.equal(await codeOf(store.reclaimChild(name, record, nameOf(3), how)), "child_unknown");
    assert.equal(await codeOf(store.reclaimChild(name, record, nameOf(3), null)), "child_unknown");
    assert.equal(await codeOf(store.reclaimChild(name, record, nameOf(9), how)), "child_unknown");
    assert.equal(await codeOf(store.putChild(name, record, { ...child(9), name })), "usage");
    assert.equal(await codeOf(store.setPeer(name, record, name, dora.session)), "usage");
    assert.equal(await codeOf(store.putChild(podName("none"), record, child(1))), "pod_unknown");
    // Already so: nothing is written.
    assert.deepEqual(await store.setPeer(name, record, cora.name, cora.session), record);
    assert.deepEqual(await store.setPeer(name, record, dora.name, null), record);
    assert.deepEqual(await store.read(name), record);
  });

  check("what could not be read back is a bug, and is not written", async ({ store }) => {
    const record = await fullPod(store);
    const { loan } = child(9);
    const rule = { target: "src", permission: "write", recursive: true } as const;
    const nowhere = { ...child(9), loan: { ...loan, scope: { allow: [rule], deny: [] } } };
    await assert.rejects(store.putChild(name, record, nowhere), TypeError);
    assert.deepEqual(await store.read(name), record);
  });
}
