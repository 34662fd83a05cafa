/** A Pod's day that is cancelled or paused at one moment, and what comes after it. */
import assert from "node:assert/strict";
import { promiseHooks } from "node:v8";
import { type LogEntry, isKnown } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost, noFaults } from "@yoi/host";
import type { Pod, PodEvent, RunReport } from "@yoi/pod";
import { replay } from "@yoi/session-store";
import type { RunOutcome } from "@yoi/worker";
import { descriptorOf } from "../../packages/pod/test/feature/features.ts";
import { isClosing, judgeEnd, judgePrefixes } from "./judge.ts";
import { driven, type Machine, openPod, plainOwner, survey, verified } from "./life.ts";
import { partsOf, references } from "./references.ts";
import type { Session } from "./session.ts";
import { Witness } from "./witness.ts";

const call = (name: string, what: string, more: object = {}) => ({ name, arguments: { what, ...more } });

/** Everything that a run can wait for: the disk, a slow stream, a retry, tools in lanes, a tool that listens to no signal, a provider's limit. */
const session: Session = {
  inputs: [`#0 begin${references}`, "#1 go on"],
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
      { text: "I was told.", tool_calls: [call("Effect", "f")] },
      ...Array.from({ length: 8 }, () => ({ text: "Nothing is left to do." })),
    ],
  }),
};

/** Puts an item into history before the first requests, and pauses the run in the gates of one batch. */
function hooked(): FeatureModule {
  let reminders = 0;
  let pauses = 0;
  return {
    descriptor: descriptorOf("builtin:remind", {
      hooks: [
        { name: "remind", point: "pre_llm_request", required: true },
        { name: "wait", point: "pre_tool_call", required: true },
      ],
    }),
    install: ({ hooks }) => {
      hooks.preLlmRequest("remind", ({ systemItems }) => {
        reminders += 1;
        if (reminders <= 2) systemItems?.appendTaskReminder(`Reminder ${reminders}.`);
        return { action: "continue" };
      });
      hooks.preToolCall("wait", async ({ arguments: args }) => {
        await Promise.resolve();
        if (args["what"] !== "e") return { action: "continue" };
        pauses += 1;
        return pauses === 1 ? { action: "pause", reason: "Once." } : { action: "continue" };
      });
    },
  };
}

export interface Stop {
  readonly kind: "cancel" | "pause";
  /** At the `nth` operation of the disk after the Pod was opened, at the `nth` event, or where the `nth` await of the process goes on. */
  readonly at: "disk" | "event" | "await";
  readonly nth: number;
  /** False: nobody tells the Pod. For the control. */
  readonly delivered?: boolean;
}

/** A stopped run has ended after this: the grace that a tool has, and what the disk needs. */
const settledWithinMs = 7_000;

export interface Stopped {
  /** Whether something ran that the stop could hit, and that it changed. */
  readonly end: "stopped" | "finished";
  /** Moments of that kind that passed until everything had ended. */
  readonly moments: number;
}

/** Returns false when the day has no such moment. */
export async function stopped(stop: Stop): Promise<false | Stopped> {
  const witness = new Witness();
  const owner = { ...plainOwner, features: [hooked()] };
  const machine: Machine = { host: memoryHost({ seed: 4 }), leases: new Map(), session, witness, owner };
  const { host } = machine;
  const pod = await driven(host, openPod(machine));
  const day = new Day(machine, pod);
  let moments = 0;
  let stoppedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  let wasRunning = false;
  const moment = () => {
    moments += 1;
    if (moments !== stop.nth) return;
    stoppedAtMs = host.clock.monotonic();
    wasRunning = pod.snapshot.state === "running";
    if (stop.delivered !== false) assert.equal(pod[stop.kind](), wasRunning);
  };
  const ended = () => {
    if (stoppedAtMs !== null && wasRunning) endedAtMs ??= host.clock.monotonic();
  };
  const unwatch = watch(stop, machine, moment, ended);
  try {
    await day.asPlanned(() => stoppedAtMs === null);
  } finally {
    unwatch();
  }
  if (stoppedAtMs === null) return false;
  if (wasRunning) {
    const tookMs = (endedAtMs ?? Number.POSITIVE_INFINITY) - stoppedAtMs;
    assert.ok(tookMs <= settledWithinMs, `it ended ${tookMs} ms after the stop`);
  }
  const asAsked = stop.kind === "pause" ? "paused" : "cancelled";
  const hit = day.outcomes.filter((outcome) => isStop(outcome));
  assert.ok(hit.length <= 1, `one stop ended ${hit.length} runs`);
  // A run that was to tell the model something, and had not, leaves nothing to go on with.
  const untold = toldNothing(await entriesNow(machine)) ? ["cancelled"] : [];
  for (const { kind } of hit)
    assert.ok([asAsked, "rolled_back", ...untold].includes(kind), `a stopped run ended as ${kind}`);
  const rests = day.outcomes.at(-1)?.kind === "paused" ? "paused" : "idle";
  assert.equal(pod.snapshot.state, rests);
  judgeOpenCalls(day.outcomes.at(-1), await entriesNow(machine));

  // Nothing of the stop reaches the next run, also not one that comes too late.
  assert.equal(pod[stop.kind](), false);
  await day.toItsEnd(rests === "paused");
  await driven(host, pod.close());
  await judgeDay(machine, day.outcomes);
  return { end: hit.length > 0 || day.wasNeverOnRecord ? "stopped" : "finished", moments };
}

/** One input, the resume behind its pause, a notice and the run that it begins: until the stop came. Behind it, what is left and another input. */
class Day {
  wasNeverOnRecord = false;
  /** As they were told, in order. */
  readonly outcomes: RunOutcome[] = [];
  readonly #machine: Machine;
  readonly #pod: Pod;

  constructor(machine: Machine, pod: Pod) {
    this.#machine = machine;
    this.#pod = pod;
  }

  async asPlanned(goesOn: () => boolean): Promise<void> {
    const {
      host,
      session: { inputs },
    } = this.#machine;
    const pod = this.#pod;
    await this.#run(() => pod.submit(partsOf(inputs[0] ?? "")));
    if (goesOn()) await this.#run(() => pod.resume());
    if (!goesOn()) return;
    await driven(host, pod.notify({ source: "host", message: "Somebody says something." }));
    // The run that it begins.
    for (let seconds = 0; pod.snapshot.state === "running"; seconds += 1) {
      assert.ok(seconds < 100, "a run of its own does not end");
      await host.advance(1_000);
    }
    this.#told();
  }

  async toItsEnd(isPaused: boolean): Promise<void> {
    const {
      host,
      witness,
      session: { inputs },
    } = this.#machine;
    const pod = this.#pod;
    witness.ports = {};
    const before = this.outcomes.length;
    if (isPaused) await this.#run(() => pod.resume());
    await this.#afterHook();
    await this.#run(() => pod.submit(partsOf(inputs[1] ?? "")));
    await this.#afterHook();
    for (const outcome of this.outcomes.slice(before))
      assert.ok(outcome.kind === "finished" || isOfHook(outcome), `a run behind the stop: ${outcome.kind}`);
    // What did not listen ends some time: nobody is there to take its result.
    await host.advance(120_000);
  }

  /** Goes on where the hook paused the run only now. */
  async #afterHook(): Promise<void> {
    const last = this.outcomes.at(-1);
    if (last !== undefined && isOfHook(last)) await this.#run(() => this.#pod.resume());
  }

  async #run(begin: () => Promise<RunReport>): Promise<void> {
    const { host, witness } = this.#machine;
    const running = begin();
    running.catch(() => {});
    const report = await driven(host, running);
    if (report.accepted) witness.reports.push(report);
    else this.wasNeverOnRecord = true;
    this.#told();
  }

  /** What drive told of the ends of runs, since it was asked last. */
  #told(): void {
    const ends = this.#machine.witness.told.filter(
      (event): event is Extract<PodEvent, { type: "run_ended" }> => event.type === "run_ended",
    );
    this.outcomes.length = 0;
    for (const { report } of ends) {
      if (report.accepted) this.outcomes.push(report.outcome, ...report.followed);
    }
  }
}

function isOfHook(outcome: RunOutcome): boolean {
  return outcome.kind === "paused" && outcome.reason === "hook";
}

function isStop(outcome: RunOutcome): boolean {
  return (
    outcome.kind === "cancelled" ||
    outcome.kind === "rolled_back" ||
    (outcome.kind === "paused" && outcome.reason === "user")
  );
}

/** Calls `moment` at each of the kind, and `ended` when it is told that a run has ended; returns how that ends. */
function watch({ at }: Stop, { host, witness }: Machine, moment: () => void, ended: () => void): () => void {
  witness.ports = {
    passed: (boundary) => {
      if (boundary !== "told") return;
      if (witness.told.at(-1)?.type === "run_ended") ended();
      if (at === "event") moment();
    },
  };
  if (at === "disk") {
    host.disk.plan = () => {
      moment();
      return "pass";
    };
  }
  const unhook = at === "await" ? promiseHooks.onBefore(moment) : null;
  return () => {
    unhook?.();
    witness.ports = {};
    host.disk.plan = noFaults;
  };
}

async function entriesNow(machine: Machine): Promise<readonly LogEntry[]> {
  const entries = await survey(machine, "behind the stop");
  assert.ok(entries !== null);
  return entries;
}

/** Whether the last run began by itself and brought nothing into history. */
function toldNothing(entries: readonly LogEntry[]): boolean {
  const last = entries.findLast((entry) => isKnown(entry) && entry.kind === "invoke");
  if (last === undefined || !isKnown(last) || last.kind !== "invoke") return false;
  return last.trigger === "notify" && (replay(entries).items.at(-1)?.seq ?? -1) < last.seq;
}

/** A cancel closes every call; a pause leaves open what was not started, and nothing else. */
function judgeOpenCalls(last: RunOutcome | undefined, entries: readonly LogEntry[]): void {
  const { unanswered } = replay(entries);
  if (last?.kind !== "paused") assert.deepEqual(unanswered, []);
  for (const { call: id, started } of unanswered) assert.ok(!started, `${id} was started, and is left open`);
}

async function judgeDay(machine: Machine, outcomes: readonly RunOutcome[]): Promise<void> {
  const { host, witness } = machine;
  host.crash("power");
  const after: Machine = { ...machine, host: host.restart() };
  const entries = await survey(after, "at the end");
  assert.ok(entries !== null);
  judgeEnd(entries);
  judgePrefixes(witness.sent, entries);
  await verified(after);
  assert.deepEqual(
    entries.filter(isClosing).map(closedAs),
    outcomes.map(({ kind }) => kind),
    "the closing records are not how the runs were told to have ended",
  );
  const whats = witness.effects.map(({ what }) => what);
  assert.equal(new Set(whats).size, whats.length, `an effect happened twice: ${whats.join(", ")}`);
}

function closedAs(entry: LogEntry): string {
  if (!isKnown(entry)) return "unknown";
  if (entry.kind === "run_completed") return entry.result;
  return entry.kind === "run_paused"
    ? "paused"
    : entry.kind === "turn_rolled_back"
      ? "rolled_back"
      : "failed";
}
