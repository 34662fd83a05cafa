/** What every SessionStore must do about segments that go on from others: a part of its suite. */
import assert from "node:assert/strict";
import { type Carried, continuedLogSchema, type EntryBody, type Item, type SegmentStart } from "@yoi/base";
import { entryBytesMax } from "../src/index.ts";
import { input, opening, refOf, startOf, type StoreUnderTest, withCode } from "./support/store-under-test.ts";

type Continued = ReturnType<typeof startOf> & Partial<SegmentStart>;
const userMessage = (text: string): Item => ({ type: "user_message", parts: [{ type: "text", text }] });

export function continuedConformance(
  withStore: (title: string, run: (under: StoreUnderTest) => Promise<void>) => void,
): void {
  withStore(
    "a segment that goes on from another one begins with what it carries, an item over the limit too, and with what stands behind",
    async ({ store, ids }) => {
      const first = startOf(ids);
      const { writer: before } = await store.create(first, opening);
      await before.append([input("before")]);
      await before.close();
      const { seq, sum } = before.head;
      const origin = { segment_id: first.segment_id, seq, sum };
      const start: Continued = {
        ...startOf(ids),
        session_id: first.session_id,
        schema: continuedLogSchema,
        compacted_from: origin,
        left: origin,
        generation: 1,
      };
      const carried: readonly Carried[] = [
        { kind: "carried", of: "item", id: "3", item: userMessage("before") },
        {
          kind: "carried",
          of: "item",
          id: "5",
          item: userMessage("e".repeat(entryBytesMax)),
          folded: true,
        },
        { kind: "carried", of: "extension", domain: "x", payload: [1] },
      ];
      const behind: readonly EntryBody[] = [{ kind: "extension", domain: "y", payload: null }];
      const { writer, entries } = await store.create(start, opening, { carried, behind });
      assert.deepEqual(
        entries.map(({ ts: _ts, ...entry }) => entry),
        [
          { kind: "segment_start", ...start, carried: 3 },
          ...carried,
          { kind: "segment_ready" },
          { kind: "opened", epoch: 1, version: "0.1.0" },
          ...behind,
        ].map((body, place) => ({ ...body, seq: place, batch: 0 })),
      );
      const [next] = await writer.append([input("next")]);
      assert.equal(next?.seq, 7);
      await writer.close();
      const view = await store.read(refOf(start));
      assert.deepEqual([view.entries.slice(0, 7), view.ready, view.damage], [entries, true, null]);
      const again = await store.open(refOf(start), opening);
      assert.deepEqual(again.entries.slice(0, 7), entries);
      await again.writer.close();
    },
  );

  withStore("nothing is carried in a format whose readers would not see it", async ({ store, ids }) => {
    const start = startOf(ids);
    const carried: readonly Carried[] = [{ kind: "carried", of: "extension", domain: "x", payload: 1 }];
    await assert.rejects(store.create(start, opening, { carried, behind: [] }), TypeError);
    await assert.rejects(store.read(refOf(start)), withCode("io_failed"));
  });

  withStore("a segment that is removed is gone, and no other of its session is", async ({ store, ids }) => {
    const kept = startOf(ids);
    const orphan = { ...startOf(ids), session_id: kept.session_id };
    for (const start of [kept, orphan]) {
      const { writer } = await store.create(start, opening);
      await writer.append([input("e".repeat(entryBytesMax))]);
      await writer.close();
    }
    await store.removeSegment(refOf(orphan));
    await assert.rejects(store.read(refOf(orphan)), withCode("io_failed"));
    const { entries, damage } = await store.read(refOf(kept));
    assert.deepEqual([entries.length, damage], [4, null], "blobs that they share stay");
  });
}
