/** Notices of a whole Pod that wait: behind a stop, a limit, hooks that hear of it, and a process that ended. None is lost, and none undoes what somebody decided. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost, noFaults } from "@yoi/host";
import { OwnRuns } from "../../../../test/support/own-runs.ts";
import { openSimulated, type SimulatedOptions } from "../../../../test/support/simulated-pod.ts";
import { allow, Asking, only, scenarioOf } from "../approval/asking.ts";
import { descriptorOf } from "../feature/features.ts";

const go = [{ type: "text", text: "go" }] as const;
const answers = JSON.stringify({ steps: ["One.", "Two.", "Three."].map((text) => ({ text })) });
const news = { source: "user", message: "news" };

function machine(more: Partial<SimulatedOptions> = {}) {
  const own = new OwnRuns();
  const m = { host: memoryHost({ seed: 4 }), leases: new Map() };
  const open = () =>
    openSimulated({
      host: m.host,
      leases: m.leases,
      scenario: answers,
      tools: [],
      ownRuns: own,
      ...more,
    });
  /** What came of the runs that began by themselves. */
  const told = () =>
    own.reports.map(({ outcome }) => (outcome.kind === "finished" ? outcome.text : outcome.kind));
  return Object.assign(m, { open, told });
}

test("a call that was allowed behind a time limit is not closed by a notice: the notice waits, and the call runs when the run goes on", async () => {
  const own = new OwnRuns();
  const m = new Asking(scenarioOf("a"), { ownRuns: own });
  const pod = await m.open();
  const limited = pod.submit(go, { timeoutMs: 1_000 });
  await m.host.advance(2_000);
  assert.equal((await limited).outcome.kind, "limit_reached");
  await pod.answerApproval(allow(only(pod.approvals).digest));
  await pod.notify(news);
  await m.host.advance(2_000);
  assert.deepEqual([pod.snapshot.state, pod.snapshot.waiting, m.world.effects.size], ["idle", 1, 0]);
  await pod.close();
  const next = await m.open();
  await m.host.advance(2_000);
  assert.deepEqual([next.snapshot.state, next.snapshot.waiting], ["idle", 1], "nor by the next owner");
  assert.equal((await next.resume()).outcome.kind, "finished");
  assert.deepEqual([next.snapshot.waiting, [...m.world.effects]], [0, [["a", 1]]]);
  assert.deepEqual(own.reports, [], "no run began by itself");
  await next.close();
});

for (const stop of ["pause", "interrupt", "close"] as const) {
  test(`a run of its own that a ${stop} stops before it told anything leaves nothing to go on with: the notice is told once, no answer twice`, async () => {
    let turnEnds = 0;
    const counting: FeatureModule = {
      descriptor: descriptorOf("builtin:ends", {
        hooks: [{ name: "count", point: "on_turn_end", required: true }],
      }),
      install: ({ hooks }) =>
        hooks.onTurnEnd("count", () => {
          turnEnds += 1;
          return { action: "finish" };
        }),
    };
    const m = machine({ features: [counting] });
    let pod = await m.open();
    await pod.submit(go);
    await pod.notify(news);
    assert.equal(pod.snapshot.state, "running");
    await pod[stop]();
    await m.host.advance(10);
    assert.deepEqual([pod.snapshot.waiting, m.told(), turnEnds], [1, ["cancelled"], 1]);
    if (stop === "close") {
      pod = await m.open();
      await m.host.advance(10);
      assert.deepEqual(m.told(), ["cancelled", "Two."]);
    } else {
      assert.equal(pod.snapshot.state, "idle");
      assert.deepEqual((await pod.resume()).outcome, { kind: "finished", text: "Two." });
    }
    assert.deepEqual([pod.snapshot.waiting, pod.snapshot.state, turnEnds], [0, "idle", 2]);
    await pod.close();
  });
}

test("a notice that comes while hooks hear how a run ended begins its run, unless it is theirs", async () => {
  const slow: FeatureModule = {
    descriptor: descriptorOf("builtin:slow", {
      hooks: [{ name: "bye", point: "on_abort", required: true }],
      authorities: [{ authority: { kind: "model_notification" }, required: true, reason: "For a test." }],
    }),
    install: ({ hooks, notifications }) =>
      hooks.onAbort("bye", async () => {
        await notifications.notifyModel("it failed");
        await m.host.timers.sleep(3_000, new AbortController().signal);
        return { action: "observed" };
      }),
  };
  const failing = JSON.stringify({ steps: [{ attempts: [{ failure: { kind: "invalid_request" } }] }] });
  const m = machine({ features: [slow], scenario: failing });
  const pod = await m.open();
  const failed = pod.submit(go);
  await m.host.advance(10);
  assert.equal((await failed).outcome.kind, "failed");
  assert.deepEqual([pod.snapshot.state, pod.snapshot.waiting, m.told()], ["idle", 1, []]);
  await pod.notify(news);
  await m.host.advance(10);
  // Told of both, the provider fails again.
  assert.deepEqual([pod.snapshot.waiting, m.told()], [0, ["failed"]]);
  const closed = pod.close();
  await m.host.advance(5_000);
  await closed;
});

test("W-04, W-12: what an owner accepted and told nobody before it died is told by the next one at once, and not where the run is paused", async () => {
  const m = machine();
  const pod = await m.open();
  await pod.submit(go);
  await pod.notify(news);
  m.host.crash("process");
  m.host = m.host.restart();
  const next = await m.open();
  await m.host.advance(10);
  assert.deepEqual([next.snapshot.state, next.snapshot.waiting, m.told()], ["idle", 0, ["Two."]]);
  await next.close();

  const own = new OwnRuns();
  const paused = new Asking(scenarioOf("a"), { ownRuns: own });
  const { pod: asking, run } = await paused.asked();
  asking.pause();
  await run;
  await asking.notify(news);
  await asking.close();
  const later = await paused.open();
  await paused.host.advance(10);
  assert.deepEqual([later.snapshot.state, later.snapshot.waiting], ["paused", 1]);
  assert.deepEqual(own.reports, [], "no run began by itself");
  await later.close();
});

test("a run of its own that the disk did not take is told once, as a run that failed", async () => {
  const heard: string[] = [];
  const m = machine({
    observer: (event) => {
      if (event.type === "run_failed") heard.push(`run_failed ${event.run}: ${codeOf(event.error)}`);
      if (event.type === "alert" || event.type === "run_ended") heard.push(event.type);
    },
  });
  const pod = await m.open();
  let writes = 0;
  // The notice is on record, its run is not.
  m.host.disk.plan = ({ kind }) => (kind === "write" && (writes += 1) === 2 ? "ENOSPC" : "pass");
  await pod.notify(news);
  await m.host.advance(10);
  m.host.disk.plan = noFaults;
  assert.deepEqual([heard, pod.alerts, pod.snapshot.waiting], [["run_failed null: disk_full"], [], 1]);
  await pod.close();
});

const codeOf = (error: unknown) => error instanceof YoiError && error.code;
