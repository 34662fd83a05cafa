/** A Pod whose user gives inputs for later, on a machine that dies, with a user who cancels and takes back: an outsider knows what was promised. */
import assert from "node:assert/strict";
import { flattenInput, type InputPart, isKnown, type LogEntry, YoiError } from "@yoi/base";
import { HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import { type Pod, readActive, verifyPod } from "@yoi/pod";
import { replay, type SessionStore } from "@yoi/session-store";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { effectTool, openSimulated, simulatedPod, simulatedStores, World } from "../support/simulated-pod.ts";
import { driven } from "./life.ts";
import { attach } from "./references.ts";

/** What happens at the nth moment of the first life; those behind it go undisturbed. */
export interface Disturbance {
  /** disk: before an operation. commit: when a batch is in history. event: when a watcher is told something. */
  readonly at: "disk" | "commit" | "event";
  readonly nth: number;
  readonly what: "kill" | "power" | "cancel" | "pause";
}

export interface QueueCase {
  readonly disturbances: readonly Disturbance[];
  /** A planted fault, between the Pod and its store. */
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
}

interface Wish {
  readonly text: string;
  readonly when: "boundary" | "run_end";
  readonly afterMs: number;
  /** How long behind its acknowledgement it is taken back. */
  readonly backAfterMs?: number;
  readonly files?: number;
}

/** Around the boundaries of the first run, which lie at 100, 200 and 300 ms. */
const wishes: readonly Wish[] = [
  { text: "b1", when: "boundary", afterMs: 20 },
  { text: "r1", when: "run_end", afterMs: 30 },
  { text: "b2", when: "boundary", afterMs: 60, files: 2 },
  { text: "gone", when: "run_end", afterMs: 70, backAfterMs: 60 },
  { text: "raced", when: "boundary", afterMs: 150, backAfterMs: 50 },
  { text: "r2", when: "run_end", afterMs: 250 },
  { text: "late", when: "boundary", afterMs: 290, backAfterMs: 110 },
];
const first = { parts: [{ type: "text", text: "first" }] as const, submission: "first" };
const effect = (what: string) => ({ delay_ms: 100, tool_calls: [{ name: "Effect", arguments: { what } }] });
const scenario = JSON.stringify({
  steps: [
    effect("a"),
    effect("b"),
    ...Array.from({ length: 12 }, () => ({ text: "That is all.", delay_ms: 100 })),
  ],
});
const livesMax = 8;

/** Outside of every life: what the user was told. */
class Outside {
  host: MemoryHost = memoryHost({ seed: 8 });
  readonly leases = new Map();
  readonly world = new World();
  /** Ids, by text. */
  readonly acknowledged = new Map<string, string>();
  readonly takenBack = new Set<string>();
  /** Taking it back was refused, because it was taken. */
  readonly refused = new Set<string>();
  /** It was asked for, and nobody heard what came of it: it may have been done. */
  readonly unheard = new Set<string>();
}

/** @returns how many moments of each kind the first life had. Throws what does not hold. */
export async function queueCase({
  disturbances,
  wrapSessions,
}: QueueCase): Promise<Readonly<Record<Disturbance["at"], number>>> {
  const outside = new Outside();
  const moments = { disk: 0, commit: 0, event: 0 };
  for (let life = 0; ; life += 1) {
    assert.ok(life < livesMax, "it does not come to an end");
    const disturbance = disturbances[life];
    try {
      await live(outside, {
        ...(disturbance === undefined ? {} : { disturbance }),
        ...(wrapSessions === undefined ? {} : { wrapSessions }),
        ...(life === 0 ? { moments } : {}),
      });
    } catch (error) {
      if (!(error instanceof HostCrashed)) throw error;
      await outside.host.advance(0);
      outside.host.crash(disturbance?.what === "power" ? "power" : "process");
      outside.host = outside.host.restart();
      await survey(outside, `behind death ${life + 1}`);
      continue;
    }
    outside.host.crash("power");
    outside.host = outside.host.restart();
    await judgeEnd(outside);
    return moments;
  }
}

interface Life {
  readonly disturbance?: Disturbance;
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
  readonly moments?: Record<Disturbance["at"], number>;
}

/** One process: the user gives what is not acknowledged, and sees to it that everything comes to its end. */
async function live(
  outside: Outside,
  { disturbance, wrapSessions, moments = { disk: 0, commit: 0, event: 0 } }: Life,
): Promise<void> {
  const { host, leases, world } = outside;
  const opened: { pod: Pod | null } = { pod: null };
  const moment = (at: Disturbance["at"]): "pass" | "crash" => {
    moments[at] += 1;
    if (disturbance?.at !== at || disturbance.nth !== moments[at]) return "pass";
    switch (disturbance.what) {
      case "kill":
      case "power":
        if (at === "disk") return "crash";
        host.crash(disturbance.what === "kill" ? "process" : "power");
        return "pass";
      case "cancel":
        opened.pod?.cancel();
        return "pass";
      case "pause":
        opened.pod?.pause();
        return "pass";
    }
  };
  host.disk.plan = () => moment("disk");
  const opening = openSimulated({
    host,
    leases,
    scenario,
    tools: [effectTool(world, host)],
    attach: async (references) => {
      await host.timers.sleep(5);
      return attach(references);
    },
    observer: () => void moment("event"),
    committed: () => void moment("commit"),
    ...(wrapSessions === undefined ? {} : { wrapSessions }),
  });
  const pod = await driven(host, opening);
  opened.pod = pod;
  await driven(host, giving(outside, pod));
  await driven(host, toTheEnd(outside, pod));
  await survey(outside, "before the close");
  await driven(host, pod.close());
}

async function giving(outside: Outside, pod: Pod): Promise<void> {
  const { host, acknowledged } = outside;
  const begun = acknowledged.has("first")
    ? null
    : pod.begin(first.parts, { limits: { timeoutMs: null }, submission: first.submission });
  await Promise.all([
    begun?.then(({ duplicate }) => {
      if (!host.crashed && !duplicate) acknowledged.set("first", "");
    }, refusedAsRunning),
    ...wishes.map(async (wish) => {
      const { text, afterMs, backAfterMs } = wish;
      if (!acknowledged.has(text)) {
        await host.timers.sleep(afterMs);
        const { id } = await pod.queue({ parts: partsOf(wish), when: wish.when, submission: text });
        if (!host.crashed) acknowledged.set(text, id);
      }
      if (backAfterMs === undefined || outside.takenBack.has(text) || outside.refused.has(text)) return;
      await host.timers.sleep(backAfterMs);
      await takeBack(outside, pod, text);
    }),
  ]);
}

/** Another run goes on already: one that the queue began, behind a restart. */
function refusedAsRunning(error: unknown): void {
  if (!(error instanceof YoiError) || error.code !== "already_running") throw error;
}

async function takeBack({ host, acknowledged, ...outside }: Outside, pod: Pod, text: string): Promise<void> {
  const isAgain = outside.unheard.has(text);
  outside.unheard.add(text);
  try {
    const parts = await pod.unqueue(acknowledged.get(text) ?? "");
    if (host.crashed) return;
    assert.equal(flattenInput(parts), text);
    outside.takenBack.add(text);
  } catch (error) {
    if (!(error instanceof YoiError) || error.code !== "target_unknown") throw error;
    if (!host.crashed && !isAgain) outside.refused.add(text);
  }
}

/** Until nothing runs, nothing waits, and nothing is left to go on with. */
async function toTheEnd({ host }: Outside, pod: Pod): Promise<void> {
  for (let rounds = 0; ; rounds += 1) {
    assert.ok(rounds < 40, "the runs do not end");
    while (pod.snapshot.state === "running") await host.timers.sleep(50);
    try {
      await pod.resume();
    } catch (error) {
      if (error instanceof YoiError && error.code === "nothing_to_resume") return;
      refusedAsRunning(error);
    }
  }
}

function partsOf({ text, files = 0 }: Wish): readonly InputPart[] {
  const references = Array.from({ length: files }, (_, n) => ({ type: "file_ref", path: `${n}` }) as const);
  return [{ type: "text", text }, ...references];
}

/** Holds whenever somebody looks: each input that was acknowledged is in history once, or waits, or was taken back. */
async function survey(outside: Outside, where: string): Promise<readonly LogEntry[]> {
  const { host, leases, acknowledged, takenBack } = outside;
  const { view } = await readActive(simulatedStores(host, leases), simulatedPod).catch((error: unknown) => {
    // It died before there was a Pod.
    if (error instanceof YoiError && error.code === "pod_unknown" && acknowledged.size === 0)
      return { view: { entries: [] as readonly LogEntry[], damage: null } };
    throw error;
  });
  assert.equal(view.damage, null, where);
  const { entries } = view;
  if (entries.length === 0) return entries;
  const state = replay(entries);
  const given = state.items.flatMap(({ item }) => (item.type === "user_message" ? [nameOf(item.parts)] : []));
  const waits = state.queue.map(({ parts }) => nameOf(parts));
  const queued = entries.filter(isKnown).filter((entry) => entry.kind === "input_queued");
  const unqueued = entries
    .filter(isKnown)
    .flatMap((one) => (one.kind === "input_unqueued" ? [one.queued] : []));
  for (const { text } of wishes) {
    const accepted = queued.filter(({ submission }) => submission === text);
    assert.ok(accepted.length <= 1, `${where}: ${text} came in ${accepted.length} times`);
    const [entry] = accepted;
    const times = [given, waits].map((texts) => texts.filter((one) => one === text).length);
    const back = unqueued.filter((seq) => seq === entry?.seq).length;
    const all = times.reduce((sum, each) => sum + each, back);
    assert.equal(
      all,
      entry === undefined ? 0 : 1,
      `${where}: ${text} is in history ${times[0]} times, waits ${times[1]} times and was taken back ${back} times`,
    );
    assert.ok(
      entry !== undefined || !acknowledged.has(text),
      `${where}: ${text} was acknowledged, and is gone`,
    );
    if (takenBack.has(text)) assert.equal(back, 1, `${where}: ${text} was given back, and is not gone`);
    if (outside.refused.has(text)) assert.equal(times[0], 1, `${where}: ${text} was kept, and is not given`);
  }
  return entries;
}

/** The text of an input, without what it attaches. */
function nameOf(parts: readonly InputPart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

async function judgeEnd(outside: Outside): Promise<void> {
  const entries = await survey(outside, "at the end");
  const { queue, run } = replay(entries);
  assert.deepEqual([queue, run.state], [[], "idle"], "something waits at the end");
  assert.ok(outside.acknowledged.size >= wishes.length, "somebody heard nothing");
  const order = entries
    .filter(isKnown)
    .flatMap((entry) => (entry.kind === "user_input" && entry.delivers !== undefined ? [entry] : []));
  for (const { seq, delivers = -1, attachments = 0 } of order) {
    assert.equal(entries[delivers]?.kind, "input_queued", `the input ${seq} comes from nowhere`);
    assert.equal(attachments, nameOf(partsAt(entries, delivers)) === "b2" ? 2 : 0);
  }
  const { host, leases } = outside;
  const report = await verifyPod(simulatedStores(host, leases), simulatedPod, {
    wireRequestsMax: 100,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: { timers: host.timers } }),
  });
  assert.deepEqual(report.problems, []);
}

function partsAt(entries: readonly LogEntry[], seq: number): readonly InputPart[] {
  const entry = entries[seq];
  return entry !== undefined && isKnown(entry) && entry.kind === "input_queued" ? entry.parts : [];
}
