/** What stands before a place: over segments, in log order, without what is carried, and the place from which a stream shows just that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, YoiError } from "@yoi/base";
import type { Cursor } from "@yoi/protocol";
import { dataDir, threeSegments } from "../../../pod/test/timeline/segments.ts";
import { entriesBefore, placeBefore } from "../../src/ui/entries-before.ts";

const all = 10_000;

/** Each entry that is not carried, oldest segment first, as the log has it. */
async function whole() {
  const stores = await threeSegments();
  const { sessions, first, compacted, active } = stores;
  const places: Cursor[] = [];
  for (const { segment, session } of [first, compacted, active])
    for (const entry of (await sessions.read({ session, segment })).entries)
      if (!(isKnown(entry) && entry.kind === "carried")) places.push({ segment, seq: entry.seq });
  const { entries } = await sessions.read(active);
  const end = { segment: active.segment, seq: entries.length };
  return { ...stores, places, end };
}

test("all that was before comes in log order, over segments and without what they carry", async () => {
  const { sessions, active, places, end } = await whole();
  const found = await entriesBefore(sessions, active.session, end, all);
  assert.deepEqual(
    found.map(({ at }) => at),
    places,
  );
  assert.equal(places.length, 18);
  for (const { at, entry } of found) assert.equal(entry.seq, at.seq);
});

test("any number before any place is the end of what is before that", async () => {
  const { sessions, active, places } = await whole();
  for (const [index, place] of places.entries()) {
    for (const count of [1, 2, 7]) {
      const found = await entriesBefore(sessions, active.session, place, count);
      const wanted = places.slice(Math.max(0, index - count), index);
      assert.deepEqual(
        found.map(({ at }) => at),
        wanted,
        `${index}, ${count}`,
      );
    }
  }
  assert.deepEqual(await entriesBefore(sessions, active.session, places[0] ?? end0, 5), []);
});

const end0: Cursor = { segment: "", seq: 0 };

test("the place of a tail is right before it; there is none where nothing is before the segment that is written", async () => {
  const { sessions, active, first, places, end } = await whole();
  for (let count = 1; count < places.length; count += 1) {
    const wanted = places.at(-1 - count);
    assert.deepEqual(await placeBefore(sessions, active.session, end, count), wanted, `${count}`);
  }
  // There is no place before the first entry of an earlier segment.
  assert.deepEqual(await placeBefore(sessions, active.session, end, all), places[0]);
  const early = { segment: first.segment, seq: 3 };
  assert.deepEqual(await placeBefore(sessions, active.session, early, 2), { segment: first.segment, seq: 0 });
  assert.equal(await placeBefore(sessions, active.session, early, 3), null);
});

test("where an earlier segment is gone, what is left of the past comes", async () => {
  const { host, sessions, first, compacted, active, places, end } = await whole();
  await host.files.removeFile(`${dataDir}/sessions/${first.session}/${first.segment}.jsonl`);
  const found = await entriesBefore(sessions, active.session, end, all);
  const left = places.filter(({ segment }) => segment !== first.segment);
  assert.deepEqual(
    found.map(({ at }) => at),
    left,
  );
  await assert.rejects(
    entriesBefore(sessions, active.session, { segment: first.segment, seq: 3 }, 1),
    (error) => error instanceof YoiError && error.code === "io_failed",
  );
  assert.ok(left.some(({ segment }) => segment === compacted.segment));
});
