/** What a tree of hosted Pods costs: from SpawnPod to a child that takes clients, and the memory of many Pods at once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Hosting, type HostedPod } from "../test/service/hosted.ts";
import { summary, type Summary } from "./summary.ts";

export interface TreeOptions {
  /** yoi's launcher. */
  readonly command: string;
  /** Of one parent, one after the other; at most 16. */
  readonly children: number;
  /** Hosted at once. */
  readonly pods: number;
  readonly idleMs: number;
}

export interface TreeResults {
  /** `node -e 0`, the Node that the child has too. */
  readonly nodeMs: Summary;
  /** Of the call of SpawnPod: lend, metadata, process, task. */
  readonly spawnMs: Summary;
  readonly pods: number;
  /** Of each of the Pods, all of them alive. */
  readonly privateBytes: Summary;
}

const noted = '  - text: "Noted."\n';

export async function measureTree(options: TreeOptions): Promise<TreeResults> {
  return {
    nodeMs: summary(await nodeStarts(options.children)),
    spawnMs: summary(await spawns(options)),
    pods: options.pods,
    privateBytes: summary(await crowd(options)),
  };
}

async function nodeStarts(count: number): Promise<readonly number[]> {
  const times: number[] = [];
  // The first one fills the caches.
  for (let round = -1; round < count; round += 1) {
    const from = performance.now();
    await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
    if (round >= 0) times.push(performance.now() - from);
  }
  return times;
}

/** By the parent's log: from the record that a call began to that of its result. */
async function spawns({ command, children }: TreeOptions): Promise<readonly number[]> {
  await using hosting = new Hosting({ command });
  const { workspace, home } = hosting.home;
  mkdirSync(join(home, "config", "profiles"), { recursive: true });
  writeFileSync(
    join(home, "config", "profiles", "child.toml"),
    'description = "A child"\n\n[model]\nref = "scripted/child.yaml"\n',
  );
  writeFileSync(join(workspace, "child.yaml"), `steps:\n${noted.repeat(2)}`);
  const names = Array.from({ length: children }, (_, index) => `child-${index}`);
  const steps = names.map((name) => {
    mkdirSync(join(workspace, name));
    const scope = [
      { target: join(workspace, name), permission: "write" },
      { target: workspace, permission: "read" },
    ];
    const given = JSON.stringify({ name, profile: "user:child", task: "Look.", scope });
    return `  - text: "One more."\n    tool_calls:\n      - name: SpawnPod\n        arguments: ${given}\n`;
  });
  const lead = await hosting.startPod("lead", `steps:\n${steps.join("")}${noted.repeat(2 * children + 2)}`);
  try {
    const sent = await hosting.yoi("pod", "send", "lead", "go");
    if (sent.code !== 0) throw new Error(sent.stderr);
    for (let left = 600; spawnTimes(lead).length < children; left -= 1) {
      if (left === 0) throw new Error(`only ${spawnTimes(lead).length} of ${children} children began`);
      await delay(100);
    }
    return spawnTimes(lead);
  } finally {
    // Its children end before it.
    await lead.stop();
  }
}

function spawnTimes(lead: HostedPod): readonly number[] {
  const began = new Map<string, number>();
  const times: number[] = [];
  for (const entry of lead.log()) {
    const { kind, ts, call, item } = entry as unknown as {
      readonly kind: string;
      readonly ts: number;
      readonly call?: string;
      readonly item?: {
        readonly call: string;
        readonly name: string;
        readonly is_error: boolean;
        readonly summary: string;
      };
    };
    if (kind === "tool_started" && call !== undefined) began.set(call, ts);
    if (kind !== "tool_result" || item?.name !== "SpawnPod") continue;
    if (item.is_error) throw new Error(item.summary);
    times.push(ts - (began.get(item.call) ?? Number.NaN));
  }
  return times;
}

/** Each reads the one workspace, so that none is in the way of another. */
async function crowd({ command, pods, idleMs }: TreeOptions): Promise<readonly number[]> {
  await using hosting = new Hosting({ command });
  const pids: number[] = [];
  for (let index = 0; index < pods; index += 1)
    pids.push((await hosting.startPod(`pod-${index}`, `steps:\n${noted}`, ["--read-only"])).pid);
  await delay(idleMs);
  return pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const bytes = (key: string) =>
      Number(new RegExp(`^${key}:\\s+([0-9]+) kB$`, "m").exec(rollup)?.[1]) * 1024;
    return bytes("Private_Clean") + bytes("Private_Dirty");
  });
}
