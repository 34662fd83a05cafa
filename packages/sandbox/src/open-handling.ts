/** Commands without a sandbox, by the user's explicit choice: a process group of their own, and the watchdog. */
import type { Timers } from "@yoi/base";
import { goneMs, graceMs, notGone, signalProcess, waitUntil } from "./ending.ts";
import { groupMembers } from "./processes.ts";
import type { Handling } from "./supervise.ts";
import type { Watchdog } from "./watchdog.ts";

export function openHandling(watchdog: Watchdog, timers: Timers): Handling {
  let group: number | null = null;
  const send = (signal: "SIGTERM" | "SIGKILL"): void => {
    if (group !== null) signalProcess(-group, signal);
  };
  /** A group that holds only zombies still takes signals. */
  const isGone = (): boolean =>
    group === null || !signalProcess(-group, 0) || groupMembers(group).length === 0;
  return {
    started: (child) => {
      if (child.pid === undefined) return;
      group = child.pid;
      watchdog.watch(group);
    },
    ask: () => send("SIGTERM"),
    end: () => send("SIGKILL"),
    sweep: async () => {
      if (group === null) return;
      if (!isGone()) {
        send("SIGTERM");
        if (!(await waitUntil(isGone, graceMs, timers))) send("SIGKILL");
        if (!(await waitUntil(isGone, goneMs, timers))) throw notGone(`Process group ${group}`);
      }
      watchdog.forget(group);
    },
  };
}
