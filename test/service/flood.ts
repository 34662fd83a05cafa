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

/** What the run makes the process grow by, in bytes, when nobody is told of it. */
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

/** One client reads all, another nothing. `growth`: of the process's resident memory at its highest, in bytes. */
export async function flood(
  pod: HostedPod,
  deltas: number,
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
  const texts = reader.live.filter(({ type, block }) => type === "delta" && block === "text");
  const said = texts.map(({ text }) => text).join("");
  assert.equal(said.length, deltas + "done".length, "who reads has all of it");
  stalled.socket.resume();
  await stalled.closed;
  assert.ok(stalled.resync !== null, "it is told to connect again");
  assert.equal(stalled.runsEnded, 0);
  return { growth, events: reader.live.length };
}
