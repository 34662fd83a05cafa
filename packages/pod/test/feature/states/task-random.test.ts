/** Random sessions of Task calls: whatever becomes of each, what is restored is what the model was told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedItem, JsonObject } from "@yoi/base";
import fc from "fast-check";
import { LogHistory } from "../../../../worker/test/support/log-history.ts";
import { beginLife, createCall as create, restoredTasks, scenarioOf as steps, tasksIn } from "./task-life.ts";

const anyCall = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "\u0000\n", "😀").map((subject) => create(subject)) },
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constant("TaskUpdate"),
      arguments: fc.record(
        {
          taskid: fc.nat({ max: 6 }),
          status: fc.constantFrom("pending", "inprogress", "completed", "deleted", null, "done"),
          subject: fc.constantFrom("new", "", null),
          description: fc.constantFrom("more", null, 1),
        },
        { requiredKeys: ["taskid"] },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<object>(
      create("denied", "deny"),
      { name: "TaskGet", arguments: { taskid: 1 } },
      { name: "TaskList", arguments: {} },
      { name: "TaskCreate", arguments: "{bad" },
      { name: "TaskCreate", arguments: { subject: "a" } },
      { name: "Nothing", arguments: {} },
    ),
  },
);
const session = fc.record({
  steps: fc.array(fc.array(anyCall, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
  parallelCallsMax: fc.constantFrom(1, 3, 8),
  /** The append, from 1, at which the process dies, or the run is cancelled. */
  end: fc.record({ how: fc.constantFrom("none", "death", "cancel"), at: fc.integer({ min: 1, max: 30 }) }),
});

class Died extends Error {}

/** What the model was told of each task: the last content of a result that is no error and shows one. */
function toldOf(items: readonly CommittedItem[]): ReadonlyMap<unknown, unknown> {
  const told = new Map<unknown, unknown>();
  for (const { item } of items) {
    if (item.type !== "tool_result" || item.is_error || item.content === undefined) continue;
    if (item.name !== "TaskCreate" && item.name !== "TaskUpdate") continue;
    const { task } = JSON.parse(item.content) as { task: { taskid: number } };
    told.set(task.taskid, task);
  }
  return told;
}

/** Returns how many tasks there are. */
function assertTold(restored: JsonObject, items: readonly CommittedItem[]): number {
  const told = [...toldOf(items)].sort(([a], [b]) => Number(a) - Number(b)).map(([, task]) => task);
  assert.deepEqual(tasksIn(restored), told);
  return told.length;
}

test("random calls, valid, refused, denied, parallel, with a death or a cancel anywhere: what is restored from every prefix of the log is what the model was told by then, and what the store held; seed 24, 60 sessions", async () => {
  let compared = 0;
  let held = 0;
  await fc.assert(
    fc.asyncProperty(session, async ({ steps: answers, parallelCallsMax, end }) => {
      const history = new LogHistory();
      const life = await beginLife({
        history,
        parallelCallsMax,
        scenario: steps(...answers.map((calls) => ({ tool_calls: calls }))),
        rule: ({ arguments: { description } }) =>
          description === "deny"
            ? { action: "deny", message: "No.", refusal: "denied" }
            : { action: "continue" },
      });
      const stored: { readonly items: number; readonly tasks: object }[] = [];
      const controller = new AbortController();
      let appends = 0;
      history.onAppend = () => {
        // Nothing runs: what the log says and what the store holds is the same then.
        if (!history.unanswered.some(({ started }) => started)) {
          stored.push({ items: history.items.length, tasks: life.tasks() });
        }
        appends += 1;
        if (appends !== end.at) return;
        if (end.how === "cancel") controller.abort();
        if (end.how === "death") throw new Died();
      };
      await life.run("go", { signal: controller.signal }).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
      });
      for (let length = 0; length <= history.items.length; length += 1) {
        const items = history.items.slice(0, length);
        const restored = await restoredTasks(items);
        held += assertTold(restored, items);
        compared += 1;
        for (const one of stored) if (one.items === length) assert.deepEqual(one.tasks, restored);
      }
    }),
    { seed: 24, numRuns: 60 },
  );
  assert.ok(compared > 500 && held > 500, `${compared} prefixes with ${held} tasks were compared`);
});

test("control: a result that lost its record, and one that is taken for another's, are noticed", async () => {
  const history = new LogHistory();
  const life = await beginLife({ history, scenario: steps({ tool_calls: [create("a"), create("b")] }) });
  await life.run("go");
  const { items } = history;
  assert.equal(assertTold(await restoredTasks(items), items), 2);
  const changed = (change: object) =>
    items.map(({ seq, item }) => {
      const isSecond = item.type === "tool_result" && item.summary.startsWith("created task 2");
      return { seq, item: isSecond ? { ...item, ...change } : item };
    });
  for (const change of [{ record: {} }, { is_error: true }, { name: "Read" }]) {
    const restored = await restoredTasks(changed(change));
    assert.throws(() => assertTold(restored, items), assert.AssertionError, JSON.stringify(change));
  }
});
