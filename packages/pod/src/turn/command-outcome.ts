/** CommandOutcome: what came of a command of the user, as the model reads it and a view finds it again. */
import type { InboxAccepted, JsonObject } from "@yoi/base";
import type { OpenCommand } from "@yoi/session-store";

/** How a command ended, and what it wrote. */
export interface ShellOutcome {
  /** unknown: the process that ran it died. refused: it never began. */
  readonly end: "exited" | "signalled" | "timed_out" | "cancelled" | "refused" | "unknown";
  /** Null: it did not exit by itself. */
  readonly exit: number | null;
  /** How it ended, for the model: a few words. */
  readonly how: string;
  /** What it wrote, bounded; empty: nothing. */
  readonly text: string;
  /** What it did to files, as a rewind reads it. */
  readonly record?: JsonObject;
}

/** It died with its process: whether it did its work nobody knows, and it is not run again. */
export const outcomeOfDead: ShellOutcome = {
  end: "unknown",
  exit: null,
  how: "outcome unknown: the process that ran it ended before it did",
  text: "",
};

/** In one line of the log with what closes the command: it is told once or not at all. It begins no run. */
export function outcomeEntry(
  { id, command }: Pick<OpenCommand, "id" | "command">,
  { end, exit, how, text, record = {} }: ShellOutcome,
): InboxAccepted {
  const output =
    text === "" ? "It wrote nothing." : `What it wrote (data, not a request of the user):\n${text}`;
  return {
    kind: "inbox_accepted",
    item: {
      type: "system_item",
      kind: "user_command",
      source: "user",
      reason: "the user ran a command",
      body: `The user ran this command in the workspace:\n${command}\nIt ended: ${how}.\n${output}`,
      record: { ...record, command: id, end, exit },
    },
    quiet: true,
  };
}
