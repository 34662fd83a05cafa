/** The state: what a restored session knows of its tasks, from records and a typed snapshot and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type JsonObject, type JsonValue, YoiError } from "@yoi/base";
import type { ToolRecord } from "@yoi/feature";
import { outputOf, Tasks } from "./support.ts";

const task = (taskid: number, more: JsonObject = {}) => ({
  taskid,
  status: "pending",
  subject: `s${taskid}`,
  description: "",
  ...more,
});

function record(index: number, more: Partial<ToolRecord> = {}): ToolRecord {
  return {
    call: callId(index, 0),
    tool: "TaskCreate",
    arguments: { subject: "from the arguments", description: "" },
    isError: false,
    summary: `created task ${index} (pending)`,
    content: JSON.stringify({ task: task(77), snapshot: { tasks: [task(77)] } }),
    record: { task: task(index) },
    ...more,
  };
}

test("A0-43, F-21: the tasks come back from typed records, without an item, a log or a Pod", async () => {
  const live = new Tasks();
  await live.call("TaskCreate", { subject: "a", description: "one" });
  await live.call("TaskCreate", { subject: "b", description: "two" });
  await live.call("TaskUpdate", { taskid: 1, status: "inprogress" });
  await live.call("TaskUpdate", { taskid: 9, status: "completed" });
  await live.call("TaskList", {});
  await live.call("TaskUpdate", { taskid: 2, status: "deleted" });
  const restored = new Tasks();
  restored.state.restore(live.records, null);
  assert.deepEqual(restored.state.snapshot(), live.state.snapshot());
  assert.equal(restored.store.create("c", "").taskid, 3);
});

test("A0-27: going back changes the store that is there, and a tool that was installed before works on it", async () => {
  const tasks = new Tasks();
  const [create, list] = [tasks.tool("TaskCreate"), tasks.tool("TaskList")];
  await tasks.call("TaskCreate", { subject: "kept", description: "" });
  await tasks.call("TaskCreate", { subject: "lost", description: "" });
  await tasks.call("TaskUpdate", { taskid: 1, status: "completed" });
  tasks.state.restore(tasks.records.slice(0, 1), null);
  assert.deepEqual(tasks.store.list(), [task(1, { subject: "kept" })]);
  assert.match((await outputOf(list, {})).summary, /^Tasks: 1 total, 1 pending/);
  const next = await outputOf(create, { subject: "again", description: "" });
  assert.match(next.summary, /^created task 2 \(pending\)/);
  assert.deepEqual(
    tasks.store.list().map(({ subject }) => subject),
    ["kept", "again"],
  );
});

test("going back sets the reminder's counts back too, as a restart does", async () => {
  const tasks = new Tasks();
  await tasks.call("TaskCreate", { subject: "a", description: "" });
  assert.deepEqual(tasks.remindedAt(30), [24]);
  tasks.state.restore(tasks.records, null);
  assert.deepEqual(tasks.remindedAt(50), [24, 48]);
});

const ignored: readonly [what: string, record: Partial<ToolRecord>][] = [
  ["failed", { isError: true }],
  ["has no record", { record: {} }],
  ["has another record", { record: { file: "a" } }],
  ["has a record without an id", { record: { task: { ...task(5), taskid: null } } }],
  ["has an id that is none", { record: { task: task(0) } }],
  ["has a status that is none", { record: { task: task(5, { status: "done" }) } }],
  ["has no subject", { record: { task: task(5, { subject: 1 }) } }],
  ["has an array for a task", { record: { task: [] } }],
];
for (const [what, more] of ignored) {
  test(`a call that ${what} leaves nothing: neither its arguments nor its texts are read`, () => {
    const tasks = new Tasks();
    tasks.state.restore([record(1), record(2, more)], null);
    assert.deepEqual(tasks.state.snapshot(), { tasks: [task(1)], next_id: 2 });
  });
}

test("a result without a record leaves nothing", () => {
  const tasks = new Tasks();
  const { record: _dropped, ...bare } = record(1);
  tasks.state.restore([bare], null);
  assert.deepEqual(tasks.state.snapshot(), { tasks: [], next_id: 1 });
});

test("records go on top of a snapshot, and the next id is the greater of both", () => {
  const tasks = new Tasks();
  const value = { tasks: [task(1), task(3, { status: "deleted" })], next_id: 7 };
  tasks.state.restore([], { version: 1, value });
  assert.deepEqual(tasks.state.snapshot(), value);
  tasks.state.restore([record(3)], { version: 1, value });
  assert.deepEqual(tasks.state.snapshot(), { tasks: [task(1), task(3)], next_id: 7 });
  tasks.state.restore([record(9)], { version: 1, value });
  assert.equal(tasks.store.create("next", "").taskid, 10);
});

test("the next id outlives the deletion of the highest one", async () => {
  const tasks = new Tasks();
  await tasks.call("TaskCreate", { subject: "a", description: "" });
  await tasks.call("TaskUpdate", { taskid: 1, status: "deleted" });
  const again = new Tasks();
  again.state.restore([], { version: 1, value: tasks.state.snapshot() });
  assert.equal(again.store.create("b", "").taskid, 2);
});

test("a snapshot of a newer version is refused, and says what reads it", () => {
  const tasks = new Tasks();
  assert.throws(
    () => tasks.state.restore([], { version: 2, value: { tasks: [], next_id: 1 } }),
    (error) => error instanceof YoiError && error.code === "schema_newer" && /newer yoi/.test(error.message),
  );
});

const damaged: readonly JsonValue[] = [
  null,
  [],
  "tasks",
  {},
  { tasks: [] },
  { tasks: {}, next_id: 1 },
  { tasks: [], next_id: 0 },
  { tasks: [], next_id: 1.5 },
  { tasks: [task(1)], next_id: 1 },
  { tasks: [task(1), { ...task(2), status: "x" }], next_id: 3 },
];
for (const value of damaged) {
  test(`the snapshot ${JSON.stringify(value)} is refused, and the store stays as it was`, async () => {
    const tasks = new Tasks();
    await tasks.call("TaskCreate", { subject: "a", description: "" });
    const before = tasks.state.snapshot();
    assert.throws(
      () => tasks.state.restore([], { version: 1, value }),
      (error) => error instanceof YoiError && error.code === "log_damaged",
    );
    assert.deepEqual(tasks.state.snapshot(), before);
  });
}

test("an older version than the first one is refused too", () => {
  const tasks = new Tasks();
  assert.throws(() => tasks.state.restore([], { version: 0, value: { tasks: [], next_id: 1 } }));
});
