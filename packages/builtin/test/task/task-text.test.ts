/** How much of the list a result shows: all of it while it is small, and of a large one what matters, within a bound and with what is left out said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8Length } from "@yoi/base";
import {
  changeListBytesMax,
  describeTasks,
  listing,
  listingBytesMax,
  overviewOf,
  prettyChange,
} from "../../src/task/task-text.ts";
import type { Task, TaskStatus } from "../../src/task/task.ts";
import { parseChange, parseListing } from "./parse-output.ts";
import { Tasks } from "./support.ts";

function task(taskid: number, status: TaskStatus = "pending", description = ""): Task {
  return { taskid, status, subject: `subject ${taskid}`, description };
}
const bytesOf = (value: object) => utf8Length(JSON.stringify(value, null, 2));
const idsOf = (tasks: readonly { readonly taskid: number }[]) => tasks.map(({ taskid }) => taskid);
const brief = ({ taskid, status, subject }: Task) => ({ taskid, status, subject });

/** Two tasks, of which the first is described at such a length that `bytes` of them is `size`. */
function tasksOf(size: number, bytes: (tasks: readonly Task[]) => number): readonly Task[] {
  const room = size - bytes([task(1), task(2, "completed")]);
  const tasks = [task(1, "pending", "d".repeat(room)), task(2, "completed")];
  assert.equal(bytes(tasks), size);
  return tasks;
}

test(`a change shows all tasks up to ${changeListBytesMax} bytes, and beyond them the open ones in short`, () => {
  const changed = task(9, "pending", "x".repeat(8_000));
  const listBytes = (tasks: readonly Task[]) => bytesOf({ tasks });
  const whole = tasksOf(changeListBytesMax, listBytes);
  assert.deepEqual(JSON.parse(prettyChange(changed, whole)), { task: changed, snapshot: { tasks: whole } });
  const over = tasksOf(changeListBytesMax + 1, listBytes);
  assert.deepEqual(JSON.parse(prettyChange(changed, over)), {
    task: changed,
    snapshot: { tasks: [brief(task(1))], left_out: 1 },
  });
});

test("a change in a long list shows the newest open ones, and as many as fit", () => {
  const tasks = Array.from({ length: 400 }, (_, index) =>
    task(index + 1, index % 3 === 0 ? "completed" : "pending"),
  );
  const content = prettyChange(task(1), tasks);
  const { tasks: shown, leftOut } = parseChange(content);
  const open = idsOf(tasks.filter(({ status }) => status === "pending")).toReversed();
  assert.ok(shown.length > 20);
  assert.deepEqual(idsOf(shown), open.slice(0, shown.length));
  assert.equal(leftOut, tasks.length - shown.length);
  const list = (count: number) => ({
    tasks: open.slice(0, count).map((id) => brief(task(id))),
    left_out: tasks.length - count,
  });
  assert.ok(bytesOf(list(shown.length)) <= changeListBytesMax);
  assert.ok(bytesOf(list(shown.length + 1)) > changeListBytesMax);
});

test(`TaskList shows all up to ${listingBytesMax} bytes, and beyond them the open ones first, saying how many are missing`, () => {
  const contentBytes = (tasks: readonly Task[]) =>
    utf8Length(`${overviewOf(tasks)}\n\n\`\`\`json\n${JSON.stringify({ tasks }, null, 2)}\n\`\`\``);
  const whole = tasksOf(listingBytesMax, contentBytes);
  const { summary, content } = listing(whole);
  assert.equal(utf8Length(content), listingBytesMax);
  assert.deepEqual([summary, parseListing(content).tasks], [overviewOf(whole), whole]);
  const over = [task(3, "completed"), ...tasksOf(listingBytesMax - 200, contentBytes), task(4, "deleted")];
  assert.ok(contentBytes(over) > listingBytesMax);
  const bounded = listing(over);
  const parsed = parseListing(bounded.content);
  assert.deepEqual([parsed.overview.total, idsOf(parsed.tasks), parsed.leftOut], [4, [1, 3, 2], 1]);
  assert.equal(
    bounded.summary,
    `${overviewOf(over)}\n1 more is left out of the list: TaskGet shows each by its id.`,
  );
  const one = listing(tasksOf(listingBytesMax + 1, contentBytes));
  assert.deepEqual([idsOf(parseListing(one.content).tasks), parseListing(one.content).leftOut], [[1], 1]);
});

test("the largest list there can be: every result is within its bound, and the call takes no time", async () => {
  const tasks = new Tasks();
  for (let n = 0; n < 1_000; n += 1) tasks.store.create(`s${n}`, "");
  const began = performance.now();
  const change = await tasks.call("TaskUpdate", { taskid: 1, status: "completed" });
  const list = await tasks.call("TaskList", {});
  assert.ok(performance.now() - began < 2_000);
  assert.ok(utf8Length(change.content ?? "") < changeListBytesMax + 1_000);
  const parsed = parseListing(list.content ?? "");
  assert.ok(utf8Length(list.content ?? "") <= listingBytesMax);
  assert.equal(parsed.overview.total, 1_000);
  assert.equal(parsed.tasks.length + (parsed.leftOut ?? 0), 1_000);
  assert.equal(parsed.tasks[0]?.taskid, 2);
});

test("the whole of a session's calls stays far below their number times the list", async () => {
  const tasks = new Tasks();
  let bytes = 0;
  for (let n = 0; n < 100; n += 1) {
    const { content = "" } = await tasks.call("TaskCreate", {
      subject: `s${n}`,
      description: "d".repeat(200),
    });
    bytes += utf8Length(content);
  }
  assert.ok(bytes < 100 * (changeListBytesMax + 1_000), `${bytes} bytes`);
});

test("a model whose history was compacted is told of the open tasks: those at work first, shorter where there is no room, never of deleted ones", () => {
  assert.equal(describeTasks([], 1_000), null);
  const tasks = [
    task(1, "completed", "done"),
    task(2, "pending", "write it\nwell"),
    task(3, "deleted", "gone"),
    task(4, "inprogress"),
  ];
  const head =
    "Tasks: 4 total, 1 pending, 1 inprogress, 1 completed, 1 deleted. TaskGet shows one whole, TaskList all.";
  const lines = [head, "taskid 4 (inprogress) subject 4", "taskid 2 (pending) subject 2"];
  const whole = [...lines, "  write it\\u000awell"].join("\n");
  assert.equal(describeTasks(tasks, utf8Length(whole)), whole);
  assert.equal(describeTasks(tasks, utf8Length(whole) - 1), lines.join("\n"));
  const many = Array.from({ length: 500 }, (_, at) => task(at + 1, at === 499 ? "inprogress" : "pending"));
  const told = describeTasks(many, 2_000) ?? "";
  const told500 = told.split("\n");
  assert.ok(utf8Length(told) <= 2_000, told);
  assert.equal(told500[1], "taskid 500 (inprogress) subject 500");
  assert.equal(told500.at(-1), `(${500 - (told500.length - 2)} more open ones: TaskList shows them)`);
});
