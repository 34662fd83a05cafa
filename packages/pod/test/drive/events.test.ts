/** What drive tells: each change of state once, and the end of each run behind the record that closes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import { openParts, type Parts, type PartsOptions } from "../../../../test/inbox/parts.ts";
import { openSimulated } from "../../../../test/support/simulated-pod.ts";
import type { DriveEvent } from "../../src/index.ts";

interface Case {
  readonly name: string;
  readonly steps?: readonly object[];
  readonly options?: Partial<PartsOptions>;
  readonly play: (parts: Parts, host: PartsOptions["host"]) => Promise<unknown>;
  /** Closing records as they become durable, and what is told. */
  readonly expected: readonly string[];
}

const slow = { attempts: [{ text: "A first piece, and then more", pace_ms: 500 }] };
const hook = { promptSubmit: async () => ({ action: "cancel", reason: "no" }) as const };

async function stopping(parts: Parts, host: PartsOptions["host"], stop: () => unknown, afterMs: number) {
  const running = parts.submit("go");
  await host.advance(afterMs);
  stop();
  await host.advance(10_000);
  await running;
}

const cases: readonly Case[] = [
  {
    name: "a run that finishes",
    play: (parts) => parts.submit("go"),
    expected: ["running", "run_completed", "ended 4 finished", "idle"],
  },
  {
    name: "a run that is paused, and goes on",
    steps: [slow],
    play: async (parts, host) => {
      await stopping(parts, host, () => parts.drive.stop("pause"), 700);
      const resumed = parts.drive.resume({ timeoutMs: null });
      await host.advance(60_000);
      await resumed;
    },
    expected: [
      "running",
      "run_paused",
      "ended 4 paused",
      "paused",
      "running",
      "run_completed",
      "ended 11 finished",
      "idle",
    ],
  },
  {
    name: "a run that is rolled back",
    steps: [{ text: "One.", delay_ms: 900 }],
    play: (parts, host) => stopping(parts, host, () => parts.drive.stop("cancel"), 100),
    expected: ["running", "turn_rolled_back", "ended 4 rolled_back", "idle"],
  },
  {
    name: "a run that is stopped before it is on record",
    options: { input: { promptSubmit: () => new Promise(() => {}) } },
    play: (parts, host) => stopping(parts, host, () => parts.drive.stop("cancel"), 100),
    expected: ["running", "ended null cancelled", "idle"],
  },
  {
    name: "an input that is refused",
    options: { input: hook },
    play: (parts) => assert.rejects(parts.submit("go"), { code: "prompt_refused" }),
    expected: ["running", "idle"],
  },
  {
    name: "a run of its own",
    play: async (parts, host) => {
      await parts.notify("news");
      await host.advance(1_000);
    },
    expected: ["running", "run_completed", "ended 5 finished", "idle"],
  },
  {
    name: "an asked run behind one of its own, and what arrived in it: running all the while",
    steps: [{ text: "Heard.", delay_ms: 300 }, { text: "Two.", delay_ms: 300 }, { text: "Three." }],
    play: async (parts, host) => {
      await parts.notify("news");
      const asked = parts.submit("go");
      await host.advance(400);
      await parts.notify("more");
      await host.advance(10_000);
      await asked;
    },
    expected: [
      "running",
      "run_completed",
      "ended 5 finished",
      "run_completed",
      "run_completed",
      "ended 12 finished finished",
      "idle",
    ],
  },
  {
    name: "a log that cannot be written",
    play: async (parts, host) => {
      host.disk.plan = ({ kind, path }) => {
        const isLog = kind === "write" && path.includes("/sessions/");
        return isLog && parts.gate.state.run.state === "running" ? "ENOSPC" : "pass";
      };
      await assert.rejects(parts.submit("go"), { code: "disk_full" });
      host.disk.plan = noFaults;
    },
    expected: ["running", "failed 4", "idle"],
  },
  {
    name: "a run of its own that cannot begin",
    play: async (parts, host) => {
      await parts.inbox.accept({ source: "test", message: "news" });
      host.disk.plan = ({ kind }) => (kind === "write" ? "ENOSPC" : "pass");
      parts.drive.notified();
      await host.advance(100);
      host.disk.plan = noFaults;
    },
    expected: ["running", "failed null", "idle"],
  },
];

const line = (event: DriveEvent): string => {
  switch (event.type) {
    case "state":
      return event.state;
    case "run_failed":
      return `failed ${event.run}`;
    case "run_ended": {
      const { outcome, followed } = event.report;
      return ["ended", String(event.run), outcome.kind, ...followed.map(({ kind }) => kind)].join(" ");
    }
  }
};

for (const { name, steps, options, play, expected } of cases) {
  test(name, async () => {
    const host = memoryHost({ seed: 7 });
    const trace: string[] = [];
    const parts = await openParts({
      host,
      scenario: JSON.stringify({ steps: steps ?? [{ text: "One." }, { text: "Two." }] }),
      beginsOwnRuns: true,
      observe: (event) => void trace.push(line(event)),
      ...options,
    });
    parts.gate.onCommit((entries) => {
      for (const entry of entries)
        if (isKnown(entry) && /^(run_|turn_rolled)/.test(entry.kind)) trace.push(entry.kind);
    });
    await play(parts, host);
    assert.deepEqual(trace, expected);
    await parts.close();
  });
}

test("whoever hears that a run ended may begin the next one there and then; an observer that throws changes nothing", async () => {
  const host = memoryHost({ seed: 7 });
  const states: string[] = [];
  let next: Promise<unknown> | null = null;
  const parts: Parts = await openParts({
    host,
    scenario: JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }] }),
    observe: (event) => {
      if (event.type === "state") states.push(event.state);
      if (event.type === "run_ended") next ??= parts.submit("on");
      throw new Error("no");
    },
  });
  assert.equal((await parts.submit("go")).outcome.kind, "finished");
  await next;
  assert.deepEqual(states, ["running", "idle"]);
  await parts.close();
});

test("paused survives a restart, which tells nothing of it, and the same turn is resumed", async () => {
  const host = memoryHost({ seed: 7 });
  const leases = new Map();
  const scenario = JSON.stringify({ steps: [slow] });
  const events: string[] = [];
  const pod = await openSimulated({ host, leases, scenario, tools: [] });
  const running = pod.submit([{ type: "text", text: "go" }]);
  await host.advance(700);
  assert.equal(pod.pause(), true);
  assert.deepEqual((await running).outcome, { kind: "paused", reason: "user", detail: "paused by the user" });
  await pod.close();
  const restored = await openSimulated({
    host,
    leases,
    scenario,
    tools: [],
    observer: (event) => void events.push(event.type === "state" ? event.state : event.type),
  });
  assert.deepEqual([restored.snapshot.state, events], ["paused", []]);
  assert.equal(restored.pause(), false);
  const resumed = restored.resume();
  await host.advance(60_000);
  const { outcome, turns } = await resumed;
  assert.deepEqual([outcome.kind, turns, restored.snapshot.state], ["finished", 1, "idle"]);
  assert.deepEqual([events[0], events.at(-1)], ["running", "idle"]);
  await restored.close();
});
