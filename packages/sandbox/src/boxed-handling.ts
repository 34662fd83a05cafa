/** Commands in bubblewrap: the process namespace is what ends them, all of them. */
import type { Readable } from "node:stream";
import { isJsonObject, type Timers, YoiError } from "@yoi/base";
import { goneMs, notGone, signalProcess, waitUntil, within } from "./ending.ts";
import { descendants, isRunning, lookAt, type ProcessMark } from "./processes.ts";
import type { Handling } from "./supervise.ts";

/** The descriptor on which bubblewrap says what it does. */
export const statusFd = 3;
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
 * asks to die with its parent only after a while.
 */
export function boxedHandling(timers: Timers): BoxedHandling {
  let outer: number | null = null;
  let first: ProcessMark | null = null;
  let status = "";
  let started = false;
  let mustEnd = false;
  let problem: YoiError | null = null;
  let isClosed = true;
  let closed: Promise<void> = Promise.resolve();

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
