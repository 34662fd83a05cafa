/** Processes of this machine, through /proc: a pid alone names different processes over time. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { YoiError } from "@yoi/base";
import { errnoOf, fileError } from "../file-error.ts";
import type { EndSignal, ProcessControl, ProcessIdentity } from "../host.ts";

const stateField = 3;
const groupField = 5;
const startTimeField = 22;

export interface Living {
  /** Clock ticks since boot. */
  readonly started: number;
  /** The id of its process group. */
  readonly group: number;
}

/**
 * What a `/proc/<pid>/stat` line says; null for a process that has ended (a zombie waits for its parent only).
 * The command's name may hold spaces and parentheses, so fields count from the last ")".
 */
export function livingOf(statLine: string): Living | null {
  const nameEnd = statLine.lastIndexOf(")");
  if (nameEnd < 0) return null;
  const fields = statLine.slice(nameEnd + 2).split(" ");
  const state = fields[0];
  const started = Number(fields[startTimeField - stateField]);
  const group = Number(fields[groupField - stateField]);
  if (state === "Z" || state === "X" || !Number.isSafeInteger(started)) return null;
  return { started, group };
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

function livingAt(pid: number): Living | null {
  const line = readProc(`/proc/${pid}/stat`);
  return line === null ? null : livingOf(line);
}

/** A target as of kill(2): negative for a group. */
function send(target: number, signal: EndSignal): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // It ended in this moment.
    if (errnoOf(error) === "ESRCH") return false;
    throw new YoiError(
      "io_failed",
      `The process ${Math.abs(target)} could not be ended (${errnoOf(error) ?? "unknown"}): end it as the user who started it.`,
      { cause: error },
    );
  }
}

/** A lock of POSIX belongs to the process, and is shown at each of its descriptors of the file. */
const writeLock = /^lock:\s.*\bWRITE\b/m;
/** It ended, or is another user's. */
const hiddenErrnos: ReadonlySet<string> = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

function hasLocked(pid: number, path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return false;
  let descriptors: readonly string[];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    if (hiddenErrnos.has(errnoOf(error) ?? "")) return false;
    throw fileError("read", `/proc/${pid}/fd`, errnoOf(error), error);
  }
  return descriptors.some((descriptor) => {
    const open = statSync(`/proc/${pid}/fd/${descriptor}`, { throwIfNoEntry: false });
    if (open?.ino !== file.ino || open.dev !== file.dev) return false;
    return writeLock.test(readProc(`/proc/${pid}/fdinfo/${descriptor}`) ?? "");
  });
}

export function nodeProcesses(): ProcessControl {
  const bootPath = "/proc/sys/kernel/random/boot_id";
  let own: ProcessIdentity | undefined;
  const self = (): ProcessIdentity => {
    if (own === undefined) {
      const boot = readProc(bootPath);
      const started = livingAt(process.pid)?.started ?? null;
      if (boot === null) throw fileError("read", bootPath, "ENOENT");
      if (started === null) throw fileError("read", `/proc/${process.pid}/stat`, null);
      own = { pid: process.pid, started, boot: boot.trim() };
    }
    return own;
  };
  const living = (other: ProcessIdentity): Living | null => {
    if (!Number.isSafeInteger(other.pid) || other.pid <= 0 || other.boot !== self().boot) return null;
    const found = livingAt(other.pid);
    return found?.started === other.started ? found : null;
  };
  return {
    self,
    isAlive: (other) => living(other) !== null,
    identify: (pid) => {
      const found = pid > 0 ? livingAt(pid) : null;
      return found === null ? null : { pid, started: found.started, boot: self().boot };
    },
    hasLocked: (other, path) => living(other) !== null && hasLocked(other.pid, path),
    end: (other, signal) => living(other) !== null && send(other.pid, signal),
    // The group of the first process would be every process there is.
    endGroup: (other, signal) =>
      other.pid > 1 && living(other)?.group === other.pid && send(-other.pid, signal),
  };
}
