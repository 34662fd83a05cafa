/** A run that is cancelled or paused at one moment, and what comes after it. */
import assert from "node:assert/strict";
import { memoryHost } from "@yoi/host";
import { entriesOf, judgeEnd, judgePrefixes } from "./judge.ts";
import { driven, type Machine, openPod, plainOwner, survey, verified } from "./life.ts";
import type { Session } from "./session.ts";
import { Witness } from "./witness.ts";

const call = (name: string, what: string, more: object = {}) => ({ name, arguments: { what, ...more } });

/** Everything that a run can wait for: the disk, a slow stream, a retry, tools in lanes, a tool that listens to no signal. */
const session: Session = {
  inputs: ["#0 begin", "#1 go on"],
  scenario: JSON.stringify({
    steps: [
      {
        attempts: [
          {
            reasoning: "Slowly now.",
            text: "Three calls.",
            pace_ms: 130,
            delay_ms: 400,
            tool_calls: [
              call("Effect", "a", { wait_ms: 300, lane: "x" }),
              call("Effect", "b", { wait_ms: 50, lane: "x" }),
              call("Fails", "c"),
            ],
          },
        ],
      },
      {
        retries: [{ wait_ms: 900, failure: { kind: "overloaded" } }],
        text: "And one that does not listen.",
        tool_calls: [call("Stubborn", "d"), call("Effect", "e")],
      },
      { attempts: [{ text: "This one breaks off.", cut_after: 10 }, { text: "Done." }] },
      ...Array.from({ length: 8 }, () => ({ text: "Nothing is left to do." })),
    ],
  }),
};

export interface Stop {
  readonly kind: "cancel" | "pause";
  /** At the `nth` operation of the disk after the Pod was opened, or at the `nth` event. */
  readonly at: "disk" | "event";
  readonly nth: number;
  /** False: nobody tells the Pod. For the control. */
  readonly delivered?: boolean;
}

/** A stopped run has ended after this: the grace that a tool has, and what the disk needs. */
const settledWithinMs = 7_000;

/** Returns false when the run has no such moment; what it was reported as otherwise. */
export async function stopped(stop: Stop): Promise<false | "stopped" | "finished"> {
  const witness = new Witness();
  const machine: Machine = {
    host: memoryHost({ seed: 4 }),
    leases: new Map(),
    session,
    witness,
    owner: plainOwner,
  };
  const { host } = machine;
  const pod = await driven(host, openPod(machine));
  let moments = 0;
  let stoppedAtMs: number | null = null;
  const moment = () => {
    moments += 1;
    if (moments !== stop.nth) return;
    stoppedAtMs = host.clock.monotonic();
    if (stop.delivered !== false) pod[stop.kind]();
  };
  if (stop.at === "event") witness.ports = { passed: (boundary) => void (boundary === "told" && moment()) };
  else {
    host.disk.plan = () => {
      moment();
      return "pass";
    };
  }
  let endedAtMs = Number.POSITIVE_INFINITY;
  const run = pod.submit([{ type: "text", text: "#0 begin" }]);
  run.then(() => (endedAtMs = host.clock.monotonic())).catch(() => {});
  const report = await driven(host, run);
  if (stoppedAtMs === null) return false;
  const { kind } = report.outcome;
  const asAsked = stop.kind === "pause" ? "paused" : "cancelled";
  assert.ok(kind === asAsked || kind === "finished", `a stopped run ended as ${kind}`);
  assert.ok(
    endedAtMs - stoppedAtMs <= settledWithinMs,
    `it ended ${endedAtMs - stoppedAtMs} ms after the stop`,
  );
  witness.reports.push(report);
  const wentOn = kind === "paused" ? "paused" : "idle";
  assert.equal(pod.snapshot.state, wentOn);

  // Nothing of the stop reaches the next run, also not one that comes too late.
  pod[stop.kind]();
  witness.ports = {};
  if (wentOn === "paused") witness.reports.push(await driven(host, pod.resume()));
  witness.reports.push(await driven(host, pod.submit([{ type: "text", text: "#1 go on" }])));
  assert.deepEqual(
    witness.reports.slice(1).map(({ outcome }) => outcome.kind),
    witness.reports.slice(1).map(() => "finished"),
  );
  // What did not listen ends some time: nobody is there to take its result.
  await host.advance(120_000);
  await driven(host, pod.close());
  await judgeStopped(machine, kind);
  return kind === "finished" ? "finished" : "stopped";
}

async function judgeStopped(machine: Machine, kind: "paused" | "cancelled" | "finished"): Promise<void> {
  const { host, witness } = machine;
  host.crash("power");
  const after: Machine = { ...machine, host: host.restart() };
  const entries = await survey(after, "at the end");
  assert.ok(entries !== null);
  judgeEnd(entries);
  judgePrefixes(witness.sent, entries);
  await verified(after);
  const pauses = entriesOf(entries, "run_paused").map(({ reason }) => reason);
  const results = entriesOf(entries, "run_completed").map(({ result }) => result);
  assert.deepEqual(pauses, kind === "paused" ? ["user"] : []);
  assert.deepEqual(results, kind === "cancelled" ? ["cancelled", "finished"] : ["finished", "finished"]);
  const whats = witness.effects.map(({ what }) => what);
  assert.equal(new Set(whats).size, whats.length, `an effect happened twice: ${whats.join(", ")}`);
}
