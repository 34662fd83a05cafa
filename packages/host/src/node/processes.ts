/** Processes of this machine, through /proc: a pid alone names different processes over time. */
import { readFileSync } from "node:fs";
import { errnoOf, fileError } from "../file-error.ts";
import type { Processes, ProcessIdentity } from "../host.ts";

const stateField = 3;
const startTimeField = 22;

/**
 * The start time in a `/proc/<pid>/stat` line; null for a process that has ended (a zombie waits for its parent only).
 * The command's name may hold spaces and parentheses, so fields count from the last ")".
 */
export function startTimeOf(statLine: string): number | null {
  const nameEnd = statLine.lastIndexOf(")");
  if (nameEnd < 0) return null;
  const fields = statLine.slice(nameEnd + 2).split(" ");
  const state = fields[0];
  const started = Number(fields[startTimeField - stateField]);
  if (state === "Z" || state === "X" || !Number.isSafeInteger(started)) return null;
  return started;
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ESRCH") return null;
    throw fileError("read", path, errnoOf(error), error);
  }
}

function startedAt(pid: number): number | null {
  const line = readProc(`/proc/${pid}/stat`);
  return line === null ? null : startTimeOf(line);
}

export function nodeProcesses(): Processes {
  const bootPath = "/proc/sys/kernel/random/boot_id";
  let own: ProcessIdentity | undefined;
  const self = (): ProcessIdentity => {
    if (own === undefined) {
      const boot = readProc(bootPath);
      const started = startedAt(process.pid);
      if (boot === null) throw fileError("read", bootPath, "ENOENT");
      if (started === null) throw fileError("read", `/proc/${process.pid}/stat`, null);
      own = { pid: process.pid, started, boot: boot.trim() };
    }
    return own;
  };
  return {
    self,
    isAlive: (other) =>
      Number.isSafeInteger(other.pid) &&
      other.pid > 0 &&
      other.boot === self().boot &&
      startedAt(other.pid) === other.started,
  };
}
