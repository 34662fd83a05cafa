/** Notification runs behind a run: what arrived too late for it is told at once, within the same limits, and never more than once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, isKnown, type LogEntry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { noPoints } from "@yoi/worker";
import {
  entriesOf,
  openParts,
  type Parts,
  type PartsOptions,
  spoken,
  storedState,
} from "../../../../test/inbox/parts.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";

const steps = (...all: readonly object[]): string => JSON.stringify({ steps: all });
const machine = (scenario: string, more: Partial<PartsOptions> = {}): PartsOptions => ({
  host: memoryHost({ seed: 2 }),
  leases: new Map(),
  scenario,
  ...more,
});

/** Notifies at the `nth` event of a type. */
function notifying(type: string, nth: number, message: string) {
  const held: { parts?: Parts; accepted: Promise<void>[] } = { accepted: [] };
  let left = nth;
  const observer = (event: { readonly type: string }): void => {
    if (event.type !== type || (left -= 1) !== 0 || held.parts === undefined) return;
    held.accepted.push(held.parts.notify(message));
  };
  return { held, observer };
}

/** What begins and ends runs, in log order. */
function runs(entries: readonly LogEntry[]): readonly string[] {
  return entries.filter(isKnown).flatMap((entry) => {
    switch (entry.kind) {
      case "invoke":
        return [entry.trigger];
      case "run_completed":
        return [entry.result];
      case "run_paused":
        return [`paused: ${entry.reason}`];
      case "run_errored":
        return [`errored: ${entry.code}`];
      default:
        return [];
    }
  });
}

test("A2-17: a notice is durable before the model sees it, and is told as a system item to whoever watches the log", async () => {
  const told: string[] = [];
  const m = machine(steps({ text: "Hello.", pace_ms: 20 }, { text: "I heard." }));
  const parts: Parts = await openParts({
    ...m,
    wrapModel: (model) => ({
      ...model,
      stream: (request, options) =>
        model.stream(request, {
          ...options,
          beforeSend: async (wire) => {
            await options.beforeSend(wire);
            // What is sent is on the disk, as it is sent.
            const stored = await storedState(m.host);
            for (const { seq, item } of request.items)
              assert.deepEqual(stored.items.find((one) => one.seq === seq)?.item, item);
          },
        }),
    }),
  });
  parts.gate.onCommit((entries) => {
    for (const entry of entries) if (entry.kind === "system_item") told.push(entry.item.body);
  });
  const running = parts.submit("go");
  await m.host.advance(10);
  await parts.notify("The build is red.", "project:ci");
  await m.host.advance(10_000);
  const report = await running;
  assert.deepEqual(
    [report.outcome, report.followed],
    [{ kind: "finished", text: "Hello." }, [{ kind: "finished", text: "I heard." }]],
  );
  assert.deepEqual(told, ["The build is red."]);
  assert.deepEqual(spoken(parts.gate.state), [
    "user: go",
    "model: Hello.",
    "notification: The build is red.",
    "model: I heard.",
  ]);
  assert.deepEqual(
    parts.requests.map(({ items }) => items.length),
    [1, 3],
  );
  await parts.close();
});

test("W-04: what arrives while the last answer comes starts a run behind it; the report is of both, and its outcome is the answer", async () => {
  const { held, observer } = notifying("block_delta", 1, "news");
  const m = machine(steps({ text: "The answer." }, { text: "And about the news." }), { observer });
  const parts = (held.parts = await openParts(m));
  const report = await parts.submit("go");
  await Promise.all(held.accepted);
  assert.deepEqual(
    [report.outcome, report.followed, report.turns, report.accepted],
    [{ kind: "finished", text: "The answer." }, [{ kind: "finished", text: "And about the news." }], 2, true],
  );
  assert.equal(report.usage.input_tokens, parts.gate.state.usage.input_tokens);
  assert.deepEqual(runs(await entriesOf(m.host)), ["user_send", "finished", "notify", "finished"]);
  assert.deepEqual([parts.inbox.waiting, parts.drive.state], [0, "idle"]);
  await parts.close();
});

test("what arrives before the last drain is told in the run itself: no other run follows", async () => {
  const m = machine(steps({ tool_calls: [{ name: "Effect", arguments: { what: "a" } }] }, { text: "Done." }));
  const { held, observer } = notifying("tool_start", 1, "news");
  const tools = [effectTool(new World(), m.host)];
  const parts = (held.parts = await openParts({ ...m, tools, observer }));
  const report = await parts.submit("go");
  await Promise.all(held.accepted);
  assert.deepEqual(runs(await entriesOf(m.host)), ["user_send", "finished"]);
  assert.deepEqual(spoken(parts.gate.state), ["user: go", "notification: news", "model: Done."]);
  assert.equal(report.turns, 2);
  await parts.close();
});

test("news behind news: the chain goes on until nothing waits, each notice told once and in order", async () => {
  const m = machine(steps(...Array.from({ length: 6 }, (_, n) => ({ text: `Answer ${n}.` }))));
  let left = 4;
  const sent: Promise<void>[] = [];
  const parts: Parts = await openParts({
    ...m,
    observer: ({ type }) => {
      if (type === "text" && (left -= 1) > 0) {
        const two = [`news ${left}a`, `news ${left}b`];
        sent.push(...two.map((message) => parts.notify(message)));
      }
    },
  });
  const report = await parts.submit("go");
  await Promise.all(sent);
  assert.deepEqual(spoken(parts.gate.state), [
    "user: go",
    "model: Answer 0.",
    "notification: news 3a",
    "notification: news 3b",
    "model: Answer 1.",
    "notification: news 2a",
    "notification: news 2b",
    "model: Answer 2.",
    "notification: news 1a",
    "notification: news 1b",
    "model: Answer 3.",
  ]);
  assert.equal(report.turns, 4);
  await parts.close();
});

describe("the limits of a run are those of all that follows it", () => {
  test("turns: with none left the rest waits, durably, for the next run", async () => {
    const m = machine(steps(...Array.from({ length: 6 }, (_, n) => ({ text: `Answer ${n}.` }))), {
      maxTurns: 3,
    });
    const sent: Promise<void>[] = [];
    const parts: Parts = await openParts({
      ...m,
      observer: ({ type }) => {
        if (type === "text") sent.push(parts.notify(`news ${sent.length}`));
      },
    });
    const report = await parts.submit("go");
    await Promise.all(sent);
    assert.deepEqual([report.outcome.kind, report.turns], ["finished", 3]);
    assert.deepEqual(
      (await storedState(m.host)).inbox.map(({ item }) => item.body),
      ["news 2"],
    );
    assert.equal(parts.drive.state, "idle");
    await parts.close();
    const again = await openParts({ ...m, maxTurns: null });
    assert.equal((await again.submit("more")).turns, 1);
    assert.deepEqual(spoken(again.gate.state).slice(-3), [
      "user: more",
      "notification: news 2",
      "model: Answer 3.",
    ]);
    await again.close();
  });

  test("turns: a run that follows is stopped at what is left of them, and the limit is told whole", async () => {
    const call = { tool_calls: [{ name: "Effect", arguments: { what: "a" } }] };
    const m = machine(steps({ text: "First." }, call, call, call), { maxTurns: 3 });
    const { held, observer } = notifying("text", 1, "news");
    const tools = [effectTool(new World(), m.host)];
    const parts = (held.parts = await openParts({ ...m, tools, observer }));
    const report = await parts.submit("go");
    assert.deepEqual(
      [report.outcome.kind, report.followed, report.turns],
      ["finished", [{ kind: "limit_reached", limit: "turns", max: 3 }], 3],
    );
    await parts.close();
  });

  test("time: the run that follows ends when the time of the first is up, and goes on when it is resumed", async () => {
    const m = machine(steps({ text: "First.", delay_ms: 600 }, { text: "Second.", delay_ms: 600 }));
    const { held, observer } = notifying("text", 1, "news");
    const parts = (held.parts = await openParts({ ...m, observer }));
    const running = parts.drive.submit([{ type: "text", text: "go" }], { timeoutMs: 1000 });
    await m.host.advance(1000);
    assert.deepEqual((await running).followed, [{ kind: "limit_reached", limit: "time", maxMs: 1000 }]);
    assert.deepEqual(runs(await entriesOf(m.host)), ["user_send", "finished", "notify", "limit_reached"]);
    const resumed = parts.drive.resume({ timeoutMs: null });
    await m.host.advance(10_000);
    assert.equal((await resumed).outcome.kind, "finished");
    assert.deepEqual(
      spoken(parts.gate.state).filter((line) => line.includes("news")),
      ["notification: news"],
    );
    await parts.close();
  });

  test("stops: a pause ends the run that follows as it ends any other", async () => {
    const m = machine(steps({ text: "First." }, { text: "Second.", delay_ms: 600 }));
    const { held, observer } = notifying("text", 1, "news");
    const parts = (held.parts = await openParts({ ...m, observer }));
    const running = parts.submit("go");
    await m.host.advance(300);
    parts.drive.stop("pause");
    await m.host.advance(1_000);
    const { outcome, followed } = await running;
    assert.deepEqual([outcome.kind, followed.map(({ kind }) => kind)], ["finished", ["paused"]]);
    assert.equal(parts.drive.state, "paused");
    await parts.close();
  });
});

test("a run that follows and fails takes nothing from the answer that was asked for", async () => {
  const { held, observer } = notifying("block_delta", 1, "news");
  const failing = { text: "x", failure: { kind: "auth", status: 401 } };
  const m = machine(steps({ text: "The answer." }, failing), { observer });
  const parts = (held.parts = await openParts(m));
  const report = await parts.submit("go");
  assert.deepEqual(report.outcome, { kind: "finished", text: "The answer." });
  assert.deepEqual(
    report.followed.map(({ kind }) => kind),
    ["failed"],
  );
  assert.deepEqual(runs(await entriesOf(m.host)), ["user_send", "finished", "notify", "errored: auth"]);
  await parts.close();
});

describe("behind a run that did not finish nothing follows, and what arrived waits", () => {
  const endings: readonly (readonly [string, object, string])[] = [
    ["failed", { text: "x", failure: { kind: "auth", status: 401 } }, "errored: auth"],
    ["aborted by a hook", { text: "An answer." }, "aborted"],
    ["paused by a hook", { text: "An answer." }, "paused: hook"],
  ];
  for (const [name, step, ending] of endings) {
    test(name, async () => {
      const m = machine(steps(step, { text: "Later." }));
      const { held, observer } = notifying("turn_start", 1, "news");
      const parts = (held.parts = await openParts({
        ...m,
        observer,
        points: (drain) => ({
          drain: async () => (spokenOnce ? drain() : []),
          threshold: () => null,
          preRequest: async () =>
            ending === "aborted" && !spokenOnce
              ? { action: "cancel", reason: "not now" }
              : { action: "continue", queued: [] },
          queuedCommitted: () => {},
          gate: async () => ({ action: "allow" }),
          approval: noPoints.approval,
          recheck: noPoints.recheck,
          afterResult: async () => ({ action: "continue" }),
          turnEnd: async () =>
            ending.startsWith("paused") && !spokenOnce
              ? { action: "pause", reason: "wait" }
              : { action: "finish" },
          aborted: () => {},
        }),
      }));
      let spokenOnce = false;
      const report = await parts.submit("go").catch((error: unknown) => assert.fail(String(error)));
      await Promise.all(held.accepted);
      assert.notEqual(report.outcome.kind, "finished");
      assert.deepEqual(runs(await entriesOf(m.host)), ["user_send", ending]);
      assert.equal(parts.inbox.waiting, 1);
      spokenOnce = true;
      await parts.submit("again");
      assert.equal(parts.inbox.waiting, 0);
      assert.deepEqual(
        spoken(parts.gate.state).filter((line) => line.includes("news")),
        ["notification: news"],
      );
      await parts.close();
    });
  }
});

test("W-07: no notification run begins where calls of a run that was cut are open, and none runs them again", async () => {
  const m = machine(
    steps({ tool_calls: [{ name: "Effect", arguments: { what: "a" } }] }, { text: "I heard." }),
  );
  const world = new World();
  const tools = [effectTool(world, m.host)];
  const parts = await openParts({ ...m, tools });
  await parts.gate.append([
    { kind: "invoke", trigger: "user_send" },
    { kind: "user_input", parts: [{ type: "text", text: "go" }] },
  ]);
  // The answer with its call is on record, and the run was cancelled by a process that could not close the call.
  const base = parts.gate.lastSeq;
  await parts.gate.append([
    {
      kind: "assistant_item",
      request: base,
      index: 0,
      item: { type: "tool_call", call: callId(base, 0), name: "Effect", arguments: '{"what":"a"}' },
    },
    { kind: "run_completed", result: "cancelled" },
  ]);
  await parts.close();
  const again = await openParts({ ...m, tools, beginsOwnRuns: true });
  await again.notify("news");
  await m.host.advance(1_000);
  assert.deepEqual([again.drive.state, again.inbox.waiting, again.gate.unanswered.length], ["idle", 1, 1]);
  await again.submit("on");
  assert.deepEqual([again.own.reports, again.own.failures], [[], []]);
  assert.deepEqual([...world.effects], [], "the call ran");
  const results = again.gate.items.flatMap(({ item }) => (item.type === "tool_result" ? [item.summary] : []));
  assert.deepEqual(results, ["not executed"]);
  assert.deepEqual(spoken(again.gate.state).at(-1), "model: I heard.");
  await again.close();
});
