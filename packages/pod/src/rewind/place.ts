/** Place: an entry that history can go on from, and how far behind what was named that is. */
import { type EntryKind, isKnown, type LogEntry } from "@yoi/base";
import type { SegmentRef } from "@yoi/session-store";

export interface Place {
  readonly ref: SegmentRef;
  /** Of the last entry that is kept. */
  readonly seq: number;
}

/** Which side of what was named history ends on. Before an input: before the run that it began, if it did. */
export type Side = "behind" | "before";

/** They end what stands before them, and bring nothing new: whoever names an answer means the whole end of it. */
const endings: ReadonlySet<string> = new Set<EntryKind>([
  "llm_usage",
  "turn_end",
  "run_completed",
  "run_errored",
  "run_paused",
]);

/** They stand in a segment as soon as it is there. */
function beginningOf(entries: readonly LogEntry[]): number {
  const next = entries.findIndex(({ batch }) => batch !== 0);
  return (next === -1 ? entries.length : next) - 1;
}

/**
 * Seq of the last entry that is kept where history goes back to the entry `seq` of `entries`, a whole segment. Behind it: with what it attached, and with what ends an answer, a turn
 * or a run right behind it. Never before the beginning that a segment is written with.
 */
export function keptThrough(entries: readonly LogEntry[], seq: number, side: Side): number {
  const first = beginningOf(entries);
  const entry = entries[seq];
  const isInput = entry !== undefined && isKnown(entry) && entry.kind === "user_input";
  // One that was given to a run that went on has not begun it.
  const began = isInput && entries[seq - 1]?.kind === "invoke";
  if (side === "before") return Math.max(first, began ? seq - 2 : seq - 1);
  let through = isInput ? seq + (entry.attachments ?? 0) : seq;
  while (endings.has(entries[through + 1]?.kind ?? "")) through += 1;
  return Math.max(first, Math.min(through, entries.length - 1));
}
