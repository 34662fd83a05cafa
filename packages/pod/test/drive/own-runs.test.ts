/** Runs that begin by themselves: only while the Pod is idle, told of when they end, never in the way of somebody who asks. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import {
  logOf,
  openParts,
  type Parts,
  type PartsOptions,
  spoken,
  storedState,
  unlimited,
} from "../../../../test/inbox/parts.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import type { RunReport } from "../../src/index.ts";

const steps = (...all: readonly object[]): string => JSON.stringify({ steps: all });
const said = (text: string) => ({ outcome: { kind: "finished", text }, accepted: true });

function machine(scenario: string, more: Partial<PartsOptions> = {}) {
  const options: PartsOptions = {
    host: memoryHost({ seed: 2 }),
    leases: new Map(),
    scenario,
    beginsOwnRuns: true,
    ...more,
  };
  return { ...options, options };
}
const endings = (reports: readonly RunReport[]) =>
  reports.map(({ outcome, accepted }) => ({ outcome, accepted }));

test("a notice to an idle Pod begins a run, whose report goes to whoever listens", async () => {
  const m = machine(steps({ text: "I heard.", delay_ms: 100 }, { text: "Again." }));
  const parts = await openParts(m.options);
  await parts.notify("news");
  assert.equal(parts.drive.state, "running");
  await m.host.advance(1_000);
  assert.deepEqual(endings(parts.own.reports), [said("I heard.")]);
  assert.deepEqual([parts.own.reports[0]?.turns, parts.drive.state], [1, "idle"]);
  await parts.notify("more news");
  await m.host.advance(1_000);
  assert.deepEqual(spoken(parts.gate.state), [
    "notification: news",
    "model: I heard.",
    "notification: more news",
    "model: Again.",
  ]);
  assert.deepEqual([parts.own.reports.length, parts.own.failures], [2, []]);
  await parts.close();
});

test("several at once begin one run, which tells them all in order; later ones follow in the same chain", async () => {
  const m = machine(steps({ text: "One.", delay_ms: 100 }, { text: "Two." }));
  const parts = await openParts(m.options);
  await Promise.all(["a", "b", "c"].map((message) => parts.notify(message)));
  await m.host.advance(50);
  await parts.notify("d");
  await m.host.advance(1_000);
  assert.deepEqual(spoken(parts.gate.state), [
    "notification: a",
    "notification: b",
    "notification: c",
    "model: One.",
    "notification: d",
    "model: Two.",
  ]);
  assert.deepEqual(
    parts.own.reports.map(({ turns }) => turns),
    [2],
  );
  await parts.close();
});

test("where none is to begin by itself, or while paused, nothing begins: what was accepted waits for the next run", async () => {
  const m = machine(steps({ text: "x", delay_ms: 500 }, { text: "Resumed." }, { text: "I heard." }));
  const quiet = await openParts({ ...m.options, beginsOwnRuns: false });
  await quiet.notify("a");
  await m.host.advance(1_000);
  assert.deepEqual([quiet.drive.state, quiet.inbox.waiting, quiet.requests.length], ["idle", 1, 0]);
  await quiet.close();

  const parts = await openParts(m.options);
  assert.equal(parts.requests.length, 0, "and opening begins nothing");
  const running = parts.submit("go");
  await m.host.advance(100);
  parts.drive.interrupt();
  await m.host.advance(1_000);
  assert.equal((await running).outcome.kind, "paused");
  await parts.notify("b");
  await m.host.advance(1_000);
  assert.deepEqual([parts.drive.state, parts.inbox.waiting, parts.own.reports.length], ["paused", 1, 0]);
  const resumed = parts.drive.resume({ timeoutMs: null });
  await m.host.advance(10_000);
  assert.equal((await resumed).outcome.kind, "finished");
  assert.deepEqual(
    spoken(parts.gate.state).filter((line) => line.startsWith("notification")),
    ["notification: a", "notification: b"],
  );
  await parts.close();
});

describe("somebody asks while a run goes on that began by itself", () => {
  test("the input waits for its end, and goes before what arrived meanwhile", async () => {
    const m = machine(steps({ text: "I heard.", delay_ms: 300 }, { text: "The answer." }));
    const parts = await openParts(m.options);
    await parts.notify("news");
    const asked = parts.submit("go");
    await m.host.advance(100);
    await parts.notify("late news");
    await m.host.advance(5_000);
    const report = await asked;
    assert.deepEqual(endings(parts.own.reports), [said("I heard.")]);
    assert.deepEqual([report.outcome, report.turns], [{ kind: "finished", text: "The answer." }, 1]);
    assert.deepEqual(spoken(parts.gate.state), [
      "notification: news",
      "model: I heard.",
      "user: go",
      "notification: late news",
      "model: The answer.",
    ]);
    await parts.close();
  });

  test("a second one is refused, as it is behind any other run", async () => {
    const m = machine(steps({ text: "I heard.", delay_ms: 300 }, { text: "The answer." }));
    const parts = await openParts(m.options);
    await parts.notify("news");
    const asked = parts.submit("go");
    await assert.rejects(parts.submit("me too"), { code: "already_running" });
    await m.host.advance(5_000);
    assert.equal((await asked).outcome.kind, "finished");
    await parts.close();
  });

  test("its own time can be up before it begins: nothing of it is kept, and the other run goes on", async () => {
    const m = machine(steps({ text: "I heard.", delay_ms: 900 }));
    const parts = await openParts(m.options);
    await parts.notify("news");
    const asked = parts.drive.submit([{ type: "text", text: "go" }], { timeoutMs: 200 });
    await m.host.advance(300);
    const report = await asked;
    assert.deepEqual(
      [report.outcome, report.accepted, report.turns],
      [{ kind: "limit_reached", limit: "time", maxMs: 200 }, false, 0],
    );
    await m.host.advance(5_000);
    assert.deepEqual(endings(parts.own.reports), [said("I heard.")]);
    assert.ok(!spoken(parts.gate.state).includes("user: go"));
    await parts.close();
  });

  test("a stop ends both: the one as paused, the other before it was on record", async () => {
    const m = machine(steps({ text: "I heard.", delay_ms: 900 }));
    const parts = await openParts(m.options);
    await parts.notify("news");
    const asked = parts.drive.resume({ timeoutMs: null });
    await m.host.advance(100);
    parts.drive.stop("pause");
    await m.host.advance(6_000);
    const report = await asked;
    assert.deepEqual([report.outcome.kind, report.accepted], ["paused", false]);
    assert.deepEqual(
      parts.own.reports.map(({ outcome, accepted }) => [outcome.kind, accepted]),
      [["paused", true]],
    );
    assert.equal(parts.drive.state, "paused");
    await parts.close();
  });
});

describe("a notice that comes while somebody asks in vain is told once the Pod is idle", () => {
  const refusing: (m: ReturnType<typeof machine>) => PartsOptions["input"] = (m) => ({
    promptSubmit: async () => {
      await m.host.timers.sleep(100);
      return { action: "cancel", reason: "no" };
    },
  });
  const silent: (m: ReturnType<typeof machine>) => PartsOptions["input"] = () => ({
    promptSubmit: () => new Promise(() => {}),
  });
  const cases: readonly (readonly [string, typeof silent, (parts: Parts) => void, unknown])[] = [
    ["a prompt that is refused", refusing, () => {}, "prompt_refused"],
    ["one that is stopped before it began", silent, ({ drive }) => drive.stop("cancel"), false],
  ];
  for (const [name, input, then, expected] of cases) {
    test(name, async () => {
      const m = machine(steps({ text: "I heard." }));
      const parts = await openParts({ ...m.options, input: input(m) ?? {} });
      const asked = parts.submit("go").then(
        ({ accepted }) => accepted,
        (error: unknown) => error instanceof YoiError && error.code,
      );
      await m.host.advance(10);
      await parts.notify("news");
      assert.equal(parts.requests.length, 0);
      then(parts);
      await m.host.advance(1_000);
      assert.equal(await asked, expected);
      assert.deepEqual(endings(parts.own.reports), [said("I heard.")]);
      assert.deepEqual([parts.inbox.waiting, parts.drive.state], [0, "idle"]);
      await parts.close();
    });
  }

  for (const [name, ask, code] of [
    ["an empty prompt", (parts: Parts) => parts.submit("  "), "prompt_empty"],
    ["a resume of nothing", (parts: Parts) => parts.drive.resume(unlimited), "nothing_to_resume"],
  ] as const) {
    test(`${name}, behind a run that left the notice to it`, async () => {
      const m = machine(steps({ text: "One.", delay_ms: 300 }, { text: "Two." }));
      const parts = await openParts(m.options);
      await parts.notify("news");
      const asked = ask(parts).then(
        ({ outcome }) => outcome.kind,
        (error: unknown) => error instanceof YoiError && error.code,
      );
      await m.host.advance(100);
      await parts.notify("late");
      await m.host.advance(5_000);
      // A resume has something to do where a notice waits.
      assert.equal(await asked, code === "nothing_to_resume" ? "finished" : code);
      assert.deepEqual([parts.inbox.waiting, parts.drive.state, parts.requests.length], [0, "idle", 2]);
      await parts.close();
    });
  }

  test("a run that finished although a stop came", async () => {
    const m = machine(steps({ text: "One." }, { text: "Two." }));
    let parts: Parts | null = null;
    const open = await openParts({
      ...m.options,
      wrapSessions: (sessions) =>
        overriding(sessions, {
          create: async (start, opening) => {
            const opened = await sessions.create(start, opening);
            const { writer } = opened;
            const append: typeof writer.append = async (bodies) => {
              // The worker has finished; nothing looks at the stop any more.
              if (bodies.some(({ kind }) => kind === "run_completed") && parts?.requests.length === 1) {
                parts.drive.stop("pause");
                await m.host.timers.sleep(10);
              }
              return writer.append(bodies);
            };
            return { ...opened, writer: overriding(writer, { append }) };
          },
        }),
    });
    parts = open;
    const asked = parts.submit("go");
    await m.host.advance(5);
    await parts.notify("news");
    await m.host.advance(1_000);
    assert.equal((await asked).outcome.kind, "finished");
    assert.deepEqual(endings(parts.own.reports), [said("Two.")]);
    await parts.close();
  });
});

describe("a notice that comes during a run that was stopped, failed or reached a limit waits for the next notice or run", () => {
  const cases: readonly (readonly [string, object, (parts: Parts) => void, Partial<PartsOptions>])[] = [
    ["cancelled", { text: "x", delay_ms: 500 }, ({ drive }) => drive.stop("cancel"), {}],
    ["failed", { text: "x", delay_ms: 500, failure: { kind: "auth", status: 401 } }, () => {}, {}],
    [
      "and reached its limit of turns",
      { delay_ms: 500, tool_calls: [{ name: "Effect", arguments: { what: "a" } }] },
      () => {},
      { maxTurns: 1 },
    ],
  ];
  for (const [name, step, then, more] of cases) {
    test(name, async () => {
      const m = machine(steps(step, { text: "I heard." }), more);
      const parts = await openParts(m.options);
      const asked = parts.submit("go");
      await m.host.advance(100);
      await parts.notify("news");
      then(parts);
      await m.host.advance(10_000);
      await asked;
      assert.deepEqual([parts.inbox.waiting, parts.drive.state, parts.own.reports], [1, "idle", []]);
      await parts.notify("more");
      await m.host.advance(10_000);
      assert.deepEqual([parts.own.reports.length, parts.inbox.waiting], [1, 0]);
      assert.deepEqual(
        spoken(parts.gate.state).filter((line) => line.startsWith("notification")),
        ["notification: news", "notification: more"],
      );
      await parts.close();
    });
  }
});

describe("closing", () => {
  test("a run that goes on ends as interrupted, and can be resumed by the next owner", async () => {
    const m = machine(steps({ text: "I heard.", delay_ms: 60_000 }, { text: "I heard." }));
    const parts = await openParts(m.options);
    await parts.notify("news");
    await m.host.advance(100);
    const closing = parts.close();
    await m.host.advance(6_000);
    await closing;
    assert.deepEqual(endings(parts.own.reports), [
      { outcome: { kind: "paused", reason: "interrupted", detail: "the Pod was closed" }, accepted: true },
    ]);
    await assert.rejects(parts.submit("go"), { code: "cancelled" });
    const again = await openParts(m.options);
    const resumed = again.drive.resume({ timeoutMs: null });
    await m.host.advance(120_000);
    assert.equal((await resumed).outcome.kind, "finished");
    assert.deepEqual(
      spoken(again.gate.state).filter((line) => line.startsWith("notification")),
      ["notification: news"],
    );
    await again.close();
  });

  test("of an idle Pod begins nothing, whoever is still heard", async () => {
    const m = machine(steps({ text: "x" }));
    const parts = await openParts(m.options);
    const accepting = parts.notify("news");
    const closing = parts.close();
    await Promise.allSettled([accepting, closing]);
    await m.host.advance(1_000);
    assert.deepEqual([parts.own.reports, parts.own.failures, parts.requests], [[], [], []]);
  });
});

for (const [what, nth] of [
  ["beginning", 2],
  ["delivery", 3],
] as const) {
  test(`W-11: a disk that does not take the ${what} of such a run: it is told to whoever listens, nothing is sent, and the notice waits`, async () => {
    const m = machine(steps({ text: "I heard." }));
    const parts = await openParts(m.options);
    const { path } = await logOf(m.host);
    let writes = 0;
    m.host.disk.plan = ({ path: at, kind }) =>
      at === path && kind === "write" && (writes += 1) === nth ? "ENOSPC" : "pass";
    await parts.notify("news");
    await m.host.advance(1_000);
    m.host.disk.plan = noFaults;
    assert.deepEqual(
      parts.own.failures.map((error) => error instanceof Error && "code" in error && error.code),
      ["disk_full"],
    );
    assert.deepEqual([parts.drive.state, parts.inbox.waiting, parts.own.reports.length], ["idle", 1, 0]);
    assert.deepEqual([parts.requests, parts.gate.items], [[], []]);
    await parts.notify("more");
    await m.host.advance(1_000);
    assert.deepEqual(spoken(parts.gate.state), [
      "notification: news",
      "notification: more",
      "model: I heard.",
    ]);
    await parts.close();
  });
}

test("nothing is asked and nothing is resumed where nothing waits; where something does, going on delivers it", async () => {
  const m = machine(steps({ text: "One." }, { text: "I heard." }));
  const parts = await openParts({ ...m.options, beginsOwnRuns: false });
  await parts.submit("go");
  await assert.rejects(parts.drive.resume({ timeoutMs: null }), { code: "nothing_to_resume" });
  await parts.notify("news");
  const report = await parts.drive.resume({ timeoutMs: null });
  assert.deepEqual([report.outcome, report.turns], [{ kind: "finished", text: "I heard." }, 1]);
  assert.equal((await storedState(m.host)).inbox.length, 0);
  await parts.close();
});
