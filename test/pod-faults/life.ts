/** One life of a process that owns the simulated Pod: opened, driven through what is left of its session, until it is done or dies. */
import assert from "node:assert/strict";
import { flattenInput, type LogEntry, type Tool, YoiError } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { HostCrashed, type MemoryHost } from "@yoi/host";
import type { Model } from "@yoi/model";
import { type Pod, verifyPod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";

import type { SessionStore } from "@yoi/session-store";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { manifestOf, openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { entriesOf, judgeLog } from "./judge.ts";
import { type Closed, closedAs } from "./judge-live.ts";
import { sendNotices, type TimedNotice } from "./notices.ts";
import { attach, partsOf } from "./references.ts";
import type { Session } from "./session.ts";
import { extraTool, simulatedTools } from "./tools.ts";
import type { Witness } from "./witness.ts";

/** The machine, and the session that is played on it. A restart makes another one with the same disk. */
export interface Machine {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  readonly session: Session;
  /** Absent: nobody notifies. */
  readonly notices?: readonly TimedNotice[];
  readonly witness: Witness;
  /** What this owner does otherwise than another one. */
  readonly owner: Owner;
}

export interface Owner {
  readonly extraTool: boolean;
  readonly maxOutputTokens: number;
  readonly maxTurns: number | null;
  /** Whether it traces its events beside the log. */
  readonly traces: boolean;
  /** Whether a paused run is resumed, where a new input could be given instead. */
  readonly resumes: boolean;
  /** Absent: none. */
  readonly features?: readonly FeatureModule[];
  /** Planted faults: in the store below the ledger, between the ledger and the Pod, and between the Pod and its model. */
  readonly wrapStore?: (sessions: SessionStore, host: MemoryHost) => SessionStore;
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
  readonly wrapModel?: (model: Model) => Model;
}

export const plainOwner: Owner = {
  extraTool: false,
  maxOutputTokens: 1000,
  maxTurns: null,
  traces: false,
  resumes: true,
};

const failuresInARowMax = 12;

export function openPod(machine: Machine): Promise<Pod> {
  const { host, leases, session, witness, owner } = machine;
  const tools: Tool[] = [...simulatedTools(witness, host), ...(owner.extraTool ? [extraTool()] : [])];
  return openSimulated({
    host,
    leases,
    scenario: session.scenario,
    tools,
    attach,
    manifest: manifestOf({
      limits: { max_turns: owner.maxTurns, tool_output_bytes: 64 * 1024, file_upload_bytes: 262_144 },
      session: { record_event_trace: owner.traces },
    }),
    config: { model: "scripted/sim.yaml", max_output_tokens: owner.maxOutputTokens },
    features: owner.features ?? [],
    observer: witness.observer(host),
    wrapModel: (model) => {
      const watched = witness.model(host, model);
      return owner.wrapModel?.(watched) ?? watched;
    },
    wrapSessions: (sessions) => {
      const watched = witness.ledger.watch(owner.wrapStore?.(sessions, host) ?? sessions);
      return owner.wrapSessions?.(watched) ?? watched;
    },
  });
}

/** Moves virtual time until `work` settles. Throws what it throws, HostCrashed as soon as the host has crashed. */
export async function driven<T>(host: MemoryHost, work: Promise<T>): Promise<T> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  work.then(done, done);
  for (let seconds = 0; !settled && !host.crashed; seconds += 1) {
    assert.ok(seconds < 3_600, "stuck: an hour of virtual time has passed");
    await host.advance(1_000);
  }
  // What died with the host may never settle.
  if (host.crashed) throw new HostCrashed();
  return work;
}

/** Ends what is open, then gives the inputs that are not on record yet. Throws HostCrashed when the host dies. */
export async function live(machine: Machine): Promise<Closed> {
  const { host, session, witness, owner } = machine;
  const pod = await driven(host, openPod(machine));
  const sending = sendNotices(pod, machine.notices ?? [], machine);
  // Looked at below; until then it may fail unseen.
  sending.catch(() => {});
  const accepted = acceptedInputs(witness.ledger.acknowledged);
  const waiting = session.inputs.filter((input) => !accepted.has(input));
  // Where an input waits it may close what is open instead.
  if (owner.resumes || waiting.length === 0) await resumeOrNothing(machine, pod);
  for (const text of waiting) await toEnd(machine, pod, () => pod.submit(partsOf(text)));
  await driven(host, sending);
  if (machine.notices !== undefined) await allTold(machine, pod);
  await driven(host, pod.close());
  return closedAs(witness, pod.snapshot, true);
}

/** Runs until the turn is over, going on after failures, pauses and limits; a run that a notice began may have come to its end instead. */
async function toEnd(machine: Machine, pod: Pod, begin: () => ReturnType<Pod["submit"]>): Promise<void> {
  const { host, witness } = machine;
  let report = await driven(host, begin());
  witness.reports.push(report);
  for (let failures = 0; report.outcome.kind !== "finished"; failures += 1) {
    assert.ok(failures < failuresInARowMax, `the run does not end: ${JSON.stringify(report.outcome)}`);
    try {
      report = await driven(host, pod.resume());
    } catch (error) {
      if (machine.notices === undefined || !isNothingToResume(error)) throw error;
      return;
    }
    witness.reports.push(report);
  }
}

async function resumeOrNothing(machine: Machine, pod: Pod): Promise<void> {
  try {
    await toEnd(machine, pod, () => pod.resume());
  } catch (error) {
    if (!isNothingToResume(error)) throw error;
  }
}

function isNothingToResume(error: unknown): boolean {
  return error instanceof YoiError && error.code === "nothing_to_resume";
}

/** Runs that began by themselves come to their end, and what they left is gone on with. */
async function allTold(machine: Machine, pod: Pod): Promise<void> {
  // Whoever asks waits for such a run; where nothing is left after it, there is nothing to resume.
  await resumeOrNothing(machine, pod);
  const failed = pod.alerts.find(({ level }) => level === "error");
  if (failed !== undefined) throw new YoiError("io_failed", failed.message);
  assert.equal(pod.snapshot.waiting, 0, "somebody is told that nothing is to be done, and notices wait");
}

function acceptedInputs(entries: readonly LogEntry[]): ReadonlySet<string> {
  return new Set(entriesOf(entries, "user_input").map(({ parts }) => flattenInput(parts)));
}

/** What a reader finds, judged: the log, and that the Pod's name refers to a segment that is there. Null: there is no Pod. */
export async function survey(
  { host, leases, witness }: Machine,
  where: string,
): Promise<readonly LogEntry[] | null> {
  const { pods, sessions } = simulatedStores(host, leases);
  const record = await pods.read(simulatedPod);
  if (record === null) {
    const { sent, told, reports, effects } = witness;
    assert.equal(sent.length + told.length + reports.length + effects.length, 0, `${where}: the Pod is gone`);
    return null;
  }
  const { pointer } = record;
  assert.ok(pointer.state === "active", `${where}: the Pod has no segment`);
  const view = await sessions.read(pointer);
  assert.deepEqual([view.damage, view.ready], [null, true], `${where}: the Pod's segment is not sound`);
  judgeLog(witness, view.entries, where);
  return view.entries;
}

/** Every request is rebuilt from the log, its bytes too. */
export async function verified({ host, leases, session }: Machine): Promise<void> {
  const report = await verifyPod(simulatedStores(host, leases), simulatedPod, {
    wireRequestsMax: 500,
    openModel: async () =>
      openScripted({ name: "sim.yaml", text: session.scenario, ports: { timers: host.timers } }),
  });
  assert.deepEqual(report.problems, []);
  assert.equal(report.wireChecked, report.requests);
}
