/** A run whose disk fails at one operation: what the Pod does with it, and whether it goes on when the disk is well again. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import {
  type DiskEffect,
  type DiskOperation,
  type DiskOperationKind,
  type FaultPlan,
  memoryHost,
  noFaults,
} from "@yoi/host";
import type { RunReport } from "@yoi/pod";
import { judgeEnd, judgePrefixes } from "./judge.ts";
import { type Closed, closedAs, judgeLive } from "./judge-live.ts";
import { driven, live, type Machine, openPod, type Owner, plainOwner, survey, verified } from "./life.ts";
import type { Session } from "./session.ts";
import { Witness } from "./witness.ts";

const effect = (what: string, more: object = {}) => ({ name: "Effect", arguments: { what, ...more } });

/** Every way in which a run writes: parallel calls, calls in a lane, a refused one, pieces of a slow stream, a broken stream. */
export const writingSession: Session = {
  inputs: ["#0 begin"],
  scenario: JSON.stringify({
    steps: [
      {
        reasoning: "Three at once, two of them in a lane, and one that does not exist.",
        text: "All of them.",
        pace_ms: 120,
        tool_calls: [
          effect("a", { wait_ms: 30 }),
          effect("b", { lane: "x" }),
          effect("c", { lane: "x" }),
          { name: "Nowhere", arguments: {} },
        ],
      },
      {
        attempts: [
          { text: "This one breaks off.", cut_after: 12 },
          { text: "Again.", tool_calls: [effect("d")] },
        ],
      },
      { text: "Done." },
      { text: "Nothing is left." },
      { text: "Nothing is left." },
    ],
  }),
};

/** An input that is larger than a line may be, for a model that takes it. */
export const blobSession: Session = {
  inputs: [`#0 ${"x".repeat(1_048_576)}`],
  scenario: JSON.stringify({
    context_window: 1_000_000,
    steps: [{ text: "That was long." }, { text: "Nothing is left." }],
  }),
};

export interface Fault {
  readonly kind: DiskOperationKind;
  /** Counts the operations of the kind that `path` matches; from 1. */
  readonly nth: number;
  readonly path?: RegExp;
  readonly effect: DiskEffect;
  /** All later ones of them fail too. */
  readonly lasting?: boolean;
  /** Another fault that comes with it. */
  readonly and?: FaultPlan;
}

export interface Course {
  /** False: the run has fewer such operations. */
  readonly happened: boolean;
  /** Code of the first failure that the client saw. */
  readonly failedWith: string | null;
}

export interface Circumstances {
  readonly session?: Session;
  readonly owner?: Owner;
}

/** Runs the session under the fault, then goes on with a well disk, and judges both. */
export async function underFault(fault: Fault, circumstances: Circumstances = {}): Promise<Course> {
  const { session = writingSession, owner = plainOwner } = circumstances;
  const witness = new Witness();
  const first: Machine = { host: memoryHost({ seed: 9 }), leases: new Map(), session, witness, owner };
  const { host } = first;
  let seen = 0;
  let atPoison: object | null = null;
  host.disk.plan = (operation) => {
    const matches = operation.kind === fault.kind && (fault.path?.test(operation.path) ?? true);
    if (matches) seen += 1;
    const hit = matches && (fault.lasting === true ? seen >= fault.nth : seen === fault.nth);
    const taken = hit ? fault.effect : (fault.and?.(operation) ?? "pass");
    if (isPoison(operation, taken)) atPoison ??= left(witness);
    return taken;
  };
  const { failedWith, closed } = await failureOf(first);
  if (atPoison !== null) {
    assert.deepEqual(
      left(witness),
      atPoison,
      "something was acknowledged, told or sent after a failed sync of the log",
    );
  }
  host.disk.plan = noFaults;
  const afterFault = await survey(first, "after the fault");
  if (closed !== null) judgeLive(closed, afterFault ?? []);

  host.crash("process");
  const second: Machine = { ...first, host: host.restart() };
  const secondClosed = await live(second);
  second.host.crash("power");
  const last: Machine = { ...second, host: second.host.restart() };
  const entries = await survey(last, "at the end");
  assert.ok(entries !== null, "at the end there is no Pod");
  judgeEnd(entries);
  judgeLive(secondClosed, entries);
  judgePrefixes(witness.sent, entries);
  await verified(last);
  const whats = witness.effects.map(({ what }) => what);
  assert.equal(new Set(whats).size, whats.length, `an effect happened twice: ${whats.join(", ")}`);
  return { happened: seen >= fault.nth, failedWith };
}

function isPoison({ kind, path }: DiskOperation, taken: DiskEffect): boolean {
  return taken !== "pass" && (kind === "sync" || kind === "truncate") && path.endsWith(".jsonl");
}

const recordEvents: ReadonlySet<string> = new Set([
  "request_recorded",
  "answer",
  "text",
  "tool_start",
  "tool_end",
  "denied",
]);

/** What had left the machine at one moment. Effects apart: a call that was started in time may have its effect later. */
function left({ sent, told, reports, ledger }: Witness): object {
  return {
    sent: sent.length,
    told: told.filter(({ type }) => recordEvents.has(type)),
    reports: reports.length,
    acknowledged: ledger.acknowledged.length,
  };
}

interface Failure {
  /** What the client saw fail first; null: nothing. */
  readonly failedWith: string | null;
  /** Null: it could not be opened. */
  readonly closed: Closed | null;
}

/** After a failure the same process is asked to go on, and then closed. */
async function failureOf(machine: Machine): Promise<Failure> {
  const failures: string[] = [];
  const note = (error: unknown) => {
    assert.ok(error instanceof YoiError, `not a typed error: ${String(error)}`);
    if (error.code !== "nothing_to_resume") failures.push(error.code);
  };
  const pod = await driven(machine.host, openPod(machine)).catch(note);
  if (pod === undefined) return { failedWith: failures[0] ?? null, closed: null };
  await asked(machine, () => pod.submit([{ type: "text", text: machine.session.inputs[0] ?? "" }])).catch(
    note,
  );
  if (failures.length > 0) await asked(machine, () => pod.resume()).catch(note);
  await driven(machine.host, pod.close()).catch(note);
  return {
    failedWith: failures[0] ?? null,
    closed: closedAs(machine.witness, pod.snapshot, failures.length === 0),
  };
}

async function asked({ host, witness }: Machine, run: () => Promise<RunReport>): Promise<void> {
  const report = await driven(host, run());
  witness.reports.push(report);
  assert.equal(report.outcome.kind, "finished");
}
