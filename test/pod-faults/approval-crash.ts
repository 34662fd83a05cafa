/** A Pod whose calls wait for a user, on a machine that dies: the user answers whatever is asked, over all lives, and an outsider watches the effects. */
import assert from "node:assert/strict";
import { type CallId, callId, type Entry, isKnown, type LogEntry, type Tool, YoiError } from "@yoi/base";
import { type DiskOperation, HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import type { PermissionRule } from "@yoi/manifest";
import type { PendingApproval } from "@yoi/protocol";
import { pendingOf, type Pod, readActive, verifyPod } from "@yoi/pod";
import { replay, segmentPath } from "@yoi/session-store";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import {
  dataDir,
  manifestOf,
  openSimulated,
  simulatedPod,
  simulatedStores,
} from "../support/simulated-pod.ts";
import { driven } from "./life.ts";

/** When a life ends: before its nth operation of the disk, by a kill; or in the middle of it, with all that was not synced. */
export interface Death {
  readonly operation: number;
  readonly by: "kill" | "power";
}

export interface ApprovalCase {
  /** Of the first lives, in order; the one after them lives to the end. */
  readonly deaths: readonly Death[];
  /** Answers what waits before the paused run goes on, instead of afterwards. */
  readonly answersFirst: boolean;
  /** Planted faults: syncs that do nothing, and a Pod whose rules ask nobody. */
  readonly lies?: boolean;
  readonly rule?: PermissionRule["action"];
}

const input = [{ type: "text", text: "go" }] as const;
/** What the user answers to whatever call it is. */
const wishes: ReadonlyMap<string, "allow" | "deny"> = new Map([
  ["a", "allow"],
  ["b", "deny"],
  ["d", "allow"],
]);
const effect = (name: string, what: string) => ({ name, arguments: { what } });
const scenario = JSON.stringify({
  steps: [
    { text: "Some.", tool_calls: [effect("Effect", "a"), effect("Effect", "b"), effect("Free", "c")] },
    { tool_calls: [effect("Effect", "d")] },
    ...Array.from({ length: 8 }, () => ({ text: "That is all." })),
  ],
});

/** Outside of every life: it sees effects and what the user was told. */
class Outside {
  host: MemoryHost = memoryHost({ seed: 8 });
  readonly leases = new Map();
  readonly effects = new Map<CallId, string>();
  readonly shown = new Map<string, PendingApproval>();
  readonly acknowledged: { readonly seq: number; readonly digest: string }[] = [];
  /** Of the Pod's log; empty before there is one. */
  path = "";

  /** What a power cut now would leave. */
  durable(): readonly LogEntry[] {
    const bytes = this.path === "" ? null : this.host.disk.durable(this.path);
    const lines = Buffer.from(bytes ?? [])
      .toString()
      .split("\n")
      .slice(0, -1);
    return lines.map((line) => JSON.parse(line) as LogEntry);
  }

  /** What was wrong with an effect: thrown into a tool it would be that tool's error. */
  problem: unknown = null;

  act(call: CallId, what: string): void {
    try {
      this.#happens(call, what);
    } catch (error) {
      this.problem ??= error;
    }
  }

  /** The one rule: an effect happens once, and behind a start and an allow that nothing can take back. */
  #happens(call: CallId, what: string): void {
    assert.ok(!this.effects.has(call), `${what} (${call}) happens again`);
    this.effects.set(call, what);
    const of = about(this.durable(), call).map(
      (entry) => `${entry.kind}${entry.kind === "approval_answered" ? ` ${entry.answer}` : ""}`,
    );
    const asked = wishes.has(what) ? ["approval_asked", "approval_answered allow"] : [];
    assert.deepEqual(of, [...asked, "tool_started"], `${what} (${call}) happens without a durable allow`);
  }
}

/** What is on record of an approval and a start, in log order. */
function about(entries: readonly LogEntry[], call: CallId) {
  return entries.flatMap((entry) => {
    if (!isKnown(entry)) return [];
    const { kind } = entry;
    const isAbout = kind === "approval_asked" || kind === "approval_answered" || kind === "tool_started";
    return isAbout && entry.call === call ? [entry] : [];
  });
}

/** Runs the case to its end; returns how many operations each life had. */
export async function approvalCase(given: ApprovalCase): Promise<readonly number[]> {
  const outside = new Outside();
  const operations: number[] = [];
  for (const death of [...given.deaths, null]) {
    const { host } = outside;
    const before = host.disk.operations;
    host.disk.plan = planOf(host, before, death, given.lies === true);
    try {
      await live(outside, given);
    } catch (error) {
      if (!(error instanceof HostCrashed) || !host.crashed) throw error;
    }
    if (outside.problem !== null) throw outside.problem;
    operations.push(host.disk.operations - before);
    // What the process had under way comes to nothing.
    await host.advance(0);
    if (!host.crashed) host.crash("power");
    outside.host = host.restart();
  }
  await judge(outside);
  return operations;
}

function planOf(host: MemoryHost, before: number, death: Death | null, lies: boolean) {
  return ({ index, kind }: DiskOperation) => {
    if (death !== null && index === before + death.operation) {
      if (death.by === "power") return "crash";
      host.crash("process");
      throw new HostCrashed();
    }
    return lies && kind === "sync" ? "lie" : "pass";
  };
}

/** One life: what is unfinished goes on, and whatever waits is answered as the user wishes. */
async function live(outside: Outside, { answersFirst, rule = "ask" }: ApprovalCase): Promise<void> {
  const { host, leases } = outside;
  const pod = await driven(
    host,
    openSimulated({
      host,
      leases,
      scenario,
      tools: ["Effect", "Free"].map((name) => effectTool(outside, name)),
      canAsk: true,
      manifest: manifestOf({
        permissions: {
          mode: "allow-in-scope",
          rules: [{ tool: "Effect", pattern: "*", action: rule, origin: "/c" }],
        },
      }),
    }),
  );
  const { session, segment } = pod.snapshot;
  outside.path = segmentPath(dataDir, { session, segment });
  if (answersFirst) await answer(outside, pod);
  const run = outside.durable().some(({ kind }) => kind === "user_input") ? pod.resume() : pod.submit(input);
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  run.then(over, over);
  for (let ticks = 0; !isOver && !host.crashed; ticks += 1) {
    assert.ok(ticks < 300, "it does not come to its end");
    await host.advance(1);
    if (!host.crashed) await answer(outside, pod);
  }
  if (host.crashed) throw new HostCrashed();
  await run.catch((error: unknown) => {
    if (!(error instanceof YoiError) || error.code !== "nothing_to_resume") throw error;
  });
  await driven(host, pod.close());
}

async function answer(outside: Outside, pod: Pod): Promise<void> {
  for (const one of pod.approvals) {
    const { call, digest } = one;
    assert.deepEqual(one, outside.shown.get(call) ?? one, "another approval than the one that was shown");
    outside.shown.set(call, one);
    isOfTheLog(outside, pod);
    const { what } = JSON.parse(one.arguments) as { readonly what: string };
    const wish = wishes.get(what);
    assert.ok(wish, `${what} is asked about`);
    const seq = await driven(outside.host, pod.answerApproval({ digest, answer: wish, reason: null }));
    outside.acknowledged.push({ seq, digest });
  }
}

/** What is shown live is what a reader of the log finds, as far as that is the same log. */
function isOfTheLog(outside: Outside, pod: Pod): void {
  const entries = outside.durable();
  if (entries.at(-1)?.seq !== pod.snapshot.lastSeq) return;
  assert.deepEqual(pod.approvals, pendingOf(replay(entries), simulatedPod));
}

/** Its effects are counted outside of the machine. */
function effectTool(outside: Outside, name: string): Tool {
  const { host } = outside;
  return {
    definition: { name, description: "Has one effect.", input_schema: { type: "object" } },
    readOnly: false,
    execute: async (args, { call }) => {
      await Promise.resolve();
      if (host.crashed) return new Promise(() => {});
      outside.act(callId(...placeOf(call)), String(args["what"]));
      return { summary: `did ${String(args["what"])}` };
    },
  };
}

function placeOf(call: string): [request: number, index: number] {
  const [request, index] = call.split(".");
  return [Number(request), Number(index)];
}

async function judge(outside: Outside): Promise<void> {
  const { host, leases, effects, acknowledged } = outside;
  const stores = simulatedStores(host, leases);
  const { entries } = (await readActive(stores, simulatedPod)).view;
  const known = entries.filter(isKnown);
  const state = replay(entries);
  assert.deepEqual([state.unanswered, state.approvals, state.run.state], [[], [], "idle"]);
  for (const { seq, digest } of acknowledged) {
    const entry = known[seq];
    assert.ok(entry?.kind === "approval_answered" && entry.digest === digest, `the answer ${seq} is lost`);
  }
  const results = known.flatMap((entry) => (entry.kind === "tool_result" ? [entry.item] : []));
  assert.equal(new Set(results.map(({ call }) => call)).size, results.length, "a call has two results");
  for (const entry of known) {
    if (entry.kind !== "assistant_item" || entry.item.type !== "tool_call") continue;
    const { call, arguments: text } = entry.item;
    judgeCall(known, call, (JSON.parse(text) as { readonly what: string }).what, effects.has(call));
  }
  const report = await verifyPod(stores, simulatedPod, {
    wireRequestsMax: 500,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: { timers: host.timers } }),
  });
  assert.deepEqual(report.problems, []);
}

function judgeCall(entries: readonly Entry[], call: CallId, what: string, happened: boolean): void {
  const of = about(entries, call);
  const count = (kind: Entry["kind"]) => of.filter((entry) => entry.kind === kind).length;
  assert.ok(count("approval_asked") <= 1 && count("approval_answered") <= 1, `${what} is asked about twice`);
  const result = entries.find((entry) => entry.kind === "tool_result" && entry.item.call === call);
  assert.ok(result?.kind === "tool_result", `${what} has no result`);
  const { summary } = result.item;
  const isStarted = count("tool_started") === 1;
  assert.ok(isStarted || !happened, `${what} happened without a start on record`);
  if (isStarted) {
    assert.match(summary, happened ? /^did |^outcome unknown/ : /^outcome unknown|^not executed/, what);
    assert.notEqual(wishes.get(what), "deny");
  } else if (count("approval_asked") === 1) {
    assert.match(summary, /^The user refused this call/, `${what} was asked about and then dropped`);
    assert.equal(wishes.get(what), "deny");
  } else {
    assert.equal(summary, "not executed", `${what} was neither asked about nor started`);
  }
}
