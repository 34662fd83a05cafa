/** A Pod killed in any of the milliseconds in which a command is started in the sandbox leaves nothing of it: what would end with the Pod says so only a while after it began. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { noBubblewrap } from "../support/bubblewrap.ts";
import type { Proof } from "../support/proof.ts";
import { eventually, processesNamed } from "./processes.ts";

const worker = new URL("pod-killed-worker.ts", import.meta.url).pathname;
/** About as long as a command takes to begin; kills are spread over it. */
const startMs = 20;
const killsOfTest = 10;

export const killedEarly: Proof = {
  name: "SIGKILL while a command is started in the sandbox leaves nothing of it",
  cases: { test: killsOfTest, prove: 250 },
  async check(index) {
    if (noBubblewrap() !== false) return;
    // In the first round over all of it, and between those in later ones.
    const round = Math.floor(index / killsOfTest);
    const afterMs = (((index % killsOfTest) + (round % 5) / 5) * startMs) / killsOfTest;
    assert.ok(await isGoneBehind(afterMs, 5100 + index, "soon"), `something was left behind ${afterMs} ms`);
  },
};

/** Kills a Pod so long after it began to start a command. True when no process of that is left. */
export async function isGoneBehind(
  afterMs: number,
  seconds: number,
  mode: "soon" | "bare",
): Promise<boolean> {
  const script = `sleep ${seconds}; true`;
  const pod = spawn(process.execPath, [worker, mode, script], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const begins = Promise.withResolvers<void>();
  pod.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (/^(now|started)$/m.test(said)) begins.resolve();
  });
  const ended = new Promise((resolve) => pod.once("exit", resolve));
  // The processes of a sandbox that was not finished have it in their arguments too.
  const left = () => [...processesNamed(script), ...processesNamed(`sleep\0${seconds}`)];
  try {
    await begins.promise;
    await sleep(afterMs);
    pod.kill("SIGKILL");
    await ended;
    // What was on its way is there by then.
    await sleep(50);
    return await eventually(() => left().length === 0, mode === "bare" ? 200 : 5_000);
  } finally {
    pod.kill("SIGKILL");
    for (const pid of left()) process.kill(pid, "SIGKILL");
    const place = /^place (.+)$/m.exec(said)?.[1];
    if (place !== undefined) rmSync(place, { recursive: true, force: true });
  }
}
