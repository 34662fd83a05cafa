/** Cursors: each read goes on where the last one that is on record ended, also after a restart and in another segment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type JsonObject, type JsonValue, utf8Length, YoiError } from "@yoi/base";
import type { ToolRecord } from "@yoi/feature";
import { childrenKnownMax, KnownChildren } from "../../src/pods/known-children.ts";
import { cursorsMax, OutputCursors } from "../../src/pods/output-cursors.ts";
import { podsState } from "../../src/pods/pods-state.ts";
import { PodCalls, segment, writes } from "./support.ts";

const mark = (name: string, seq: number | null): JsonObject => ({
  name,
  cursor: seq === null ? null : { segment, seq },
});

function record(index: number, more: Partial<ToolRecord> = {}): ToolRecord {
  return {
    call: callId(index, 0),
    tool: "ReadPodOutput",
    arguments: { name: "a" },
    isError: false,
    summary: "read",
    record: mark("a", index),
    ...more,
  };
}

const scope = [{ ...writes("/w/a") }];

test("W-41: a read goes on behind the last one, and a restored session goes on where the log has it", async () => {
  const live = new PodCalls();
  await live.call("SpawnPod", { name: "a", task: "t", scope });
  live.pods.said.get("a")?.push("one", "two", "three");
  assert.equal((await live.call("ReadPodOutput", { name: "a" })).content, "one\n\ntwo");
  const restored = new PodCalls();
  restored.pods.said.set("a", ["one", "two", "three"]);
  restored.state.restore(live.records, null);
  assert.deepEqual(restored.state.snapshot(), live.state.snapshot());
  const next = await restored.call("ReadPodOutput", { name: "a" });
  assert.deepEqual([next.content, next.summary], ["three", "Pod a is idle: 1 new answer."]);
  const none = await restored.call("ReadPodOutput", { name: "a" });
  assert.deepEqual(
    [none.content, none.summary],
    [undefined, "Pod a is idle: nothing new since it was read last."],
  );
  // As if the result of the first read had never come on record.
  restored.state.restore(live.records.slice(0, 1), null);
  assert.equal((await restored.call("ReadPodOutput", { name: "a" })).content, "one\n\ntwo");
});

test("a Pod that was stopped keeps its cursor, for it goes on in the same log; one that is spawned under an old name begins anew", async () => {
  const pods = new PodCalls();
  await pods.call("SpawnPod", { name: "a", task: "t", scope });
  pods.pods.said.get("a")?.push("one", "two");
  await pods.call("ReadPodOutput", { name: "a" });
  await pods.call("StopPod", { name: "a" });
  await pods.call("RestorePod", { name: "a" });
  assert.equal((await pods.call("ReadPodOutput", { name: "a" })).content, undefined);
  pods.pods.said.delete("a");
  await pods.call("SpawnPod", { name: "a", task: "t", scope });
  pods.pods.said.get("a")?.push("new");
  const again = new PodCalls();
  again.state.restore(pods.records, null);
  const spawned = { name: "a", scope: ["write /w/a"], task: "t", message: null };
  assert.deepEqual(again.state.snapshot(), { cursors: [], children: [spawned] });
  assert.equal((await pods.call("ReadPodOutput", { name: "a" })).content, "new");
});

const ignored: readonly [what: string, record: Partial<ToolRecord>][] = [
  ["failed", { isError: true }],
  ["has another record", { record: { task: 1 } }],
  ["has no name", { record: { cursor: null } }],
  ["has no cursor", { record: { name: "a" } }],
  ["has a segment that is none", { record: { name: "a", cursor: { segment: "x", seq: 9 } } }],
  ["has a place before all", { record: { name: "a", cursor: { segment, seq: -1 } } }],
  ["has a part that is none", { record: { name: "a", cursor: { segment, seq: 1, bytes: -1 } } }],
  ["has a place that is none", { record: { name: "a", cursor: { segment, seq: 1.5 } } }],
];
for (const [what, more] of ignored) {
  test(`a call that ${what} leaves nothing`, () => {
    const pods = new PodCalls();
    pods.state.restore([record(1), record(2, more)], null);
    assert.deepEqual(pods.state.snapshot(), { cursors: [mark("a", 1)] });
  });
}

test("a place inside of an answer is kept, in records and in a snapshot", () => {
  const pods = new PodCalls();
  const inside = { name: "a", cursor: { segment, seq: 4, bytes: 32_000 } };
  pods.state.restore([record(1, { record: inside })], null);
  const value = pods.state.snapshot();
  assert.deepEqual([value, pods.cursors.of("a")], [{ cursors: [inside] }, inside.cursor]);
  pods.state.restore([], { version: 1, value });
  assert.deepEqual(pods.cursors.of("a"), inside.cursor);
});

test("records go on top of a snapshot", () => {
  const pods = new PodCalls();
  const value = { cursors: [mark("a", 1), mark("b", 2)] };
  pods.state.restore([], { version: 1, value });
  assert.deepEqual(pods.state.snapshot(), value);
  pods.state.restore([record(5)], { version: 1, value });
  assert.deepEqual(pods.state.snapshot(), { cursors: [mark("b", 2), mark("a", 5)] });
});

test("1,000 cursors are kept; with one more the one that was read longest ago goes, and all of them fit into a snapshot", () => {
  const cursors = new OutputCursors();
  const name = (index: number) => String(index).padStart(64, "p");
  const cursor = { segment, seq: Number.MAX_SAFE_INTEGER };
  for (let index = 0; index < cursorsMax; index += 1) cursors.keep({ name: name(index), cursor });
  cursors.keep({ name: name(0), cursor });
  assert.equal(cursors.list().length, cursorsMax);
  cursors.keep({ name: name(cursorsMax), cursor });
  assert.deepEqual(
    [cursors.list().length, cursors.of(name(1)), cursors.of(name(0))],
    [cursorsMax, null, cursor],
  );
  assert.ok(utf8Length(JSON.stringify(podsState(cursors, new KnownChildren()).snapshot())) <= 256 * 1024);
});

test("a snapshot of a newer version is refused, and says what reads it", () => {
  assert.throws(
    () => new PodCalls().state.restore([], { version: 2, value: { cursors: [] } }),
    (error) => error instanceof YoiError && error.code === "schema_newer" && /newer yoi/.test(error.message),
  );
});

const damaged: readonly JsonValue[] = [
  null,
  [],
  {},
  { cursors: {} },
  { cursors: [null] },
  { cursors: [{ name: "a" }] },
];
for (const value of damaged) {
  test(`the snapshot ${JSON.stringify(value)} is refused, and the cursors stay as they were`, () => {
    const pods = new PodCalls();
    pods.state.restore([record(1)], null);
    assert.throws(
      () => pods.state.restore([], { version: 1, value }),
      (error) => error instanceof YoiError && error.code === "log_damaged",
    );
    assert.deepEqual(pods.state.snapshot(), { cursors: [mark("a", 1)] });
  });
}

test("a model whose history was compacted is told of its children: what they were lent and asked, not of those that were stopped", async () => {
  const live = new PodCalls();
  assert.equal(live.state.describe?.(), null);
  const spawn = (name: string, rules: number) =>
    live.call("SpawnPod", {
      name,
      task: `Build ${name}\nand test it`,
      scope: Array.from({ length: rules }, (_, at) => ({ ...writes(`/w/${name}/${at}`) })),
    });
  await spawn("a", 1);
  await spawn("b", 6);
  await spawn("c", 1);
  await live.call("SendToPod", { name: "a", message: "Hurry" });
  await live.call("StopPod", { name: "c" });
  await live.call("SendToPod", { name: "nobody", message: "?" });
  const told = [
    "Pods that you started and did not stop (ListPods says what they do now):",
    "- a, lent write /w/a/0. Asked: Build a\\u000aand test it Told last: Hurry",
    "- b, lent write /w/b/0, write /w/b/1, write /w/b/2, write /w/b/3, 2 more. Asked: Build b\\u000aand test it",
  ].join("\n");
  assert.equal(live.state.describe?.(), told);
  const replayed = new PodCalls();
  replayed.state.restore(live.records, null);
  const folded = new PodCalls();
  folded.state.restore([], { version: 1, value: live.state.snapshot() });
  assert.deepEqual([replayed.state.describe?.(), folded.state.describe?.()], [told, told]);
});

test("as many children are known, and as many told, as have room; all of them beside all cursors fit into a snapshot", () => {
  const children = new KnownChildren();
  const cursors = new OutputCursors();
  const long = "\\".repeat(1_000);
  const scope = Array.from({ length: 64 }, () => ({ ...writes(`/${long}`) }));
  for (let index = 0; index <= childrenKnownMax; index += 1) {
    const name = String(index).padStart(64, "c");
    children.heard("SpawnPod", { name, task: long, scope });
    children.heard("SendToPod", { name, message: long });
  }
  for (let index = 0; index < cursorsMax; index += 1)
    cursors.keep({
      name: String(index).padStart(64, "p"),
      cursor: { segment, seq: Number.MAX_SAFE_INTEGER },
    });
  assert.equal(children.list().length, childrenKnownMax);
  assert.ok(utf8Length(JSON.stringify(podsState(cursors, children).snapshot())) <= 256 * 1024);
  const told = children.describe(2_000) ?? "";
  assert.ok(utf8Length(told) <= 2_000 && told.endsWith("(and 15 more)"), told);
});
