/** LeftBehind: what was told and done on a stretch of history that is not part of it any more. */
import { type CallId, entryId, idOf, isKnown, type LogEntry } from "@yoi/base";
import type { SessionStore, WaitingItem } from "@yoi/session-store";
import { readEntries } from "../timeline/find-entry.ts";
import type { Stretch } from "./line-of.ts";

/** A notice by its id, as it waited before it was told. */
export type ToldNotices = ReadonlyMap<string, WaitingItem>;

export interface LeftBehind {
  readonly told: ToldNotices;
  /** Calls that were started of tools that do more than read. */
  readonly effects: number;
}

/** Reads the stretches, oldest first, whole segments so far as they go: a notice has its id from where it waited first. */
export async function lookAt(
  store: Pick<SessionStore, "readLines" | "attach">,
  stretches: readonly Stretch[],
  isReadOnly: (tool: string) => boolean,
): Promise<LeftBehind> {
  const told = new Map<string, WaitingItem>();
  let effects = 0;
  for (const { ref, generation, after, seq: through } of stretches.toReversed()) {
    const waiting = new Map<number, WaitingItem>();
    const tools = new Map<CallId, string>();
    for await (const entry of readEntries(store, ref, { seq: 0, direction: "onwards" })) {
      if (entry.seq > through) break;
      if (!isKnown(entry)) continue;
      const notice = noticeOf(entry, generation);
      if (notice !== null) waiting.set(entry.seq, notice);
      const call = callOf(entry);
      if (call !== null) tools.set(call.call, call.name);
      if (entry.seq <= after || entry.kind === "carried") continue;
      if (entry.kind === "tool_started" && !isReadOnly(tools.get(entry.call) ?? "")) effects += 1;
      if (entry.kind !== "system_item" || entry.delivers === undefined) continue;
      const delivered = waiting.get(entry.delivers);
      if (delivered !== undefined) told.set(idOf(delivered), delivered);
    }
  }
  return { told, effects };
}

function noticeOf(entry: LogEntry, generation: number): WaitingItem | null {
  if (!isKnown(entry)) return null;
  const isAccepted = entry.kind === "inbox_accepted";
  if (!isAccepted && (entry.kind !== "carried" || entry.of !== "inbox_accepted")) return null;
  const { seq, item, quiet } = entry;
  const id = ("id" in entry ? entry.id : undefined) ?? entryId(generation, seq);
  return { seq, item, id, ...(quiet === true ? { quiet } : {}) };
}

function callOf(entry: LogEntry): { readonly call: CallId; readonly name: string } | null {
  if (!isKnown(entry)) return null;
  if (entry.kind === "assistant_item" || (entry.kind === "carried" && entry.of === "item")) {
    const { item } = entry;
    return item.type === "tool_call" ? { call: item.call, name: item.name } : null;
  }
  return null;
}

/**
 * What waits behind a rewind: all that waits now, and of what was told behind the place, quietly, what had come in before it and what became of children. Nothing that history
 * tells there is told again. By when it came in.
 */
export function waitingBehind(
  now: readonly WaitingItem[],
  at: readonly WaitingItem[],
  left: ToldNotices,
  back: ToldNotices,
): readonly WaitingItem[] {
  const open = new Map(now.map((one) => [idOf(one), one]));
  const again = new Map<string, WaitingItem>();
  for (const one of at) again.set(idOf(one), one);
  for (const [id, one] of left) if (one.item.kind === "pod_event") again.set(id, one);
  for (const [id, one] of again) if (!open.has(id)) open.set(id, { ...one, quiet: true });
  return [...open]
    .filter(([id]) => !back.has(id))
    .map(([, one]) => one)
    .toSorted((a, b) => compareIds(idOf(a), idOf(b)));
}

function compareIds(a: string, b: string): number {
  const [[generation, seq], [otherGeneration, otherSeq]] = [placeOf(a), placeOf(b)];
  return generation - otherGeneration || seq - otherSeq;
}

function placeOf(id: string): readonly [generation: number, seq: number] {
  const [first = "0", second] = id.split("-");
  return second === undefined ? [0, Number(first)] : [Number(first), Number(second)];
}
