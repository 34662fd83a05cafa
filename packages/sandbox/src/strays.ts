/** Strays: processes of an earlier owner of a Pod that outlived it, known by the mark in their environment. */
import type { PodName, Timers } from "@yoi/base";
import { goneMs, graceMs, notGone, signalProcess, waitUntil } from "./ending.ts";
import { callMark } from "./environment.ts";
import { ancestry, isRunning, processesWithCall, type ProcessMark } from "./processes.ts";

/** A process that forks while it is looked for shows up in the next look. */
const looksMax = 8;

/**
 * Ends what carries `YOI_CALL=<pod>/...`, this process and those it descends from left out, and what says that it belongs to another
 * owner than `owner`. Returns how many.
 */
export async function endStrays(pod: PodName, owner: string | null, timers: Timers): Promise<number> {
  const spared = ancestry(process.pid);
  const ended = new Set<string>();
  for (let look = 0; look < looksMax; look += 1) {
    const found = processesWithCall(callMark(pod, ""), owner).filter(({ pid }) => !spared.has(pid));
    if (found.length === 0) return ended.size;
    for (const { pid, started } of found) ended.add(`${pid} ${started}`);
    await endAll(found, timers);
  }
  throw notGone(`Processes of an earlier run of ${pod}`);
}

async function endAll(found: readonly ProcessMark[], timers: Timers): Promise<void> {
  const running = (): ProcessMark[] => found.filter(isRunning);
  for (const { pid } of running()) signalProcess(pid, "SIGTERM");
  if (await waitUntil(() => running().length === 0, graceMs, timers)) return;
  for (const { pid } of running()) signalProcess(pid, "SIGKILL");
  if (!(await waitUntil(() => running().length === 0, goneMs, timers)))
    throw notGone(`Process ${running()[0]?.pid ?? 0}`);
}
