/** Commands in bubblewrap: the process namespace is what ends them, all of them. */
import { Duplex, type Readable } from "node:stream";
import { isJsonObject, type Timers, YoiError } from "@yoi/base";
import { goneMs, notGone, signalProcess, waitUntil, within } from "./ending.ts";
import { descendants, isRunning, lookAt, type ProcessMark } from "./processes.ts";
import type { Handling } from "./supervise.ts";
import type { Watchdog } from "./watchdog.ts";

/** The descriptor on which bubblewrap says what it does. */
export const statusFd = 3;
/** The one over which a shell in the sandbox asks whether it may begin. */
export const gateFd = statusFd + 1;
/**
 * Before a command: say that everything stands, and wait for the word to begin. What ends with its parent asks for that only a while after it was started; from
 * here on it has. A Pod that is killed before that says nothing, and the command never begins. Nothing of the descriptor is left to the command.
 */
export const boxedGate = `echo >&${gateFd} && read -r YOI_GO <&${gateFd} || exit 125; unset YOI_GO; exec ${gateFd}<&-\n`;
/**
 * In front of bubblewrap's own line: wait until the watchdog knows the group. A Pod that is killed before it could say so leaves nothing: half of a sandbox would
 * wait for its other half for good.
 */
export const boxGate = `read -r YOI_GO <&${gateFd} || exit 125; unset YOI_GO; exec "$@"`;
/** Most characters of status that are kept: two short lines are all that is expected. */
const statusMax = 4096;
/** How long the namespace may take to follow bubblewrap by itself. */
const followMs = 200;

export interface BoxedHandling extends Handling {
  /** True when the command itself was started; false when the sandbox could not be made. Known after the sweep. */
  wasStarted(): boolean;
}

/**
 * bubblewrap is two processes: the one that was started, and the first of the namespace, with which all others die. The
 * first is the one to end. While it is being started the outer one must not be ended: the inner would then go on, because it
 * asks to die with its parent only after a while, or would wait for it for good.
 * @param watchdog ends both where the Pod is killed meanwhile: they begin by `boxGate`, and the command by `boxedGate`. Null: all of it begins at once.
 */
export function boxedHandling(timers: Timers, watchdog: Watchdog | null): BoxedHandling {
  let outer: number | null = null;
  let first: ProcessMark | null = null;
  let status = "";
  let started = false;
  let mustEnd = false;
  let problem: YoiError | null = null;
  let isClosed = true;
  let closed: Promise<void> = Promise.resolve();
  let gate: Duplex | null = null;
  let stands = false;

  const forget = (): void => {
    if (outer !== null) watchdog?.forget(outer);
  };
  /** What cannot be ended yet does not begin. */
  const open = (): void => {
    if (gate === null || !stands || first === null || mustEnd) return;
    gate.end("\n");
    gate = null;
    forget();
  };

  const endFirst = (): void => {
    if (first !== null && isRunning(first)) signalProcess(first.pid, "SIGKILL");
  };
  const readStatus = (text: string): void => {
    status = (status + text).slice(0, statusMax);
    for (const line of status.split("\n").slice(0, -1)) {
      const said = parseStatus(line);
      if (said === null) {
        problem ??= new YoiError(
          "io_failed",
          `bubblewrap says something about its state that yoi does not understand (${JSON.stringify(line.slice(0, 100))}): use another version of it.`,
        );
        continue;
      }
      if (said.hasExitCode) started = true;
      if (said.childPid === null || first !== null) continue;
      first = lookAt(said.childPid);
      if (mustEnd) endFirst();
      open();
    }
  };

  return {
    started: (child) => {
      outer = child.pid ?? null;
      const stream = child.stdio[statusFd];
      if (!isReadable(stream)) return;
      stream.setEncoding("utf8");
      stream.on("data", readStatus);
      isClosed = false;
      closed = new Promise((resolve) => {
        const end = (): void => {
          isClosed = true;
          resolve();
        };
        stream.once("error", end);
        stream.once("close", end);
      });
      const asking = child.stdio[gateFd];
      if (watchdog === null || outer === null || !(asking instanceof Duplex)) return;
      watchdog.watch(outer);
      gate = asking;
      // A shell that has ended before it looked is noticed as its exit.
      asking.on("error", () => {});
      asking.write("\n");
      asking.once("data", () => {
        stands = true;
        open();
      });
    },
    ask: () => {
      mustEnd = first === null;
      if (first === null) return;
      const inside = descendants(first.pid);
      if (inside.length === 0) endFirst();
      for (const pid of inside) signalProcess(pid, "SIGTERM");
    },
    end: () => {
      if (first !== null) endFirst();
      else if (outer !== null) signalProcess(outer, "SIGKILL");
    },
    sweep: async () => {
      const isGone = (): boolean => isClosed && (first === null || !isRunning(first));
      await within(closed, followMs, timers);
      if (!isClosed || !(await waitUntil(isGone, followMs, timers))) {
        endFirst();
        if (!(await waitUntil(isGone, goneMs, timers))) throw notGone("The sandbox");
      }
      if (gate !== null) forget();
      if (problem !== null) throw problem;
    },
    wasStarted: () => started,
  };
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === "object" && stream !== null && "setEncoding" in stream;
}

function parseStatus(
  line: string,
): { readonly childPid: number | null; readonly hasExitCode: boolean } | null {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isJsonObject(said)) return null;
  const pid = said["child-pid"];
  return {
    childPid: typeof pid === "number" ? pid : null,
    hasExitCode: typeof said["exit-code"] === "number",
  };
}
