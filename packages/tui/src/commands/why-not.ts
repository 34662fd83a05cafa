/** Whether a command can be carried out now. */
import { type PodState, stateTable } from "@yoi/protocol";
import type { CommandSpec } from "./table.ts";

/** @param state of the open Pod; null: none is open. Null: it can; else why not, as one sentence. */
export function whyNot({ name, needs }: CommandSpec, state: PodState | null): string | null {
  if (needs === "nothing") return null;
  if (state === null) return `/${name} needs an open Pod: /pods shows those that there are.`;
  if (needs === "pod") return null;
  const cell = stateTable[needs][state];
  switch (cell) {
    case "take":
    case "if_unfinished":
    case "nothing":
      return null;
    case "already_running":
      return `/${name} has to wait until the run is over: Esc stops it.`;
    case "not_running":
      return `/${name} needs a run that goes on, and none does.`;
    case "not_paused":
      return `/${name} needs a paused run, and there is none.`;
  }
}
