/** The timeline of a Pod: all its segments from their first lines, what history goes back to, and any entry by its id. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenInput, type LogEntry, segmentId } from "@yoi/base";
import { abandonedOf, ancestryOf, type TimelinePart } from "../../src/timeline/ancestry.ts";
import { findEntry, parseEntryId } from "../../src/timeline/find-entry.ts";
import { timelineOf } from "../../src/timeline/timeline.ts";
import { dataDir, nextSegment, threeSegments, user } from "./segments.ts";

const partsOf = (parts: readonly TimelinePart[]) =>
  parts.map(({ segment, from, through }) => [segment.generation, from, through]);
const textOf = (entry: LogEntry) =>
  !("opaque" in entry) && entry.kind === "user_input" ? flattenInput(entry.parts) : entry.kind;

test("all segments, newest first, with the head of each; ancestry is what the active one goes back to", async () => {
  const { sessions, first, compacted, active } = await threeSegments();
  const timeline = await timelineOf(sessions, active);
  const views = await Promise.all([active, compacted, first].map((ref) => sessions.read(ref)));
  assert.deepEqual(
    timeline.segments.map(({ ref, generation, head }) => [ref, generation, head]),
    [active, compacted, first].map((ref, index) => [ref, 2 - index, views[index]?.head]),
  );
  assert.equal(timeline.missing, null);
  assert.deepEqual(partsOf(ancestryOf(timeline)), [
    [2, 0, Infinity],
    [0, 0, 6],
  ]);
  assert.deepEqual(partsOf(abandonedOf(timeline)), [[1, 0, Infinity]]);
  // Before the Pod went back the compacted one was the ancestry of itself.
  assert.deepEqual(partsOf(ancestryOf(await timelineOf(sessions, compacted))), [
    [1, 0, Infinity],
    [0, 0, 6],
  ]);
});

test("what comes behind a place in the middle to which the Pod went back is abandoned from there on", async () => {
  const stores = await threeSegments();
  const { sessions, first, active } = stores;
  const view = await sessions.read(first);
  const { segments, ...rest } = await timelineOf(sessions, active);
  const origin = { segment_id: first.segment, seq: 4, sum: view.sums[4] ?? "" };
  const [newest, ...older] = segments;
  assert.ok(newest !== undefined);
  const back = { ...newest, start: { ...newest.start, forked_from: origin } };
  const timeline = { ...rest, segments: [back, ...older] };
  assert.deepEqual(partsOf(ancestryOf(timeline)).at(-1), [0, 0, 4]);
  assert.deepEqual(partsOf(abandonedOf(timeline)), [
    [1, 0, Infinity],
    [0, 5, Infinity],
  ]);
});

test("an entry is found by its id in whichever segment it was written", async () => {
  const { sessions, first, compacted, active } = await threeSegments();
  const found = async (id: string) => {
    const { ref, generation, seq, entry } = await findEntry(sessions, active, id);
    return [ref, generation, seq, textOf(entry)];
  };
  assert.deepEqual(await found("6"), [first, 0, 6, "last of the first"]);
  const { entries } = await sessions.read(compacted);
  const last = entries.length - 1;
  assert.deepEqual(await found(`1-${last}`), [compacted, 1, last, "alpha after the compaction"]);
  for (const id of ["7", "1-99", "9-1"])
    await assert.rejects(findEntry(sessions, active, id), { code: "target_unknown" });
  for (const id of ["", "x", "0-1", "1-", "01", "1.0"])
    await assert.rejects(findEntry(sessions, active, id), { code: "target_unknown" });
  assert.deepEqual(["0", "57", "2-57", "0-3", "-1"].map(parseEntryId), [
    { generation: 0, seq: 0 },
    { generation: 0, seq: 57 },
    { generation: 2, seq: 57 },
    null,
    null,
  ]);
});

test("a segment that is not there is said; a carried copy still has its items", async () => {
  const { host, sessions, first, active } = await threeSegments();
  await host.files.removeFile(`${dataDir}/sessions/${first.session}/${first.segment}.jsonl`);
  const timeline = await timelineOf(sessions, active);
  assert.deepEqual(
    [timeline.segments.map(({ generation }) => generation), timeline.missing?.ref],
    [[2, 1], first],
  );
  const { entry, generation } = await findEntry(sessions, active, "6");
  assert.deepEqual([entry.kind, generation], ["carried", 1]);
});

test("a chain that goes round ends with a word, and does not go on", async () => {
  const stores = await threeSegments();
  const { sessions, compacted, active } = stores;
  const next = await nextSegment(stores, { now: active, from: "forked_from", behind: [user("x")] });
  const readStart: typeof sessions.readStart = async (ref) => {
    const start = await sessions.readStart(ref);
    return ref.segment === compacted.segment && start !== null
      ? ({ ...start, generation: 7 } as typeof start)
      : start;
  };
  const { segments, missing } = await timelineOf(
    { readStart, readLast: (ref) => sessions.readLast(ref) },
    next,
  );
  assert.deepEqual(
    segments.map(({ generation }) => generation),
    [3, 2],
  );
  assert.match(missing?.reason ?? "", /number 7.*number 2/);
  const nowhere = { ...next, segment: segmentId(stores.host.ids.uuidV7()) };
  assert.deepEqual((await timelineOf(sessions, nowhere)).segments, []);
});
