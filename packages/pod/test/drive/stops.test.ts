/** Stops of a run: one that is asked for is never lost, and never hits anything else. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { SegmentWriter, SessionStore } from "@yoi/session-store";
import { noPoints } from "@yoi/worker";
import {
  entriesOf,
  openParts,
  type Parts,
  type PartsOptions,
  spoken,
  storedState,
  unlimited,
} from "../../../../test/inbox/parts.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";
import { stuckModel } from "./stuck-model.ts";

/** A tool and a model have this long to listen to a stop. */
const graceMs = 5_000;
const two = JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }] });

async function stuck(where: "before sending" | "before the answer" = "before the answer") {
  const host = memoryHost({ seed: 3 });
  const state = { hangs: true };
  const parts = await openParts({
    host,
    scenario: two,
    wrapModel: (model) => stuckModel(model, () => (state.hangs ? where : null)),
    input: {
      promptSubmit: async () => {
        for (let i = 0; i < 20; i += 1) await Promise.resolve();
        return { action: "continue" };
      },
    },
  });
  return { host, parts, state };
}

async function kindsOf(host: PartsOptions["host"]): Promise<readonly string[]> {
  return (await entriesOf(host)).map(({ kind }) => kind);
}

test("A3-35: a cancel after any number of microtasks behind the ask, acceptance included, is not lost", async () => {
  const outcomes = new Map<string, number>();
  for (let offset = 0; offset < 64; offset += 1) {
    const { host, parts, state } = await stuck();
    const submitted = parts.submit("go");
    for (let i = 0; i < offset; i += 1) await Promise.resolve();
    assert.equal(parts.drive.stop("cancel"), true, `offset ${offset}: nothing seems to run`);
    await host.advance(graceMs);
    const { outcome, accepted } = await submitted;
    outcomes.set(outcome.kind, (outcomes.get(outcome.kind) ?? 0) + 1);
    assert.equal(outcome.kind, accepted ? "rolled_back" : "cancelled", `offset ${offset}`);
    state.hangs = false;
    assert.deepEqual((await parts.submit("on")).outcome, { kind: "finished", text: "One." });
    assert.deepEqual(spoken(parts.gate.state), ["user: on", "model: One."]);
    await parts.close();
  }
  // Before it was on its way to the log, and behind that.
  assert.deepEqual([...outcomes.keys()].sort(), ["cancelled", "rolled_back"]);
});

test("A3-35: a cancel in the instant in which the run is accepted, or by its name right behind, is not lost", async () => {
  for (const when of ["committed", "answered"] as const) {
    const { host, parts } = await stuck();
    const hits: boolean[] = [];
    if (when === "committed")
      parts.gate.onCommit((entries) => {
        for (const { kind, seq } of entries)
          if (kind === "invoke") hits.push(parts.drive.stop("cancel", `${seq}`));
      });
    const begun = await parts.drive.begin([{ type: "text", text: "go" }], { limits: unlimited });
    assert.ok(!begun.duplicate && begun.run.id !== null);
    if (when === "answered") hits.push(parts.drive.stop("cancel", begun.run.id));
    await host.advance(graceMs);
    assert.deepEqual((await begun.run.ended).outcome, { kind: "rolled_back", invoke: Number(begun.run.id) });
    assert.deepEqual(hits, [true]);
    await parts.close();
  }
});

test("A3-36: waiting for the first event of an answer ends with a cancel, though the provider hangs before sending or behind it", async () => {
  for (const where of ["before sending", "before the answer"] as const) {
    const { host, parts } = await stuck(where);
    const submitted = parts.submit("go");
    await host.advance(60_000);
    assert.equal(parts.drive.state, "running");
    parts.drive.stop("cancel");
    await host.advance(graceMs);
    assert.equal((await submitted).outcome.kind, "rolled_back");
    assert.equal((await kindsOf(host)).includes("llm_request"), where === "before the answer");
    await parts.close();
  }
});

test("A3-37: a cancel while the Pod is idle is refused and does nothing to the next run; nor does one for a run that is over", async () => {
  const host = memoryHost({ seed: 3 });
  const parts = await openParts({ host, scenario: two });
  assert.deepEqual([parts.drive.stop("cancel"), parts.drive.stop("pause")], [false, false]);
  assert.deepEqual((await parts.submit("go")).outcome, { kind: "finished", text: "One." });
  const [first] = (await entriesOf(host)).filter(({ kind }) => kind === "invoke");
  assert.equal(parts.drive.stop("cancel"), false);
  const second = parts.submit("on");
  assert.equal(parts.drive.stop("cancel", `${first?.seq}`), false);
  assert.deepEqual((await second).outcome, { kind: "finished", text: "Two." });
  await parts.close();
});

test("A3-37: nor does one for a run whose end the disk did not take", async () => {
  const host = memoryHost({ seed: 3 });
  const parts = await openParts({ host, scenario: two, wrapSessions: (sessions) => refusing(sessions) });
  const { run } = await begun(parts, "go");
  await assert.rejects(run.ended, { code: "disk_full" });
  assert.deepEqual([parts.drive.state, parts.gate.state.run.state], ["idle", "running"]);
  const second = begun(parts, "on");
  assert.equal(parts.drive.stop("cancel", run.id), false);
  const { run: next } = await second;
  assert.equal(parts.drive.stop("cancel", run.id), false);
  assert.deepEqual((await next.ended).outcome, { kind: "finished", text: "Two." });
  await parts.close();
});

async function begun({ drive }: Parts, said: string) {
  const submitted = await drive.begin([{ type: "text", text: said }], { limits: unlimited });
  assert.ok(!submitted.duplicate);
  return submitted;
}

/** Does not take the first end of a run. */
function refusing(sessions: SessionStore): SessionStore {
  let isRefused = false;
  return overriding(sessions, {
    create: async (...request) => {
      const opened = await sessions.create(...request);
      const append: SegmentWriter["append"] = async (bodies) => {
        if (isRefused || !bodies.some(({ kind }) => kind === "run_completed"))
          return opened.writer.append(bodies);
        isRefused = true;
        throw new YoiError("disk_full", "planted");
      };
      return { ...opened, writer: overriding(opened.writer, { append }) };
    },
  });
}

test("a stop by the name of an own run leaves the one alone that waits behind it", async () => {
  const host = memoryHost({ seed: 3 });
  const parts = await openParts({
    host,
    scenario: JSON.stringify({ steps: [{ text: "Heard.", delay_ms: 500 }, { text: "Two." }] }),
    beginsOwnRuns: true,
  });
  await parts.notify("news");
  const asked = parts.submit("go");
  await host.advance(100);
  const { run } = parts.gate.state;
  assert.ok(run.state === "running");
  assert.equal(parts.drive.stop("cancel", `${run.since}`), true);
  await host.advance(10_000);
  const own = parts.own.reports.map(({ outcome }) => outcome.kind);
  assert.deepEqual([own, (await asked).outcome.kind], [["cancelled"], "finished"]);
  await parts.close();
});

test("A3-39: a terminal error in the provider's stream is on record as an errored run", async () => {
  const host = memoryHost({ seed: 3 });
  const failing = { attempts: [{ text: "Half", failure: { kind: "auth", status: 401 } }] };
  const parts = await openParts({ host, scenario: JSON.stringify({ steps: [failing] }) });
  assert.equal((await parts.submit("go")).outcome.kind, "failed");
  const closing = (await entriesOf(host)).filter(isKnown).at(-1);
  assert.deepEqual([closing?.kind, closing?.kind === "run_errored" && closing.code], ["run_errored", "auth"]);
  assert.equal((await kindsOf(host)).includes("run_completed"), false);
  await parts.close();
});

test("W-05: a cancel behind the beginning of an answer ends the run as cancelled, on record and in the report", async () => {
  const host = memoryHost({ seed: 3 });
  const events: string[] = [];
  const parts = await openParts({
    host,
    scenario: JSON.stringify({
      steps: [{ attempts: [{ text: "A long answer that goes on", pace_ms: 100 }] }],
    }),
    observe: ({ type }) => void events.push(type),
  });
  const running = parts.submit("go");
  await host.advance(150);
  parts.drive.stop("cancel");
  const { outcome, accepted } = await running;
  assert.deepEqual([outcome, accepted], [{ kind: "cancelled" }, true]);
  const closing = (await entriesOf(host)).filter(isKnown).at(-1);
  assert.deepEqual(closing?.kind === "run_completed" && closing.result, "cancelled");
  assert.deepEqual(events, ["state", "run_ended", "state"]);
  assert.equal(spoken(parts.gate.state)[1], "model: A long answer th");
  await parts.close();
});

describe("calls that were not started when a run is stopped", () => {
  const scenario = JSON.stringify({
    steps: [
      { tool_calls: ["a", "b"].map((what) => ({ name: "Effect", arguments: { what } })) },
      { text: "Done." },
      { text: "Heard." },
    ],
  });
  async function inTheGates(more: Partial<PartsOptions> = {}) {
    const host = memoryHost({ seed: 3 });
    const world = new World();
    const asked: string[] = [];
    const gates = { hang: true };
    const parts = await openParts({
      host,
      scenario,
      tools: [effectTool(world, host)],
      points: (drain) => ({
        ...noPoints,
        drain,
        gate: (call) => {
          asked.push(String(call.args["what"]));
          return gates.hang && asked.length === 2
            ? new Promise<never>(() => {})
            : Promise.resolve({ action: "allow" });
        },
      }),
      ...more,
    });
    return { host, world, asked, gates, parts };
  }
  const stops: readonly (readonly [string, (parts: Parts) => unknown, string, boolean])[] = [
    ["a pause", ({ drive }) => drive.stop("pause"), "paused", true],
    ["a signal", ({ drive }) => drive.interrupt(), "paused", true],
    ["its time", () => {}, "idle", true],
    ["a cancel", ({ drive }) => drive.stop("cancel"), "idle", false],
  ];
  for (const [name, stop, state, staysOpen] of stops) {
    test(`${staysOpen ? "stay open" : "are closed"} behind ${name}`, async () => {
      const { host, world, asked, gates, parts } = await inTheGates();
      const timeoutMs = name === "its time" ? 500 : null;
      const running = parts.drive.submit([{ type: "text", text: "go" }], { timeoutMs });
      await host.advance(400);
      assert.deepEqual(asked, ["a", "b"]);
      stop(parts);
      await host.advance(1_000);
      await running;
      const open = parts.gate.unanswered.map(({ started }) => started);
      assert.deepEqual([parts.drive.state, open], [state, staysOpen ? [false, false] : []]);
      gates.hang = false;
      if (staysOpen) {
        // The gates are asked again, and then each call runs exactly once.
        assert.deepEqual((await parts.drive.resume(unlimited)).outcome, { kind: "finished", text: "Done." });
        assert.deepEqual(asked, ["a", "b", "a", "b"]);
      } else {
        assert.deepEqual((await parts.submit("on")).outcome, { kind: "finished", text: "Done." });
      }
      assert.deepEqual([...world.effects.values()], staysOpen ? [1, 1] : []);
      const { unanswered, run } = await storedState(host);
      assert.deepEqual([unanswered, run], [[], { state: "idle" }]);
      await parts.close();
    });
  }

  test("W-07: a notification run never runs calls of a run that was cut, whatever cut it", async () => {
    for (const cut of ["cancel", "time", "crash"] as const) {
      const leases = new Map();
      const first = await inTheGates({ beginsOwnRuns: true, leases });
      const timeoutMs = cut === "time" ? 500 : null;
      const running = first.parts.drive.submit([{ type: "text", text: "go" }], { timeoutMs });
      running.catch(() => {});
      await first.host.advance(400);
      let { host, parts } = first;
      if (cut === "crash") {
        host.crash("process");
        host = host.restart();
        const tools = [effectTool(first.world, host)];
        parts = await openParts({ host, leases, scenario, tools, beginsOwnRuns: true });
        // It is paused: only somebody who asks begins a run, and new input closes what is open.
        assert.equal(parts.drive.state, "paused");
        await parts.notify("news");
        assert.equal(parts.drive.state, "paused");
        await parts.submit("on");
      } else {
        if (cut === "cancel") parts.drive.stop("cancel");
        await host.advance(1_000);
        await running;
        first.gates.hang = false;
        await parts.notify("news");
        await host.advance(1_000);
        // Behind the time limit they are open, and it waits with them.
        assert.deepEqual(
          [parts.inbox.waiting, parts.gate.unanswered.length],
          cut === "time" ? [1, 2] : [0, 0],
        );
        if (cut === "time") await parts.submit("on");
      }
      assert.ok(spoken(parts.gate.state).includes("notification: news"), cut);
      assert.deepEqual([[...first.world.effects], parts.gate.unanswered], [[], []], cut);
      await parts.close();
    }
  });
});

test("W-04: a notification behind the last drain of a run is taken in by a run of its own", async () => {
  const host = memoryHost({ seed: 3 });
  const parts = await openParts({
    host,
    scenario: two,
    beginsOwnRuns: true,
    points: (drain) => ({
      ...noPoints,
      drain,
      turnEnd: async () => {
        if (parts.requests.length === 1) await parts.notify("late");
        return { action: "finish" };
      },
    }),
  });
  const { outcome, followed } = await parts.submit("go");
  assert.deepEqual(
    [outcome, followed],
    [{ kind: "finished", text: "One." }, [{ kind: "finished", text: "Two." }]],
  );
  assert.deepEqual(spoken(parts.gate.state), [
    "user: go",
    "model: One.",
    "notification: late",
    "model: Two.",
  ]);
  await parts.close();
});
