/** The four tools: what the model is told of them, what they take and what they give. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { descriptionBytesMax, subjectCharsMax } from "../../src/task/task.ts";
import { parseChange, parseListing, parseOverview } from "./parse-output.ts";
import { Tasks } from "./support.ts";

const golden: unknown = JSON.parse(readFileSync(new URL("golden/tools.json", import.meta.url), "utf8"));

/** Calls in this order, each on what the ones before it left. */
const calls: readonly (readonly [tool: string, args: JsonObject])[] = [
  ["TaskList", {}],
  ["TaskCreate", { subject: "Read the log", description: "All of it.\nTwice." }],
  ["TaskCreate", { subject: "Fix it", description: "" }],
  ["TaskUpdate", { taskid: 1, status: "inprogress" }],
  ["TaskUpdate", { taskid: 2, status: "deleted", subject: null, description: "not needed" }],
  ["TaskGet", { taskid: 1 }],
  ["TaskList", {}],
  ["TaskUpdate", { taskid: 3, status: "completed" }],
];

// The names, the order and the forms are a contract: whoever changes the golden file changes what models and programs rely on.
test("A0-24, A0-31: names, order, schemas, descriptions and outputs of the Task tools are the golden ones", async () => {
  const tasks = new Tasks();
  const outputs = [];
  for (const [tool, args] of calls) outputs.push({ tool, args, output: await tasks.call(tool, args) });
  const tools = tasks.tools.map(({ definition, readOnly }) => ({ ...definition, read_only: readOnly }));
  assert.deepEqual(JSON.parse(JSON.stringify({ tools, outputs })), golden);
});

test("A0-32: overview, listing and changes can be parsed as a program parses them, whatever the texts hold", async () => {
  const tasks = new Tasks();
  const texts = ["plain", "```\n```json\n{}", '"},{"taskid":9', "Tasks: 9 total", "\u2028\u0000", "a\n\nb"];
  for (const text of texts) {
    const { summary, content = "" } = await tasks.call("TaskCreate", { subject: text, description: text });
    const [created = "", overview = "", ...rest] = summary.split("\n");
    const all = tasks.store.list();
    assert.match(created, /^created task \d+ \(pending\)$/);
    assert.deepEqual(rest, []);
    assert.equal(parseOverview(overview).total, all.length);
    assert.deepEqual(parseChange(content), { task: all.at(-1), tasks: all });
  }
  await tasks.call("TaskUpdate", { taskid: 1, status: "completed" });
  await tasks.call("TaskUpdate", { taskid: 2, status: "deleted" });
  const { summary, content = "" } = await tasks.call("TaskList", {});
  const counts = { total: 6, pending: 4, inprogress: 0, completed: 1, deleted: 1 };
  assert.deepEqual(parseOverview(summary), counts);
  assert.deepEqual(parseListing(content), { overview: counts, tasks: tasks.store.list() });
  for (const { taskid, status } of tasks.store.list()) {
    const one = await tasks.call("TaskGet", { taskid });
    assert.ok(one.summary.startsWith(`taskid ${taskid} (${status}) `) && !one.summary.includes("\n"));
    assert.deepEqual(JSON.parse(one.content ?? ""), tasks.store.get(taskid));
  }
});

const long = "a".repeat(subjectCharsMax + 1);
const large = "a".repeat(descriptionBytesMax + 1);
const refusals: readonly [tool: string, args: JsonObject, sentence: string][] = [
  ["TaskCreate", {}, 'The argument "subject" of TaskCreate is missing.'],
  ["TaskCreate", { subject: "a" }, 'The argument "description" of TaskCreate is missing.'],
  [
    "TaskCreate",
    { subject: null, description: "" },
    'The argument "subject" of TaskCreate must be a string.',
  ],
  [
    "TaskCreate",
    { subject: "a", description: 1 },
    'The argument "description" of TaskCreate must be a string.',
  ],
  [
    "TaskCreate",
    { subject: " \n", description: "" },
    'The argument "subject" of TaskCreate is empty: say in a line what is to be done.',
  ],
  [
    "TaskCreate",
    { subject: long, description: "" },
    'The argument "subject" of TaskCreate has 501 characters: at most 500 are kept.',
  ],
  [
    "TaskCreate",
    { subject: "a", description: large },
    'The argument "description" of TaskCreate is 8193 bytes as JSON: at most 8192 are kept.',
  ],
  [
    "TaskCreate",
    { subject: "a", description: "", status: "completed" },
    'TaskCreate has no argument "status": it takes subject, description.',
  ],
  [
    "TaskCreate",
    JSON.parse('{"subject":"a","description":"","__proto__":{}}') as JsonObject,
    'TaskCreate has no argument "__proto__": it takes subject, description.',
  ],
  ["TaskUpdate", { status: "completed" }, 'The argument "taskid" of TaskUpdate is missing.'],
  [
    "TaskUpdate",
    { taskid: "1", status: "completed" },
    'The argument "taskid" of TaskUpdate must be a whole number, 1 or more.',
  ],
  [
    "TaskUpdate",
    { taskid: 1.5, status: "completed" },
    'The argument "taskid" of TaskUpdate must be a whole number, 1 or more.',
  ],
  ["TaskGet", { taskid: -1 }, 'The argument "taskid" of TaskGet must be a whole number, 1 or more.'],
  ["TaskGet", { taskid: 2 ** 53 }, 'The argument "taskid" of TaskGet must be a whole number, 1 or more.'],
  ["TaskGet", { taskid: 2 }, "There is no task 2: TaskList shows the tasks that there are."],
  ["TaskGet", { taskid: 0 }, 'The argument "taskid" of TaskGet must be a whole number, 1 or more.'],
  [
    "TaskUpdate",
    { taskid: 1 },
    "TaskUpdate was given nothing to change: send status, subject or description.",
  ],
  [
    "TaskUpdate",
    { taskid: 1, status: null, subject: null, description: null },
    "TaskUpdate was given nothing to change: send status, subject or description.",
  ],
  [
    "TaskUpdate",
    { taskid: 1, status: "done" },
    'The argument "status" of TaskUpdate must be one of pending, inprogress, completed, deleted.',
  ],
  [
    "TaskUpdate",
    { taskid: 1, status: "Completed", subject: "b" },
    'The argument "status" of TaskUpdate must be one of pending, inprogress, completed, deleted.',
  ],
  [
    "TaskUpdate",
    { taskid: 2, status: "completed" },
    "There is no task 2: TaskList shows the tasks that there are.",
  ],
  [
    "TaskUpdate",
    { taskid: 1, subject: long },
    'The argument "subject" of TaskUpdate has 501 characters: at most 500 are kept.',
  ],
  ["TaskList", { all: true }, 'TaskList has no argument "all": it takes nothing.'],
];
for (const [tool, args, sentence] of refusals) {
  test(`${tool} ${JSON.stringify(args).slice(0, 60)} is one error that says what to do, and changes nothing`, async () => {
    const tasks = new Tasks();
    await tasks.call("TaskCreate", { subject: "a", description: "" });
    const before = tasks.state.snapshot();
    assert.deepEqual(await tasks.call(tool, args), { summary: sentence, is_error: true });
    assert.deepEqual(tasks.state.snapshot(), before);
  });
}

test("a subject of 500 characters and a description of 8 KiB as JSON are taken, whatever their characters", async () => {
  const tasks = new Tasks();
  const subject = "😀".repeat(subjectCharsMax);
  for (const description of [
    "a".repeat(descriptionBytesMax),
    "\n".repeat(descriptionBytesMax / 2),
    "é".repeat(descriptionBytesMax / 2),
  ]) {
    assert.equal((await tasks.call("TaskCreate", { subject, description })).is_error, undefined);
    assert.equal(tasks.store.list().at(-1)?.description, description);
  }
  const over = await tasks.call("TaskCreate", { subject, description: `${"\n".repeat(4096)}a` });
  assert.match(over.summary, /is 8193 bytes as JSON/);
});

test("half a character in a text is replaced: what is stored can be written anywhere", async () => {
  const tasks = new Tasks();
  await tasks.call("TaskCreate", { subject: "a\ud800", description: "\udc00b" });
  assert.deepEqual(tasks.store.get(1), {
    taskid: 1,
    status: "pending",
    subject: "a\ufffd",
    description: "\ufffdb",
  });
});
