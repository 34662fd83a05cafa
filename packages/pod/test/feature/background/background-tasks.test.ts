/** Background tasks: started when the Pod is ready, contained, reported, and ended before it closes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import type { BackgroundTaskState } from "@yoi/feature";
import { featureId } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { type Alert, Alerts } from "../../../src/alert/alerts.ts";
import { BackgroundTasks, taskStopMsMax } from "../../../src/feature/background/background-tasks.ts";
import { FeatureDiagnostics } from "../../../src/feature/sinks/feature-diagnostics.ts";
import { countedTimers } from "../services/counted-timers.ts";

const feature = featureId("user:a");
type Run = (context: { readonly signal: AbortSignal }) => Promise<void>;

function machine() {
  const host = memoryHost({ seed: 1 });
  const told: Alert[] = [];
  const redact = (text: string) => text.replaceAll("hunter2", "[redacted: pin]");
  const alerts = new Alerts({ clock: host.clock, told: (alert) => told.push(alert) });
  const { timers, pending } = countedTimers(host.timers);
  const tasks = new BackgroundTasks({ timers, alerts, redact });
  const diagnostics = new FeatureDiagnostics({ redact });
  const register = (runs: Readonly<Record<string, Run>>) => {
    const staged = tasks.stage(feature, diagnostics);
    for (const [name, run] of Object.entries(runs)) staged.register(name, run);
    staged.commit();
  };
  const states = (): Record<string, BackgroundTaskState> =>
    Object.fromEntries(tasks.statesOf(feature).map(({ name, state }) => [name, state]));
  return { host, told, tasks, diagnostics, register, states, pending };
}

/** Settles when its signal aborts, as a task should. */
const waiting: Run = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("A2-20, F-18: a task is started by the host when the Pod is ready, followed, and stopped with it", async () => {
  const { host, told, tasks, diagnostics, register, states, pending } = machine();
  const ran: string[] = [];
  register({
    watch: async (context) => {
      ran.push("watch");
      await waiting(context);
    },
    once: async () => void ran.push("once"),
  });
  await host.advance(10_000);
  assert.deepEqual([ran, states()], [[], { watch: "waiting", once: "waiting" }]);
  tasks.start();
  assert.deepEqual(ran, [], "none runs before the start has returned");
  await host.advance(0);
  assert.deepEqual([ran, states()], [["watch", "once"], { watch: "running", once: "finished" }]);
  await tasks.stop();
  assert.deepEqual(states(), { watch: "stopped", once: "finished" });
  assert.deepEqual([told, diagnostics.all, pending()], [[], [], 0]);
});

test("A2-21: a task is handed a signal and nothing else: what it may do it was granted before", async () => {
  const { host, tasks, register } = machine();
  const contexts: object[] = [];
  register({ look: async (context) => void contexts.push(context) });
  tasks.start();
  await host.advance(0);
  const [context] = contexts;
  assert.ok(context !== undefined && Object.isFrozen(context));
  assert.deepEqual(Reflect.ownKeys(context), ["signal"]);
  assert.equal(Object.getPrototypeOf(context), Object.prototype);
  await tasks.stop();
});

const unreadable = Object.defineProperty(new Error("x"), "name", {
  get: () => {
    throw new Error("its name");
  },
});
const failures: readonly { readonly name: string; readonly run: Run; readonly why: string }[] = [
  { name: "a rejection", run: () => Promise.reject(new Error("no index")), why: "no index" },
  {
    name: "a throw",
    run: () => {
      throw new Error("no index");
    },
    why: "no index",
  },
  { name: "a secret", run: () => Promise.reject(new Error("hunter2")), why: "[redacted: pin]" },
  {
    name: "an abort of its own",
    run: () => Promise.reject(new YoiError("cancelled", "It gave up.")),
    why: "It gave up.",
  },
  { name: "what cannot be read", run: () => Promise.reject(unreadable), why: "x" },
];
for (const { name, run, why } of failures) {
  test(`A2-20, F-18: ${name} fails the task, is said and alerted once, and nothing is started again`, async () => {
    const { host, told, tasks, diagnostics, register, states } = machine();
    let runs = 0;
    register({
      bad: (context) => {
        runs += 1;
        return run(context);
      },
      good: waiting,
    });
    tasks.start();
    await host.advance(60_000);
    const message = `The background task "bad" failed, and is not started again: ${why}`;
    assert.deepEqual([runs, states()], [1, { bad: "failed", good: "running" }]);
    assert.deepEqual(diagnostics.all, [{ severity: "error", message }]);
    assert.deepEqual(
      told.map((alert) => [alert.level, alert.source, alert.message]),
      [["error", "user:a", message]],
    );
    await tasks.stop();
    assert.deepEqual(states(), { bad: "failed", good: "stopped" });
    assert.equal(diagnostics.all.length, 1);
  });
}

test("F-18: a task that fails while it is stopped has failed; one that ends by its abort, in any usual way, has not", async () => {
  const atAbort =
    (end: (reason: unknown) => unknown): Run =>
    ({ signal }) =>
      new Promise((resolve, reject) =>
        signal.addEventListener("abort", () => {
          const thrown = end(signal.reason);
          if (thrown === undefined) resolve();
          else reject(thrown);
        }),
      );
  const { host, tasks, diagnostics, register, states } = machine();
  register({
    returns: atAbort(() => undefined),
    reason: atAbort((reason) => reason),
    abort: atAbort(() => new DOMException("aborted", "AbortError")),
    cancelled: atAbort(() => new YoiError("cancelled", "cancelled")),
    fails: atAbort(() => new Error("the disk is full")),
    unreadable: atAbort(() => unreadable),
  });
  tasks.start();
  await host.advance(0);
  await tasks.stop();
  assert.deepEqual(states(), {
    returns: "stopped",
    reason: "stopped",
    abort: "stopped",
    cancelled: "stopped",
    fails: "failed",
    unreadable: "failed",
  });
  assert.deepEqual(
    diagnostics.all.map(({ message }) => message),
    [
      'The background task "fails" failed, and is not started again: the disk is full',
      'The background task "unreadable" failed, and is not started again: x',
    ],
  );
});

test("F-18: a task that does not end is given up after 2 s, with a diagnostic, and its late failure is dropped", async () => {
  const { host, told, tasks, diagnostics, register, states } = machine();
  const deaf = Promise.withResolvers<void>();
  register({ deaf: () => deaf.promise, good: waiting });
  tasks.start();
  await host.advance(0);
  let stopped = false;
  const stopping = tasks.stop().then(() => {
    stopped = true;
  });
  await host.advance(taskStopMsMax - 1);
  assert.deepEqual([stopped, states()], [false, { deaf: "running", good: "stopped" }]);
  await host.advance(1);
  await stopping;
  const expected = [
    {
      severity: "warning",
      message:
        'The background task "deaf" did not end within 2000 ms of its abort: nothing waits for it any more.',
    },
  ];
  assert.deepEqual([states(), diagnostics.all], [{ deaf: "failed", good: "stopped" }, expected]);
  deaf.reject(new Error("too late"));
  await host.advance(0);
  assert.deepEqual([states().deaf, diagnostics.all, told], ["failed", expected, []]);
});

test("a stop before the start, or right after it, runs no task; a second stop is the first", async () => {
  const early = machine();
  early.register({ a: () => assert.fail("it runs") });
  await early.tasks.stop();
  await early.tasks.stop();
  assert.deepEqual(early.states(), { a: "stopped" });
  assert.throws(() => early.tasks.start(), /after their stop/);

  const quick = machine();
  quick.register({ a: () => assert.fail("it runs") });
  quick.tasks.start();
  const stopping = quick.tasks.stop();
  assert.equal(quick.tasks.stop(), stopping);
  await stopping;
  assert.deepEqual([quick.states(), quick.diagnostics.all], [{ a: "stopped" }, []]);
});

test("starting twice, and staging after the start, are bugs; a second task of a name is the feature's mistake", async () => {
  const { tasks, diagnostics } = machine();
  const staged = tasks.stage(feature, diagnostics);
  staged.register("a", waiting);
  assert.throws(() => staged.register("a", waiting), {
    code: "feature_invalid",
    message: 'The background task "a" of user:a is registered twice.',
  });
  assert.throws(() => staged.register("b", "no function" as unknown as Run), {
    code: "feature_invalid",
    message: 'The background task "b" of user:a is no function.',
  });
  assert.deepEqual(tasks.statesOf(feature), [], "what was not committed is not there");
  tasks.start();
  assert.throws(() => tasks.start(), /started once/);
  assert.throws(() => staged.commit(), /before the start/);
  await tasks.stop();
});
