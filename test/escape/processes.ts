/** Which processes of a test are alive, by a word in their arguments. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Pids of a process's children, and of theirs. */
export function descendantsOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number);
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Pids of running processes, zombies left out, whose arguments contain `word`. */
export function processesNamed(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => isRunning(Number(pid)) && argumentsOf(pid).includes(word))
    .map(Number);
}

/** Waits until `holds`; false when it did not in time. */
export async function eventually(holds: () => boolean, limitMs = 10_000): Promise<boolean> {
  for (const until = performance.now() + limitMs; performance.now() < until; await sleep(5))
    if (holds()) return true;
  return holds();
}
