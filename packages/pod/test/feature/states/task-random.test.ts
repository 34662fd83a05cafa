/** Random sessions of Task calls: whatever becomes of each, what is restored is what the model was told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommittedItem, type JsonObject, YoiError } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import { replay, type SessionStore } from "@yoi/session-store";
import fc from "fast-check";
import { overriding } from "../../../../../test/support/overriding.ts";
import { openSimulated, simulatedPod, simulatedStores } from "../../../../../test/support/simulated-pod.ts";
import { taskFeature } from "../../../../builtin/src/index.ts";
import { seededRandom } from "../../../../host/src/memory/seeded-random.ts";
import { LogHistory } from "../../../../worker/test/support/log-history.ts";
import { readActive, type RunReport } from "../../../src/index.ts";
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

const lives = 25;
const doings = 40;

test(`random lives of a Pod, with two who ask, notices, stops, times that are up and a full disk: what the store holds is what the log says, and no id is given twice (seeds 1 to ${lives})`, async () => {
  let compared = 0;
  let vain = 0;
  for (let seed = 1; seed <= lives; seed += 1) {
    const random = seededRandom(seed);
    const host = memoryHost({ seed });
    const leases = new Map();
    const feature = taskFeature();
    const step = () =>
      random.below(3) === 0
        ? { text: "t", delay_ms: random.below(50) }
        : {
            delay_ms: random.below(30),
            tool_calls: Array.from({ length: 1 + random.below(3) }, () =>
              random.below(4) === 0
                ? { name: "TaskUpdate", arguments: { taskid: 1 + random.below(4), status: "completed" } }
                : create("s"),
            ),
          };
    const opening = openSimulated({
      host,
      leases,
      scenario: JSON.stringify({ steps: Array.from({ length: 200 }, step) }),
      tools: [],
      features: [feature],
      wrapSessions: (sessions) => slowly(sessions, () => host.timers.sleep(random.below(4))),
    });
    await host.advance(1_000);
    const pod = await opening;
    /** Whether it came on record; an input that was refused did not. */
    const asked: Promise<boolean>[] = [];
    const ask = (run: Promise<RunReport>) =>
      asked.push(
        run.then(
          ({ accepted }) => accepted,
          (error: unknown) => {
            assert.ok(error instanceof YoiError, `seed ${seed}: ${String(error)}`);
            return false;
          },
        ),
      );
    const input = (text: string) =>
      pod.submit([{ type: "text", text }], {
        timeoutMs: random.below(2) === 0 ? null : 1 + random.below(60),
      });
    const acts = [
      () => ask(input("one")),
      () => ask(input("two")),
      // Both at once: one of them is in vain.
      () => [ask(input("one")), ask(input("two"))],
      () => ask(input(" ")),
      () => ask(pod.resume()),
      () => pod.cancel(),
      () => pod.pause(),
      () => void pod.notify({ source: "host", message: "news" }).catch(() => {}),
      () => void pod.notify({ source: "host", message: "news" }).catch(() => {}),
      () => {
        host.disk.plan = ({ kind, path }) =>
          kind === "write" && path.includes("sessions") && random.below(3) === 0 ? "ENOSPC" : "pass";
      },
    ];
    for (let nth = 0; nth < doings; nth += 1) {
      acts[random.below(acts.length)]?.();
      await host.advance(random.below(40));
      host.disk.plan = noFaults;
    }
    await host.advance(200_000);
    vain += (await Promise.all(asked)).filter((accepted) => !accepted).length;
    const { view } = await readActive(simulatedStores(host, leases), simulatedPod);
    const { items } = replay(view.entries);
    const live = feature.state?.snapshot() ?? assert.fail();
    const restored = await restoredTasks(items);
    assert.deepEqual(live, (restored["yoi.tasks"] as { value: unknown }).value, `seed ${seed}`);
    const ids = items.flatMap(({ item }) => {
      if (item.type !== "tool_result" || item.name !== "TaskCreate" || item.is_error) return [];
      const { task } = (item.record ?? assert.fail("no record")) as { task: { taskid: number } };
      return [task.taskid];
    });
    assert.equal(new Set(ids).size, ids.length, `seed ${seed}: an id was given twice`);
    compared += ids.length;
    const closing = pod.close();
    await host.advance(10_000);
    await closing;
  }
  assert.ok(compared > 10 * lives && vain > 3 * lives, `${compared} tasks, ${vain} runs in vain`);
});

/** A disk that takes its time: between what a tool did and its record there is room for others. */
function slowly(sessions: SessionStore, wait: () => Promise<void>): SessionStore {
  return overriding(sessions, {
    create: async (start, opening) => {
      const opened = await sessions.create(start, opening);
      const { writer } = opened;
      const append: typeof writer.append = async (bodies) => {
        await wait();
        return writer.append(bodies);
      };
      return { ...opened, writer: overriding(writer, { append }) };
    },
  });
}
