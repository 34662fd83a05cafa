/** Commands of the user on a machine that dies: whoever asked asks again under the same name, over all lives, and an outsider counts how often each ran. */
import assert from "node:assert/strict";
import { isKnown, type LogEntry } from "@yoi/base";
import { type DiskOperation, HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import { type PodSetup, readActive, verifyPod } from "@yoi/pod";
import { replay, segmentPath } from "@yoi/session-store";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { dataDir, openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { driven } from "./life.ts";

/** When a life ends: before its nth operation of the disk, by a kill; or in the middle of it, with all that was not synced. */
export interface CommandDeath {
  readonly operation: number;
  readonly by: "kill" | "power";
}

export interface CommandCase {
  /** Of the first lives, in order; the one after them lives to the end. */
  readonly deaths: readonly CommandDeath[];
  /** Planted faults: syncs that do nothing, and a client that asks under another name after each death. */
  readonly lies?: boolean;
  readonly renames?: boolean;
}

const commands = ["make", "make test", "git push"] as const;
const scenario = JSON.stringify({ steps: Array.from({ length: 12 }, () => ({ text: "Seen." })) });

/** Outside of every life: it sees what runs, and what the user was told. */
class Outside {
  host: MemoryHost = memoryHost({ seed: 9 });
  readonly leases = new Map();
  readonly ran = new Map<string, number>();
  readonly acknowledged = new Map<string, string>();
  lives = 0;
  /** Of the Pod's log; empty before there is one. */
  path = "";
  problem: unknown = null;

  durable(): readonly LogEntry[] {
    const bytes = this.path === "" ? null : this.host.disk.durable(this.path);
    const lines = Buffer.from(bytes ?? [])
      .toString()
      .split("\n")
      .slice(0, -1);
    return lines.map((line) => JSON.parse(line) as LogEntry);
  }

  /** The one rule: a command runs once, and behind a record of it that nothing can take back. */
  run(command: string): void {
    try {
      assert.equal(this.ran.get(command) ?? 0, 0, `${command} runs again`);
      this.ran.set(command, 1);
      const isOnRecord = this.durable().some(
        (entry) => isKnown(entry) && entry.kind === "user_command" && entry.command === command,
      );
      assert.ok(isOnRecord, `${command} runs without a durable record`);
    } catch (error) {
      this.problem ??= error;
    }
  }
}

export interface CommandsEnded {
  /** Of the disk, in each life. */
  readonly operations: readonly number[];
  /** How each command ended, as the model was told. */
  readonly ends: readonly string[];
}

/** Runs the case to its end. */
export async function commandCase(given: CommandCase): Promise<CommandsEnded> {
  const outside = new Outside();
  const operations: number[] = [];
  for (const death of [...given.deaths, null]) {
    const { host } = outside;
    const before = host.disk.operations;
    host.disk.plan = planOf(host, before, death, given.lies === true);
    try {
      await live(outside, given.renames === true);
    } catch (error) {
      if (!(error instanceof HostCrashed) || !host.crashed) throw error;
    }
    if (outside.problem !== null) throw outside.problem;
    operations.push(host.disk.operations - before);
    await host.advance(0);
    if (!host.crashed) host.crash("power");
    outside.host = host.restart();
    outside.lives += 1;
  }
  return { operations, ends: await judge(outside) };
}

function planOf(host: MemoryHost, before: number, death: CommandDeath | null, lies: boolean) {
  return ({ index, kind }: DiskOperation) => {
    if (death !== null && index === before + death.operation) {
      if (death.by === "power") return "crash";
      host.crash("process");
      throw new HostCrashed();
    }
    return lies && kind === "sync" ? "lie" : "pass";
  };
}

/** One life: every command is asked for, also those that were before, and the model is told what came of them. */
async function live(outside: Outside, renames: boolean): Promise<void> {
  const { host, leases } = outside;
  const opening = openSimulated({ host, leases, scenario, tools: [], shell: shellOf(outside) });
  const pod = await driven(host, opening);
  const { session, segment } = pod.snapshot;
  outside.path = segmentPath(dataDir, { session, segment });
  for (const command of commands) {
    const name = renames ? `${command} ${outside.lives}` : command;
    const { id } = await driven(host, pod.runCommand(command, name));
    assert.equal(outside.acknowledged.get(name) ?? id, id, `${command} has another id`);
    outside.acknowledged.set(name, id);
    await passing(host, command === "make" ? 0 : 3);
  }
  await passing(host, 10);
  await driven(host, pod.submit([{ type: "text", text: "go on" }]));
  await driven(host, pod.close());
}

/** Lets time pass for what goes on. */
async function passing(host: MemoryHost, ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks && !host.crashed; tick += 1) await host.advance(1);
  if (host.crashed) throw new HostCrashed();
}

function shellOf(outside: Outside): NonNullable<PodSetup["shell"]> {
  const { host } = outside;
  return {
    missing: null,
    run: async (command) => {
      await Promise.resolve();
      if (host.crashed) return new Promise(() => {});
      outside.run(command);
      await host.timers.sleep(1);
      return { end: "exited", exit: 0, how: "exit code 0", text: `out of ${command}` };
    },
  };
}

async function judge(outside: Outside): Promise<readonly string[]> {
  const ends: string[] = [];
  const { host, leases, acknowledged, ran } = outside;
  const stores = simulatedStores(host, leases);
  const { entries } = (await readActive(stores, simulatedPod)).view;
  const known = entries.filter(isKnown);
  assert.deepEqual(replay(entries).commands, []);
  assert.equal(acknowledged.size, commands.length);
  for (const [command, id] of acknowledged) {
    const asked = known.filter((entry) => entry.kind === "user_command" && entry.command === command);
    assert.deepEqual(
      asked.map(({ seq }) => `${seq}`),
      [id],
      `${command} is not on record once`,
    );
    const outcomes = known.filter(
      (entry) => entry.kind === "inbox_accepted" && entry.item.record?.["command"] === id,
    );
    assert.equal(outcomes.length, 1, `what came of ${command} is on record ${outcomes.length} times`);
    const [outcome] = outcomes;
    const told = known.filter((entry) => entry.kind === "system_item" && entry.delivers === outcome?.seq);
    assert.equal(told.length, 1, `what came of ${command} is told ${told.length} times`);
    const end = outcome?.kind === "inbox_accepted" ? outcome.item.record?.["end"] : null;
    assert.ok(end === "unknown" || ran.get(command) === 1, `${command} is ${String(end)} and never ran`);
    assert.ok(end === "unknown" || end === "exited", `${command} is ${String(end)}`);
    ends.push(end);
  }
  const report = await verifyPod(stores, simulatedPod, {
    wireRequestsMax: 500,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: { timers: host.timers } }),
  });
  assert.deepEqual(report.problems, []);
  return ends;
}
