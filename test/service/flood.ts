/** A run whose answers come in very many small pieces, with a client that stops reading. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Follower } from "./follower.ts";
import type { HostedPod } from "./hosted.ts";

const lookEveryMs = 50;

export interface FloodShape {
  readonly steps: number;
  /** Of each step, one character each. */
  readonly deltas: number;
}

/** Pieces of an unpaced scripted answer come all at once, so none is longer than what may wait for one client; a call that reads nothing ends each step. */
export function floodScenario({ steps, deltas }: FloodShape): string {
  const call = "tool_calls: [{ name: Read, arguments: { file_path: /none } }]";
  const step = `  - text: ${"x".repeat(deltas)}\n    chunk: 1\n    ${call}\n`;
  return `steps:\n${step.repeat(steps)}  - text: done\n`;
}

export async function submitFlood(pod: HostedPod): Promise<void> {
  using client = await pod.client({ stream: false });
  await client.ask("submit", { parts: [{ type: "text", text: "go" }], submission: "flood" });
}

/** What the run makes the process grow by, in bytes, when nobody reads what is told of it. */
export async function floodAlone(pod: HostedPod): Promise<number> {
  const memory = pod.resident();
  pod.forgetPeak();
  await submitFlood(pod);
  using client = await pod.client({ stream: false });
  for (let isOver = false; !isOver;) {
    await delay(lookEveryMs);
    isOver = (await client.ask("show")).result?.["state"] !== "running";
  }
  return pod.peak() - memory;
}

/**
 * One client reads, and comes back behind what it saw when it was too slow itself; another reads nothing. `growth`: of the process's resident memory at its
 * highest, in bytes; `events`: live ones that came to the one that reads.
 */
export async function flood(pod: HostedPod): Promise<{ readonly growth: number; readonly events: number }> {
  using reader = new Follower(pod);
  using stalled = await pod.client();
  await stalled.until("the snapshot", () => stalled.snapshot !== null);
  await (await reader.client()).until("the snapshot", () => reader.entries.length > 0);
  stalled.socket.pause();
  const memory = pod.resident();
  pod.forgetPeak();
  await submitFlood(pod);
  let events = 0;
  const isOver = () => reader.entries.at(-1)?.kind === "run_completed";
  while (!isOver()) {
    const client = await reader.client();
    await client.until("the run's end, or too slow", () => isOver() || client.resync !== null);
    events += client.live.length;
    if (client.resync !== null) reader.drop();
  }
  const growth = pod.peak() - memory;
  assert.deepEqual(reader.entries, pod.log(), "who reads has all of it");
  stalled.socket.resume();
  await stalled.closed;
  assert.equal(stalled.runsEnded, 0, "it was dropped before the end");
  return { growth, events };
}
