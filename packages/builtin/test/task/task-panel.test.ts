/** The tasks as a panel: rows, marks, and what is left out where there are too many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { panelRowsMax } from "@yoi/base";
import type { Task, TaskStatus } from "../../src/task/task.ts";
import { taskPanel } from "../../src/task/task-panel.ts";

const taskOf = (taskid: number, status: TaskStatus, subject = `task ${taskid}`): Task => ({
  taskid,
  status,
  subject,
  description: "",
});

test("a row a task, in the order of TaskList, without those that were deleted", () => {
  const tasks = [
    taskOf(1, "completed"),
    taskOf(2, "inprogress", "two\nlines"),
    taskOf(3, "deleted"),
    taskOf(4, "pending"),
  ];
  assert.deepEqual(taskPanel(tasks), {
    title: "Tasks 1 of 3 done",
    rows: [
      { mark: "done", text: "task 1" },
      { mark: "doing", text: "two\\u000alines" },
      { mark: "todo", text: "task 4" },
    ],
  });
  assert.equal(taskPanel([]), null);
  assert.equal(taskPanel([taskOf(1, "deleted")]), null);
});

test("of more than a panel has rows the oldest that are over are left out first, then the newest", () => {
  const many = (count: number, status: TaskStatus) =>
    Array.from({ length: count }, (_, index) => taskOf(index + 1, status));
  assert.equal(taskPanel(many(panelRowsMax, "pending"))?.rows.length, panelRowsMax);
  const over = taskPanel(many(panelRowsMax + 1, "pending"));
  assert.equal(over?.rows.length, panelRowsMax);
  assert.deepEqual(over?.rows.slice(-2), [
    { mark: "todo", text: `task ${panelRowsMax - 1}` },
    { mark: "note", text: "2 more: TaskList has all" },
  ]);
  const half = many(panelRowsMax + 2, "pending").map((task) =>
    task.taskid <= 10 ? { ...task, status: "completed" as const } : task,
  );
  const shown = taskPanel(half);
  assert.equal(shown?.title, `Tasks 10 of ${panelRowsMax + 2} done`);
  assert.deepEqual(
    [shown?.rows.length, shown?.rows[0]?.text, shown?.rows.at(-1)?.text],
    [panelRowsMax, "task 4", "3 more: TaskList has all"],
  );
});
