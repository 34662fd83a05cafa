/** Pauses that end by themselves: when a Pod goes on, also after a restart, what ends the wait, and that nothing is done twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { type Model, type ModelEvent, type ModelFailure, withStream } from "@yoi/model";
import { replay } from "@yoi/session-store";
import {
  effectTool,
  manifestOf,
  openSimulated,
  type SimulatedOptions,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { clockLookMs, dueMs, PauseTimer, spreadMsMax } from "../../src/drive/pause-timer.ts";
import { type Pod, readActive } from "../../src/index.ts";

const hourMs = 3_600_000;
const go = [{ type: "text", text: "go" }] as const;
const scenario = JSON.stringify({
  steps: [{ tool_calls: [{ name: "Effect", arguments: { what: "a" } }] }, { text: "Done." }],
});
const limit: ModelFailure = {
  kind: "rate_limit",
  message: "Come back later.",
  retryable: true,
  retryAfterMs: hourMs,
};

/** A Pod whose second request, behind a tool's result, fails `failures` in turn before it is answered. */
function machine(...failures: readonly ModelFailure[]) {
  return machineOf({ scenario }, ...failures);
}

function machineOf(more: Partial<SimulatedOptions>, ...failures: readonly ModelFailure[]) {
  const host = memoryHost({ seed: 7 });
  const leases = new Map();
  const world = new World();
  const left = [...failures];
  const states: string[] = [];
  const wrapModel = (model: Model): Model =>
    withStream(model, (request, options) => {
      const failure = request.items.length > 1 ? left.shift() : undefined;
      return failure === undefined ? model.stream(request, options) : failing(failure);
    });
  const open = (beginsOwnRuns = true): Promise<Pod> =>
    openSimulated({
      host,
      leases,
      scenario,
      tools: [effectTool(world, host)],
      wrapModel,
      beginsOwnRuns,
      ...more,
      observer: (event) => void (event.type === "state" && states.push(event.state)),
    });
  const log = async () =>
    (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries.filter(isKnown);
  const runs = async () =>
    (await log()).flatMap((entry) => {
      if (entry.kind === "invoke") return [entry.trigger];
      if (entry.kind === "run_paused") return [`${entry.kind} ${entry.reason}`];
      return entry.kind === "run_completed" ? [entry.result] : [];
    });
  return { host, world, states, open, log, runs };
}

async function* failing(failure: ModelFailure): AsyncGenerator<ModelEvent> {
  yield { type: "failure", failure, usage: null };
}

/** A bit over the longest spread. */
async function passUntilDue(host: MemoryHost, ms = hourMs): Promise<void> {
  await host.advance(ms + Math.min(spreadMsMax, ms / 10) + 1000);
}

test("a hosted Pod goes on with the same turn when the limit is over, not before, and does nothing twice", async () => {
  const m = machine(limit);
  const pod = await m.open();
  assert.equal((await pod.submit(go)).outcome.kind, "paused");
  await m.host.advance(hourMs - 1);
  assert.deepEqual([pod.snapshot.state, m.states], ["paused", ["running", "paused"]]);
  await passUntilDue(m.host, 1);
  await m.host.advance(spreadMsMax);
  assert.deepEqual([pod.snapshot.state, m.states.slice(2)], ["idle", ["running", "idle"]]);
  assert.deepEqual(await m.runs(), ["user_send", "run_paused provider_limit", "resume", "finished"]);
  assert.deepEqual([...m.world.effects], [["a", 1]]);
  assert.equal((await m.log()).filter(({ kind }) => kind === "tool_started").length, 1);
  await pod.close();
});

test("control: one run to its end is resumed by nobody", async () => {
  const m = machine(limit);
  const pod = await m.open(false);
  await pod.submit(go);
  await m.host.advance(10 * hourMs);
  assert.deepEqual(
    [pod.snapshot.state, await m.runs()],
    ["paused", ["user_send", "run_paused provider_limit"]],
  );
  await pod.close();
});

for (const [when, awayMs] of [
  ["has passed", 2 * hourMs],
  ["is still to come", hourMs / 2],
] as const)
  test(`a Pod that was stopped meanwhile goes on where the time ${when}`, async () => {
    const m = machine(limit);
    const before = await m.open();
    await before.submit(go);
    await before.close();
    await m.host.advance(awayMs);
    const pod = await m.open();
    await m.host.advance(1000);
    assert.equal(pod.snapshot.state, awayMs > hourMs ? "idle" : "paused");
    await passUntilDue(m.host);
    assert.deepEqual([pod.snapshot.state, m.world.effects.get("a")], ["idle", 1]);
    await pod.close();
  });

test("a wait that comes to nothing is followed by a longer one", async () => {
  const lost: ModelFailure = { kind: "network", message: "Nobody is there.", retryable: true };
  const m = machine(lost, lost, lost);
  const pod = await m.open();
  await pod.submit(go);
  await m.host.advance(10 * 60_000);
  const paused = (await m.log()).filter((entry) => entry.kind === "run_paused");
  const ends = paused.map(({ until = 0 }) => until);
  const grows = ends.slice(1).map((end, at) => end - (ends[at] ?? 0));
  assert.equal(ends.length, 3);
  // Each is behind the spread of the one before, of at most a tenth.
  assert.ok(
    grows.every((ms, at) => ms >= 30_000 * 2 ** at && ms <= 33_100 * 2 ** at),
    String(grows),
  );
  assert.equal(pod.snapshot.state, "idle");
  await pod.close();
});

type Ends = readonly [what: string, end: (pod: Pod) => unknown, runs: readonly string[], state: string];
const ends: readonly Ends[] = [
  ["a cancel", (pod) => pod.cancel(), ["resume", "cancelled"], "idle"],
  ["a pause", (pod) => pod.pause(), ["resume", "run_paused user"], "paused"],
  ["a new input", (pod) => pod.submit(go), ["user_send", "finished"], "idle"],
  ["a resume", (pod) => pod.resume(), ["resume", "finished"], "idle"],
];
for (const [what, end, expected, state] of ends)
  test(`${what} ends the wait: nothing begins by itself later`, async () => {
    const m = machine(limit);
    const pod = await m.open();
    await pod.submit(go);
    await m.host.advance(1000);
    const ended = end(pod);
    await m.host.advance(1000);
    await ended;
    assert.notEqual(ended, false);
    await m.host.advance(10 * hourMs);
    assert.deepEqual((await m.runs()).slice(2), expected);
    assert.equal(pod.snapshot.state, state);
    assert.deepEqual(replay(await m.log()).unanswered, []);
    await pod.close();
  });

test("whoever resumes by hand is sent whatever is known of limits, also behind a pause of the user", async () => {
  let forgotten = 0;
  const m = machineOf({ scenario, forgetLimits: async () => void (forgotten += 1) }, limit, limit);
  const pod = await m.open();
  await pod.submit(go);
  assert.equal(pod.pause(), true);
  await m.host.advance(1000);
  assert.equal(forgotten, 0);
  await pod.resume();
  assert.equal(forgotten, 1);
  // By itself it believes what it knows.
  await passUntilDue(m.host);
  assert.deepEqual([pod.snapshot.state, forgotten], ["idle", 1]);
  await pod.close();
});

test("a server that fails is waited for like the network, a request that it refuses is not", async () => {
  for (const [retryable, expected] of [
    [true, ["user_send", "run_paused network", "resume", "finished"]],
    [false, ["user_send"]],
  ] as const) {
    const m = machine({ kind: "server", message: "Failed.", retryable });
    const pod = await m.open();
    await pod.submit(go);
    await passUntilDue(m.host, 15_000);
    assert.deepEqual(await m.runs(), expected);
    await pod.close();
  }
});

/** A wait of `waitMs` of a clock that is `aheadMs` wrong from its beginning to `setAtMs`. */
async function wentOnAt(waitMs: number, aheadMs: number, setAtMs: number): Promise<number[]> {
  const host = memoryHost({ seed: 1 });
  const elapsed = () => host.clock.monotonic();
  const clock = {
    now: () => host.clock.now() + (elapsed() < setAtMs ? aheadMs : 0),
    monotonic: elapsed,
  };
  const until = host.clock.now() + aheadMs + waitMs;
  const times: number[] = [];
  const timer = new PauseTimer({
    clock,
    timers: host.timers,
    wait: () => ({ id: "00000000/5", until }),
    goOn: async () => void times.push(elapsed()),
  });
  timer.look();
  await host.advance(50 * hourMs);
  return times;
}

test("a clock that was ahead strands no Pod", async () => {
  const fourYearsMs = 4 * 365 * 24 * hourMs;
  assert.deepEqual(await wentOnAt(hourMs, 0, 0), [hourMs]);
  assert.deepEqual(await wentOnAt(hourMs, fourYearsMs, hourMs / 2), [hourMs], "set while it waits");
  assert.deepEqual(await wentOnAt(hourMs, fourYearsMs, 0), [24 * hourMs], "set before it was opened");
});

test("what could not be gone on is tried again later, ever less often", async () => {
  const host = memoryHost({ seed: 1 });
  const times: number[] = [];
  const wait: { id: string; until: number } = { id: "00000000/5", until: host.clock.now() };
  const timer = new PauseTimer({
    ...host,
    wait: () => wait,
    goOn: async () => {
      times.push(host.clock.monotonic() / 60_000);
      if (times.length < 4) throw new Error("no space left");
    },
  });
  timer.look();
  await host.advance(10 * hourMs);
  assert.deepEqual(times, [0, 1, 3, 7]);
});

test("a stop for another run, or of a Pod that waits for somebody, stops nothing", async () => {
  const m = machine(limit);
  const pod = await m.open();
  await pod.submit(go);
  assert.equal(pod.cancel("99"), false);
  assert.equal(pod.pause(), true);
  await m.host.advance(1000);
  assert.deepEqual([pod.cancel(), pod.snapshot.state], [false, "paused"]);
  await pod.close();
});

test("when a Pod goes on: its own share of a tenth of the wait behind it, of a minute at most, and at once where it is past", () => {
  const wait = (digits: string, until: number) => ({ id: `019b76da-0000-7000-8000-0000${digits}/5`, until });
  assert.equal(dueMs(wait("00000000", 1000), 0), 1000);
  assert.equal(dueMs(wait("80000000", 1000), 0), 1050);
  assert.equal(dueMs(wait("ffffffff", 1000), 0), 1099);
  assert.equal(dueMs(wait("80000000", 20 * hourMs), 0), 20 * hourMs + spreadMsMax / 2);
  assert.equal(dueMs(wait("80000000", 1000), 1000), 1000);
  assert.equal(dueMs(wait("00000000", 24 * hourMs + 1), 0), 24 * hourMs);
  assert.equal(clockLookMs, 60_000);
});

const call = { tool_calls: [{ name: "Effect", arguments: { what: "a" } }] };
const bounds: readonly {
  readonly what: string;
  readonly more: Partial<SimulatedOptions>;
  readonly timeoutMs: number | null;
  readonly end: string;
}[] = [
  {
    what: "time: what is left of it",
    more: {
      scenario: JSON.stringify({
        steps: [
          { ...call, delay_ms: 600 },
          { text: "Late.", delay_ms: 600 },
        ],
      }),
    },
    timeoutMs: 1000,
    end: "time: 1000 ms",
  },
  {
    what: "turns: those that are left",
    more: {
      scenario: JSON.stringify({ steps: [call, call, { text: "One too many." }] }),
      manifest: manifestOf({ limits: { ...manifestOf().limits, max_turns: 2 } }),
    },
    timeoutMs: null,
    end: "turns: 2",
  },
];
for (const { what, more, timeoutMs, end } of bounds)
  test(`a run that goes on by itself keeps its limit of ${what}; the wait does not count`, async () => {
    const m = machineOf(more, limit, limit);
    const pod = await m.open();
    const paused = pod.submit(go, { timeoutMs });
    await m.host.advance(700);
    assert.equal((await paused).outcome.kind, "paused");
    await passUntilDue(m.host);
    assert.equal(pod.snapshot.state, "paused", "its word did not hold");
    await passUntilDue(m.host);
    await m.host.advance(10_000);
    const last = (await m.log()).findLast(({ kind }) => kind === "run_completed");
    assert.ok(last?.kind === "run_completed");
    assert.deepEqual([last.result, last.detail], ["limit_reached", end]);
    // Whoever goes on by hand says anew how long.
    const resumed = pod.resume({ timeoutMs: null });
    await m.host.advance(10_000);
    assert.equal((await resumed).outcome.kind, "finished");
    await pod.close();
  });
