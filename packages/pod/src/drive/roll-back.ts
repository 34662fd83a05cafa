/** Rolling back: whether a stopped run leaves nothing but its input, which then leaves history again. */
import type { SessionState } from "@yoi/session-store";
import type { RunOutcome } from "@yoi/worker";
import type { RunStop } from "../turn/close-run.ts";

/** A client takes its input back; what ends the process or reaches a limit leaves it to be resumed. */
export function takesBack(stop: RunStop | null): boolean {
  return stop?.by === "cancel" || stop?.by === "pause";
}

/**
 * The outcome of a run of an input whose answer had not begun when it was stopped. Null: something of an answer has come, be it only the note
 * that there was one.
 */
export function rolledBack({ items }: Pick<SessionState, "items">, invoke: number): RunOutcome | null {
  const since = items.slice(items.findLastIndex(({ seq }) => seq <= invoke) + 1);
  const isEmpty = since.every(
    ({ item }) => item.type === "user_message" || (item.type === "system_item" && item.kind !== "interrupt"),
  );
  return isEmpty ? { kind: "rolled_back", invoke } : null;
}
