/** Commands in bubblewrap: the process namespace is what ends them, all of them. */
import { isJsonObject, type Timers, YoiError } from "@yoi/base";
import { goneMs, notGone, signalProcess, waitUntil } from "./ending.ts";
import { descendants, isRunning, lookAt, type ProcessMark } from "./processes.ts";
import type { Handling } from "./supervise.ts";

/** The descriptor on which bubblewrap says what it does. */
export const statusFd = 3;
/** Most characters of status that are kept: two short lines are all that is expected. */
const statusMax = 4096;

export interface BoxedHandling extends Handling {
  /** True when the command itself was started; false when the sandbox could not be made. Known after the sweep. */
  wasStarted(): boolean;
}

export function boxedHandling(timers: Timers): BoxedHandling {
  let outer: number | null = null;
  let first: ProcessMark | null = null;
  let status = "";
  let started = false;
  let closed: Promise<void> = Promise.resolve();

  const readStatus = (text: string): void => {
    status = (status + text).slice(0, statusMax);
    for (const line of status.split("\n").slice(0, -1)) {
      const said = parseStatus(line);
      if (said.childPid !== null && first === null) {
        const facts = lookAt(said.childPid);
        if (facts !== null) first = { pid: facts.pid, started: facts.started };
      }
      if (said.hasExitCode) started = true;
    }
  };
  const end = (): void => {
    if (first !== null && isRunning(first)) signalProcess(first.pid, "SIGKILL");
    else if (outer !== null) signalProcess(outer, "SIGKILL");
  };

  return {
    started: (child) => {
      outer = child.pid ?? null;
      const stream = child.stdio[statusFd];
      if (stream === null || stream === undefined || !("setEncoding" in stream)) return;
      stream.setEncoding("utf8");
      stream.on("data", readStatus);
      closed = new Promise((resolve) => {
        stream.once("error", () => resolve());
        stream.once("close", () => resolve());
      });
    },
    // The first process of the namespace would not be told by the others' end that it was asked; it ends when they have.
    ask: () => {
      if (first === null || !isRunning(first)) return end();
      for (const pid of descendants(first.pid)) signalProcess(pid, "SIGTERM");
    },
    end,
    sweep: async () => {
      await closed;
      const inner = first;
      if (inner === null) return;
      // bubblewrap ends as soon as the command has; the namespace dies with it, but a moment later.
      if (!(await waitUntil(() => !isRunning(inner), goneMs, timers))) throw notGone("The sandbox");
    },
    wasStarted: () => started,
  };
}

function parseStatus(line: string): { readonly childPid: number | null; readonly hasExitCode: boolean } {
  try {
    const said: unknown = JSON.parse(line);
    if (!isJsonObject(said)) return { childPid: null, hasExitCode: false };
    const pid = said["child-pid"];
    return {
      childPid: typeof pid === "number" ? pid : null,
      hasExitCode: typeof said["exit-code"] === "number",
    };
  } catch (cause) {
    throw new YoiError(
      "io_failed",
      "bubblewrap reported its state in a form that yoi does not understand: use another version of it.",
      { cause },
    );
  }
}
