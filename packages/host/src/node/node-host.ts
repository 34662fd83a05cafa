/** The Host of a real machine. */
import { randomBytes } from "node:crypto";
import type { Clock } from "@yoi/base";
import type { Host } from "../host.ts";
import { createIds } from "../uuid-v7.ts";
import { nodeLocks } from "./file-lock.ts";
import { nodeFiles } from "./node-files.ts";
import { timersOver } from "../timers.ts";
import { nodeProcesses } from "./processes.ts";

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** The longest delay that setTimeout keeps; a longer one would fire at once. */
const timeoutMaxMs = 2 ** 31 - 1;

function after(delayMs: number, fire: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number) => {
    timer =
      leftMs > timeoutMaxMs
        ? setTimeout(() => arm(leftMs - timeoutMaxMs), timeoutMaxMs)
        : setTimeout(fire, leftMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}

export function nodeHost(): Host {
  return {
    files: nodeFiles,
    locks: nodeLocks(),
    clock,
    timers: timersOver(after),
    random: { next: () => Math.random() },
    ids: createIds(clock, (count) => randomBytes(count)),
    processes: nodeProcesses(),
  };
}
