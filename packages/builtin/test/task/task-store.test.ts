/** The store: its operations, and its limits at n and n+1. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8Length, YoiError } from "@yoi/base";
import { taskState } from "../../src/task/task-state.ts";
import { TaskReminder } from "../../src/task/task-reminder.ts";
import { TaskStore } from "../../src/task/task-store.ts";
import {
  descriptionBytesMax,
  subjectCharsMax,
  taskBytes,
  tasksBytesMax,
  tasksMax,
  taskStatuses,
} from "../../src/task/task.ts";

const refused = (code: string, part: RegExp) => (error: unknown) =>
  error instanceof YoiError && error.code === code && part.test(error.message);

test("ids count from 1 in order of creation, also past a deleted one", () => {
  const store = new TaskStore();
  assert.equal(store.create("a", "").taskid, 1);
  assert.equal(store.create("b", "").taskid, 2);
  store.update(2, { status: "deleted" });
  assert.deepEqual(store.create("c", ""), {
    taskid: 3,
    status: "pending",
    subject: "c",
    description: "",
  });
  assert.deepEqual(
    store.list().map(({ taskid, status }) => [taskid, status]),
    [
      [1, "pending"],
      [2, "deleted"],
      [3, "pending"],
    ],
  );
});

test("any status may follow any", () => {
  const store = new TaskStore();
  store.create("a", "");
  for (const from of taskStatuses) {
    for (const to of taskStatuses) {
      store.update(1, { status: from });
      assert.equal(store.update(1, { status: to }).status, to);
    }
  }
});

test("a change touches the fields it names and no others", () => {
  const store = new TaskStore();
  const first = store.create("a", "b");
  assert.deepEqual(store.update(1, { subject: "c" }), { ...first, subject: "c" });
  assert.deepEqual(store.update(1, { description: "" }), { ...first, subject: "c", description: "" });
  assert.throws(() => store.update(2, { subject: "x" }), refused("usage", /no task 2/));
  assert.throws(() => store.get(0), refused("usage", /no task 0/));
});

test("what is handed out cannot change the store", () => {
  const store = new TaskStore();
  const task = store.create("a", "");
  assert.ok(Object.isFrozen(task));
  (store.list() as unknown[]).length = 0;
  assert.equal(store.list().length, 1);
});

test(`a session keeps ${tasksMax} tasks, deleted ones among them, and refuses the next`, () => {
  const store = new TaskStore();
  for (let n = 1; n <= tasksMax; n += 1) store.create("a", "");
  store.update(1, { status: "deleted" });
  assert.throws(() => store.create("a", ""), refused("limit_exceeded", /1000 tasks.*TaskUpdate/));
  assert.equal(store.list().length, tasksMax);
  assert.equal(store.update(1, { status: "pending", subject: "again" }).subject, "again");
});

test("the texts of all tasks are bounded together, so that the list fits into a snapshot; a status always has room", () => {
  const store = new TaskStore();
  const full = { subject: "a", description: "\n".repeat(descriptionBytesMax / 2) };
  let room = tasksBytesMax;
  for (; room >= taskBytes(full); room -= taskBytes(full)) store.create(full.subject, full.description);
  const rest = "x".repeat(room - taskBytes({ subject: "a", description: "" }));
  assert.throws(() => store.create("a", `${rest}x`), refused("limit_exceeded", /261121 bytes.*261120/));
  const last = store.create("a", rest);
  assert.throws(() => store.update(last.taskid, { subject: "ab" }), refused("limit_exceeded", /write less/));
  for (const { taskid } of store.list()) store.update(taskid, { status: "inprogress" });
  const snapshot = JSON.stringify(taskState(store, new TaskReminder(store)).snapshot());
  assert.ok(utf8Length(snapshot) <= 256 * 1024, `${utf8Length(snapshot)} bytes`);
  store.update(1, { description: "" });
  assert.equal(store.update(last.taskid, { subject: "ab" }).subject, "ab");
});

test("as many tasks as there may be, each as wide as its fields can be, fit into a snapshot too", () => {
  const store = new TaskStore();
  const each = Math.floor(tasksBytesMax / tasksMax) - taskBytes({ subject: "", description: "" });
  for (let n = 1; n <= tasksMax; n += 1) store.create("x".repeat(each), "");
  for (const { taskid } of store.list()) store.update(taskid, { status: "inprogress" });
  const snapshot = JSON.stringify(taskState(store, new TaskReminder(store)).snapshot());
  assert.ok(utf8Length(snapshot) <= 256 * 1024, `${utf8Length(snapshot)} bytes`);
});

test("the record of the largest task there can be is within what a result may keep", () => {
  const worst = ["\u0000", '"', "\n", "😀", "é", "\ufffd"];
  for (const character of worst) {
    const inJson = utf8Length(JSON.stringify(character)) - 2;
    const task = {
      taskid: tasksMax,
      status: "inprogress",
      subject: character.repeat(subjectCharsMax),
      description: character.repeat(Math.floor(descriptionBytesMax / inJson)),
    };
    assert.ok(utf8Length(JSON.stringify({ task })) <= 16 * 1024, JSON.stringify(character));
  }
});
