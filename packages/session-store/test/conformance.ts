/** What every SessionStore must do: a suite that is handed one, and knows nothing but the interface. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { flattenInput, segmentId, sessionId, YoiError } from "@yoi/base";
import { entryBytesMax, jsonOfEntry, replay, type RecordedEntry, type SegmentWriter } from "../src/index.ts";
import { continuedConformance } from "./continued-conformance.ts";
import { input, opening, refOf, startOf, type StoreUnderTest, withCode } from "./support/store-under-test.ts";

export { input, opening, refOf, startOf, type StoreUnderTest, withCode };

/** The texts of all user inputs, in order. */
export function inputsOf(entries: Parameters<typeof replay>[0]): string[] {
  return replay(entries).items.flatMap(({ item }) =>
    item.type === "user_message" ? [flattenInput(item.parts)] : [],
  );
}

/** All records from `from` on, as pieces of at most `bytesMax` bytes give them. */
async function readBack(writer: SegmentWriter, from: number, bytesMax: number): Promise<RecordedEntry[]> {
  const all: RecordedEntry[] = [];
  for (;;) {
    const piece = await writer.records(from + all.length, bytesMax);
    if (piece.length === 0) return all;
    all.push(...piece);
  }
}

export function sessionStoreConformance(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  const withStore = (title: string, run: (under: StoreUnderTest) => Promise<void>) =>
    test(title, async () => {
      const under = await makeStore();
      try {
        await run(under);
      } finally {
        await under.dispose();
      }
    });

  describe(`SessionStore: ${name}`, () => {
    continuedConformance(withStore);

    withStore(
      "a created segment begins with start, ready and opened, and reads back the same",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const { writer, entries, repair } = await store.create(start, { metadataEpoch: 6, version: "0.1.0" });
        assert.deepEqual(
          entries.map(({ ts, ...entry }) => (assert.ok(Number.isSafeInteger(ts)), entry)),
          [
            { seq: 0, batch: 0, kind: "segment_start", ...start, carried: 0 },
            { seq: 1, batch: 0, kind: "segment_ready" },
            { seq: 2, batch: 0, kind: "opened", epoch: 7, version: "0.1.0" },
          ],
        );
        assert.deepEqual([repair, writer.epoch, writer.head.seq, writer.ref], [null, 7, 2, refOf(start)]);
        const view = await store.read(refOf(start));
        assert.deepEqual(view.entries, entries);
        assert.deepEqual([view.ready, view.damage, view.tailBytes, view.head], [true, null, 0, writer.head]);
        await writer.close();
        await assert.rejects(store.create(start, opening), YoiError);
      },
    );

    withStore(
      "what append hands back is frozen, dense in seq, and what reading gives",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const { writer } = await store.create(start, opening);
        const one = await writer.append([input("a"), input("b")]);
        const none = await writer.append([]);
        const two = await writer.append([input("c")]);
        assert.deepEqual(
          [...one, ...none, ...two].map((entry) => entry.seq),
          [3, 4, 5],
        );
        assert.ok(
          one.every(
            (entry) =>
              Object.isFrozen(entry) && entry.kind === "user_input" && Object.isFrozen(entry.parts[0]),
          ),
        );
        const view = await store.read(refOf(start));
        assert.deepEqual(view.entries.slice(3), [...one, ...two]);
        assert.deepEqual(view.head, writer.head);
        assert.equal(view.sums.length, view.entries.length);
        await writer.close();
      },
    );

    withStore(
      "lines are read from any entry on, in both directions, and a start and the list of segments without the rest",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const ref = refOf(start);
        const { writer } = await store.create(start, opening);
        await writer.append(["a", "b", "c"].map(input));
        await writer.close();
        const { entries } = await store.read(ref);
        for (let seq = 0; seq <= entries.length; seq += 1) {
          for (const direction of ["onwards", "backwards"] as const) {
            const found = [];
            for await (const lines of store.readLines(ref, { seq, direction }))
              found.push(...lines.map((line) => line.decode()));
            const wanted =
              direction === "onwards" ? entries.slice(seq) : entries.slice(0, seq + 1).toReversed();
            assert.deepEqual(found, wanted);
          }
        }
        assert.deepEqual(await store.readStart(ref), entries[0]);
        assert.equal(await store.readStart({ ...ref, segment: segmentId(ids.uuidV7()) }), null);
        const listed = await store.listSegments(ref.session);
        assert.deepEqual(
          listed.map((one) => one.ref),
          [ref],
        );
        assert.deepEqual(await store.listSegments(sessionId(ids.uuidV7())), []);
      },
    );

    withStore(
      "64 appenders at once: each batch whole and in order, nothing lost or doubled",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const { writer } = await store.create(start, opening);
        const batches = await Promise.all(
          Array.from({ length: 64 }, (_, index) => writer.append([input(`${index}a`), input(`${index}b`)])),
        );
        assert.deepEqual(
          batches.flat().map((entry) => entry.seq),
          Array.from({ length: 128 }, (_, index) => index + 3),
        );
        const view = await store.read(refOf(start));
        assert.deepEqual(view.entries.slice(3), batches.flat());
        await writer.close();
      },
    );

    withStore(
      "each opening takes the next epoch; the metadata's wins when it is greater",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const created = await store.create(start, opening);
        await created.writer.append([input("kept")]);
        await created.writer.close();
        const epochs: number[] = [];
        for (const metadataEpoch of [0, 1, 40, 3]) {
          const { writer, entries } = await store.open(refOf(start), { metadataEpoch, version: "0.1.0" });
          epochs.push(writer.epoch);
          const last = entries.at(-1);
          assert.deepEqual(last?.kind === "opened" && last.seq === writer.head.seq, true);
          assert.deepEqual(inputsOf(entries), ["kept"]);
          await writer.close();
        }
        assert.deepEqual(epochs, [2, 3, 41, 42]);
      },
    );

    withStore(
      "a writer whose segment was opened again is refused before it writes",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const stale = await store.create(start, opening);
        const owner = await store.open(refOf(start), opening);
        await assert.rejects(stale.writer.append([input("stale")]), withCode("log_fenced"));
        await assert.rejects(stale.writer.append([input("again")]), withCode("log_fenced"));
        await owner.writer.append([input("mine")]);
        const view = await store.read(refOf(start));
        assert.deepEqual([inputsOf(view.entries), view.damage], [["mine"], null]);
        await stale.writer.close();
        await owner.writer.close();
      },
    );

    withStore(
      "each entry names the first entry of its write, and batches that share a write name the same",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const { writer } = await store.create(start, opening);
        await writer.append([input("a"), input("b")]);
        await Promise.all([writer.append([input("c")]), writer.append([input("d"), input("e")])]);
        await writer.append([input("f")]);
        await writer.close();
        const next = await store.open(refOf(start), opening);
        await next.writer.close();
        assert.deepEqual(
          next.entries.map(({ seq, batch }) => [seq, batch]),
          [
            [0, 0],
            [1, 0],
            [2, 0],
            [3, 3],
            [4, 3],
            [5, 5],
            [6, 5],
            [7, 5],
            [8, 8],
            [9, 9],
          ],
        );
      },
    );

    withStore(
      "a body that is no valid entry is the caller's bug: it is refused alone and nothing is written",
      async ({ store, ids }) => {
        const start = startOf(ids);
        const { writer } = await store.create(start, opening);
        const { head, offset } = writer;
        await assert.rejects(
          writer.append([input("x"), { kind: "turn_end", turn_count: Number.NaN }]),
          TypeError,
        );
        assert.deepEqual([writer.head, writer.offset], [head, offset]);
        await writer.append([input("y")]);
        assert.deepEqual(inputsOf((await store.read(refOf(start))).entries), ["y"]);
        await writer.close();
      },
    );

    withStore("an entry over the limit comes back whole", async ({ store, ids }) => {
      const start = { ...startOf(ids), prompt: "p".repeat(entryBytesMax) };
      const { writer } = await store.create(start, opening);
      const text = "\u00e9\n".repeat(entryBytesMax);
      const [entry] = await writer.append([input(text), input("small")]);
      assert.ok(entry?.kind === "user_input" && Object.isFrozen(entry.parts));
      await writer.close();
      const { writer: next, entries } = await store.open(refOf(start), opening);
      assert.deepEqual(inputsOf(entries), [text, "small"]);
      assert.equal(replay(entries).prompt, start.prompt);
      await next.close();
    });

    withStore(
      "what is durable reads back as the JSON it was written as, from any seq on and in pieces of any size",
      async ({ store, ids }) => {
        const start = { ...startOf(ids), prompt: "p".repeat(entryBytesMax) };
        const created = await store.create(start, opening);
        const texts = [
          "short",
          "\u00e9\n\u2028".repeat(40_000),
          '"parts":{"blob":{"sha256":"',
          "e".repeat(entryBytesMax),
        ];
        const written = await created.writer.append(texts.map(input));
        for (const text of ["a", "b"]) await created.writer.append([input(text)]);
        await created.writer.close();
        const { writer, entries } = await store.open(refOf(start), opening);
        await writer.append([
          input("of the next owner"),
          { kind: "extension", domain: "x", payload: { item: { blob: { sha256: "" } } } },
        ]);
        const expected = (await store.read(refOf(start))).entries.map((entry) => ({
          seq: entry.seq,
          kind: entry.kind,
          json: jsonOfEntry(entry),
        }));
        assert.deepEqual(
          [expected.length, entries.length, expected[3]?.json],
          [12, 10, written[0] === undefined ? null : jsonOfEntry(written[0])],
        );
        for (const bytesMax of [1, 1_000, 300_000, Number.MAX_SAFE_INTEGER]) {
          for (const from of bytesMax === 1_000 ? [...expected.keys()].slice(4) : [0]) {
            assert.deepEqual(
              await readBack(writer, from, bytesMax),
              expected.slice(from),
              `${from} by ${bytesMax}`,
            );
          }
        }
        const sizes = expected.map(({ json }) => Buffer.byteLength(json));
        const both = (sizes[7] ?? 0) + (sizes[8] ?? 0);
        assert.deepEqual((await writer.records(7, both)).length, 2, "a piece holds as many as fit");
        assert.deepEqual((await writer.records(7, both - 1)).length, 1, "and not one more");
        assert.deepEqual(await writer.records(expected.length, 1), []);
        await writer.close();
      },
    );

    withStore("after close nothing is appended; what waited before it is", async ({ store, ids }) => {
      const start = startOf(ids);
      const { writer } = await store.create(start, opening);
      const waiting = writer.append([input("waited")]);
      await writer.close();
      await waiting;
      await assert.rejects(writer.append([input("late")]), withCode("log_fenced"));
      await writer.close();
      assert.deepEqual(inputsOf((await store.read(refOf(start))).entries), ["waited"]);
    });

    withStore(
      "a segment may continue another one; a session is removed with all its segments, its blobs too",
      async ({ store, ids }) => {
        const start = { ...startOf(ids), prompt: "p".repeat(entryBytesMax) };
        const fork = { ...start, segment_id: segmentId(ids.uuidV7()) };
        const stranger = startOf(ids);
        const { writer } = await store.create(start, opening);
        await writer.append([input("x")]);
        const origin = { segment_id: start.segment_id, ...writer.head };
        const forked = await store.create({ ...fork, forked_from: origin }, opening);
        const other = await store.create({ ...stranger, prompt: start.prompt }, opening);
        assert.equal((await store.read(refOf(fork))).damage, null);
        for (const created of [{ writer }, forked, other]) await created.writer.close();
        await store.removeSession(start.session_id);
        await store.removeSession(start.session_id);
        for (const gone of [start, fork]) {
          await assert.rejects(store.read(refOf(gone)), withCode("io_failed"));
          await assert.rejects(store.open(refOf(gone), opening), withCode("io_failed"));
        }
        assert.equal(replay((await store.read(refOf(stranger))).entries).prompt, start.prompt);
      },
    );
  });
}
