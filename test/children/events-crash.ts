/** A parent, its child or both are killed at a call to the disk, while the child works and ends: whatever ended is told once, in order. */
import assert from "node:assert/strict";
import { isKnown, type LogEntry } from "@yoi/base";
import type { SimulatedProcess } from "../support/simulated-process.ts";
import { aCall, aRequest, SimulatedTree } from "../support/simulated-tree.ts";

const scenario = JSON.stringify({ steps: Array.from({ length: 8 }, (_, n) => ({ text: `Answer ${n}.` })) });
/** Calls to the disk of each of the two in which a kill is tried; the child's whole work has about as many. */
const callsMax = 24;
const victims = ["parent", "kid", "both"] as const;

export interface CrashCase {
  readonly victim: (typeof victims)[number];
  readonly call: number;
  readonly when: "before" | "after";
}

export const crashCases: readonly CrashCase[] = victims.flatMap((victim) =>
  Array.from({ length: callsMax }, (_, call) => call + 1).flatMap((call) =>
    (["before", "after"] as const).map((when) => ({ victim, call, when })),
  ),
);

export interface Outcome {
  /** Seqs of what ended in the child's log, in order. */
  readonly ended: readonly number[];
  /** Seqs of what the parent accepted of it, in order. */
  readonly told: readonly number[];
  /** Whether the parent died of the plan. */
  readonly isParentCut: boolean;
}

export async function crashed({ victim, call, when }: CrashCase, seed: number): Promise<Outcome> {
  const tree = new SimulatedTree({ seed });
  tree.behaviour.set("kid", { open: { scenario } });
  const parent = await tree.open("parent", { scenario, beginsOwnRuns: true });
  await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
  const kid = tree.find("kid");
  assert.ok(kid !== null);
  const doomed = [
    ...(victim === "kid" ? [] : [parent.process]),
    ...(victim === "parent" ? [] : [kid.process]),
  ];
  for (const process of doomed) killIn(process, call, when);
  await quiet(tree);
  const more = kid.pod.submit([{ type: "text", text: "more" }]);
  await Promise.race([
    tree.through(Promise.race([more, kid.process.died.promise])),
    kid.process.died.promise,
  ]);
  await quiet(tree);
  if (!kid.process.isDead) void kid.end();
  await quiet(tree);
  const isParentCut = parent.process.isDead;
  for (const name of ["parent", "kid"])
    if (tree.find(name) !== null) disarm(tree.find(name)?.process ?? null);
  if (tree.find("parent") === null)
    await tree.through(tree.open("parent", { scenario, beginsOwnRuns: true }));
  await quiet(tree);
  const [kids, parents] = [(await tree.log("kid")).entries, (await tree.log("parent")).entries];
  return { ended: endedIn(kids), told: toldIn(parents), isParentCut };
}

/** Throws unless all that ended was told once, in order. */
export function judge({ ended, told }: Pick<Outcome, "ended" | "told">): void {
  assert.deepEqual(told, ended);
}

function killIn(process: SimulatedProcess, call: number, when: CrashCase["when"]): void {
  const from = process.diskCalls;
  process.killAt = ({ nth }) => (nth === from + call ? when : null);
}

function disarm(process: SimulatedProcess | null): void {
  if (process !== null) process.killAt = () => null;
}

/** Time for everything that goes on to come to its end, evidence of a death included. */
async function quiet(tree: SimulatedTree): Promise<void> {
  for (let n = 0; n < 40; n += 1) {
    await tree.host.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Read without the code under test: ends of runs. The shutdown is told by whoever takes the loan back. */
function endedIn(entries: readonly LogEntry[]): readonly number[] {
  const ends = ["run_completed", "run_paused", "run_errored", "turn_rolled_back"];
  return entries.filter(({ kind }) => ends.includes(kind)).map(({ seq }) => seq);
}

function toldIn(entries: readonly LogEntry[]): readonly number[] {
  return entries.filter(isKnown).flatMap((entry) => {
    const name = entry.kind === "inbox_accepted" ? (entry.submission ?? "") : "";
    return name.startsWith("child/kid/") ? [Number(name.split("/").at(-1))] : [];
  });
}
