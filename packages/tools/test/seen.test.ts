/** Seen: what is remembered of files, and that the committed records bring back the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type CommittedItem, type Item, type JsonObject } from "@yoi/base";
import fc from "fast-check";
import { createSeen, recallSeen, type Seen, seenFilesMax, seenRangesMax, wasSeen } from "../src/seen.ts";

const seed = 20_261;
const runs = 300;
const digest = (character: string) => character.repeat(64);

function resultOf(record: JsonObject, over: Partial<Extract<Item, { type: "tool_result" }>> = {}): Item {
  const call = callId(1, 0);
  return { type: "tool_result", call, name: "Read", summary: "", is_error: false, record, ...over };
}

function recalled(...items: readonly Item[]): Seen {
  const seen = createSeen();
  recallSeen(
    seen,
    items.map((item, seq): CommittedItem => ({ seq, item })),
  );
  return seen;
}

/** As a record comes back from the log. */
const stored = (record: JsonObject): JsonObject => JSON.parse(JSON.stringify(record)) as JsonObject;

const length = 100_000;
const ranges = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: length }), fc.integer({ min: 0, max: 200 }))
    .map(([from, size]): [number, number] => [from, Math.min(length, from + size)]),
  { maxLength: seenRangesMax * 3 },
);
const shows = fc.array(
  fc.record({ path: fc.constantFrom("/a", "/b", "/c"), sha256: fc.constantFrom("0", "f"), ranges }),
  { maxLength: 12 },
);

test(`live and recalled are the same, each record is small, and what was shown last is known (seed ${seed}, ${runs} runs)`, () => {
  fc.assert(
    fc.property(shows, (sequence) => {
      const live = createSeen();
      const records = sequence.map(({ path, sha256, ranges: shown }) => {
        const file = { sha256: digest(sha256), ranges: shown, length };
        const record = live.show(path, file);
        const known = live.of(path);
        assert.ok(known !== null && known.ranges.length <= seenRangesMax);
        for (const [from, to] of record["ranges"] as [number, number][]) assert.ok(wasSeen(known, from, to));
        assert.ok(JSON.stringify(record).length < 800);
        return resultOf(stored(record));
      });
      const again = recalled(...records);
      for (const path of ["/a", "/b", "/c"]) assert.deepEqual(again.of(path), live.of(path));
    }),
    { seed, numRuns: runs },
  );
});

test("all ranges are kept at the limit; one more drops the shortest, and of those shown before first", () => {
  const of = (count: number, from = 0): [number, number][] =>
    Array.from({ length: count }, (_, index) => [from + index * 10, from + index * 10 + 2 + (index % 3)]);
  const seen = createSeen();
  const file = { sha256: digest("a"), length };
  seen.show("/a", { ...file, ranges: of(seenRangesMax) });
  assert.deepEqual(seen.of("/a")?.ranges, of(seenRangesMax));
  seen.show("/a", { ...file, ranges: [[5_000, 5_001]] });
  assert.deepEqual(seen.of("/a")?.ranges.length, seenRangesMax);
  assert.deepEqual(seen.of("/a")?.ranges.at(-1), [5_000, 5_001]);
  const record = seen.show("/b", { ...file, ranges: of(seenRangesMax + 1) });
  assert.equal((record["ranges"] as unknown[]).length, seenRangesMax);
});

test("the file used longest ago is forgotten beyond the limit, live and recalled", () => {
  const live = createSeen();
  const show = (index: number) =>
    resultOf(stored(live.show(`/f${index}`, { sha256: digest("a"), ranges: [[0, 1]], length: 1 })));
  const items = Array.from({ length: seenFilesMax }, (_, index) => show(index));
  assert.notEqual(live.of("/f0"), null);
  items.push(show(seenFilesMax));
  for (const seen of [live, recalled(...items)]) {
    assert.equal(seen.of("/f0"), null);
    assert.notEqual(seen.of("/f1"), null);
  }
});

test("only what a file tool did, and what the host attached, is believed", () => {
  const record = createSeen().show("/a", { sha256: digest("a"), ranges: [[0, 3]], length: 3 });
  const attached: Item = { type: "system_item", kind: "file_attachment", source: "host", body: "x", record };
  const table: readonly (readonly [Item, boolean])[] = [
    [resultOf(record), true],
    [resultOf(record, { name: "Write" }), true],
    [resultOf(record, { name: "Edit" }), true],
    [attached, true],
    [resultOf(record, { is_error: true }), false],
    [resultOf(record, { name: "Bash" }), false],
    [{ ...attached, source: "some:feature" }, false],
    [{ ...attached, kind: "notification" }, false],
    [{ type: "user_message", parts: [{ type: "text", text: JSON.stringify(record) }] }, false],
  ];
  for (const [item, believed] of table)
    assert.equal(recalled(item).of("/a") !== null, believed, JSON.stringify(item));
});

test("a record of another shape adds nothing", () => {
  const good = createSeen().show("/a", { sha256: digest("a"), ranges: [[0, 3]], length: 3 });
  const wrong: readonly JsonObject[] = [
    { ...good, path: 1 },
    { ...good, sha256: "a" },
    { ...good, length: -1 },
    { ...good, length: 2 },
    { ...good, ranges: [[0]] },
    { ...good, ranges: [[0, 1, 2]] },
    { ...good, ranges: [[2, 1]] },
    { ...good, ranges: [["0", 1]] },
    { ...good, ranges: Array.from({ length: seenRangesMax + 1 }, () => [0, 1]) },
    { ...good, ranges: {} },
    {},
  ];
  assert.notEqual(recalled(resultOf(good)).of("/a"), null);
  for (const record of wrong) assert.equal(recalled(resultOf(record)).of("/a"), null, JSON.stringify(record));
});

test("what is forgotten was not shown, and can be recalled anew", () => {
  const seen = recalled(resultOf({ path: "/a", sha256: digest("a"), ranges: [[0, 5]], length: 5 }));
  const before = seen.of("/a");
  assert.ok(before !== null);
  seen.forget();
  assert.equal(seen.of("/a"), null);
  recallSeen(seen, [
    { seq: 1, item: resultOf({ path: "/a", sha256: digest("a"), ranges: [[0, 5]], length: 5 }) },
  ]);
  assert.deepEqual(seen.of("/a"), before);
});

test("what the host kept of it over a compaction is known as before, and as shown before what was shown since", () => {
  const live = createSeen();
  for (const path of ["/a", "/b"]) live.show(path, { sha256: digest("a"), ranges: [[0, 3]], length: 3 });
  live.show("/a", { sha256: digest("a"), ranges: [[5, 7]], length: 9 });
  const files = live.list().map((file) => stored({ ...file }));
  assert.deepEqual(
    files.map(({ path }) => path),
    ["/b", "/a"],
  );
  const kept: Item = {
    type: "system_item",
    kind: "read_files",
    source: "host",
    body: "x",
    record: { files },
  };
  const changed = { path: "/b", sha256: digest("f"), ranges: [[0, 1]], length: 1 };
  const again = recalled(kept, resultOf(changed));
  assert.deepEqual([again.of("/a"), again.of("/b")?.sha256], [live.of("/a"), digest("f")]);
  for (const other of [
    { ...kept, source: "some:feature" },
    { ...kept, kind: "summary" },
    { ...kept, record: { files: "/a" } },
    { ...kept, record: { files: ["/a", { path: "/a" }] } },
  ] satisfies readonly Item[])
    assert.equal(recalled(other).of("/a"), null, JSON.stringify(other));
});
