/** Commands without a sandbox, by the user's explicit choice: a process group of their own, and the watchdog. */
import { Writable } from "node:stream";
import type { Timers } from "@yoi/base";
import { goneMs, graceMs, notGone, signalProcess, waitUntil } from "./ending.ts";
import { groupMembers } from "./processes.ts";
import type { Handling } from "./supervise.ts";
import type { Watchdog } from "./watchdog.ts";

/**
 * Before a command: wait until the watchdog knows the group. A Pod that is killed before it could say so closes the pipe, and the command never
 * begins. Nothing of the descriptor is left to the command.
 */
export const startGate = "read -r YOI_GO <&3 || exit 125; unset YOI_GO; exec 3<&-\n";

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
      const gate = child.stdio[3];
      if (!(gate instanceof Writable)) return;
      // A shell that has ended before it looked is noticed as its exit.
      gate.on("error", () => {});
      gate.end("\n");
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
