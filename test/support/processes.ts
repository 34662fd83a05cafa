/** Which processes of this machine are alive, from /proc: what a test asks after a kill. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

/** A /proc file, or "" when the process is gone or another user's. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** State, parent and group of a process; null when it is gone. The command may hold spaces and parentheses, so it is cut off first. */
function stat(pid: number): { state: string; group: number } | null {
  const text = readProc(pid, "stat");
  const [state, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === undefined || group === undefined ? null : { state, group: Number(group) };
}

/** Processes of the group that still run; zombies do not. */
export function aliveInGroup(group: number): readonly number[] {
  return pids().filter((pid) => {
    const found = stat(pid);
    return found !== null && found.group === group && found.state !== "Z";
  });
}

/** Processes whose environment holds `variable` (`NAME=value`, or a beginning of it), in whatever group or session they are. */
export function aliveWithEnv(variable: string): readonly number[] {
  return pids().filter(
    (pid) =>
      pid !== process.pid &&
      stat(pid)?.state !== "Z" &&
      `\0${readProc(pid, "environ")}`.includes(`\0${variable}`),
  );
}

/** Waits until `condition` holds, looking every 10 ms; throws with `what` after `timeoutMs`. */
export async function eventually(what: string, condition: () => boolean, timeoutMs = 5_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`still not so after ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A process that cannot be taken for a later one with its pid. */
export interface ProcessId {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly started: string;
}

function identify(pid: number): ProcessId | null {
  const text = readProc(pid, "stat");
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const started = fields[18];
  return started === undefined || state === "Z" || state === "X" ? null : { pid, started };
}

/** What descends from `pid` at this moment, itself included, whatever group or session it is in. */
export function familyOf(pid: number): readonly ProcessId[] {
  const self = identify(pid);
  const children = readProc(pid, `task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return [...(self === null ? [] : [self]), ...children.flatMap(familyOf)];
}

export function isAlive({ pid, started }: ProcessId): boolean {
  return identify(pid)?.started === started;
}

/** Processes whose working directory is `directory` or below it. */
export function aliveIn(directory: string): readonly number[] {
  return pids().filter((pid) => {
    if (pid === process.pid || stat(pid)?.state === "Z") return false;
    const cwd = readLinkOfProc(pid, "cwd");
    return cwd === directory || cwd.startsWith(`${directory}/`);
  });
}

function readLinkOfProc(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return "";
  }
}
