/** A run whose answers come in very many small pieces, with a client that stops reading. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { HostedPod } from "./hosted.ts";

const lookEveryMs = 50;

export interface FloodShape {
  readonly steps: number;
  /** Of each step, one character each. */
  readonly deltas: number;
}

/** A call that reads nothing ends each step. */
export function floodScenario({ steps, deltas }: FloodShape): string {
  const call = "tool_calls: [{ name: TaskList, arguments: {} }]";
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
 * One client reads, and gets every event over one connection; another reads nothing, and is dropped. `growth`: of the process's resident memory at its
 * highest, in bytes; `events`: live ones that came to the one that reads.
 */
export async function flood(
  pod: HostedPod,
  { steps, deltas }: FloodShape,
): Promise<{ readonly growth: number; readonly events: number }> {
  using reader = await pod.client();
  using stalled = await pod.client();
  for (const client of [reader, stalled]) await client.until("the snapshot", () => client.snapshot !== null);
  stalled.socket.pause();
  const memory = pod.resident();
  pod.forgetPeak();
  await submitFlood(pod);
  await reader.until("the run's end", () => reader.runsEnded > 0);
  const growth = pod.peak() - memory;
  assert.equal(reader.resync, null, "who reads is not too slow");
  assert.deepEqual(reader.entries, pod.log(), "and has all of it");
  const pieces = reader.live.filter(({ type, block }) => type === "delta" && block === "text").length;
  assert.ok(pieces >= steps * deltas, `${pieces} pieces of text, of ${steps * deltas}`);
  stalled.socket.resume();
  await stalled.closed;
  assert.equal(stalled.runsEnded, 0, "it was dropped before the end");
  return { growth, events: reader.live.length };
}
