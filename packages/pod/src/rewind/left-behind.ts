/** LeftBehind: what was told on a stretch of history that is not part of it any more. */
import { entryId, idOf, isKnown, type LogEntry } from "@yoi/base";
import { positionDomain, type SessionState, type SessionStore, type WaitingItem } from "@yoi/session-store";
import { readEntries } from "../timeline/find-entry.ts";
import type { Stretch } from "./line-of.ts";

/** A notice by its id, as it waited before it was told. */
export type ToldNotices = ReadonlyMap<string, WaitingItem>;

/** Reads the stretches, oldest first, whole segments so far as they go: a notice has its id from where it waited first. */
export async function noticesTold(
  store: Pick<SessionStore, "readLines" | "attach">,
  stretches: readonly Stretch[],
): Promise<ToldNotices> {
  const told = new Map<string, WaitingItem>();
  for (const { ref, generation, after, seq: through } of stretches.toReversed()) {
    const waiting = new Map<number, WaitingItem>();
    for await (const entry of readEntries(store, ref, { seq: 0, direction: "onwards" })) {
      if (entry.seq > through) break;
      if (!isKnown(entry)) continue;
      const notice = noticeOf(entry, generation);
      if (notice !== null) waiting.set(entry.seq, notice);
      if (entry.seq <= after) continue;
      if (entry.kind !== "system_item" || entry.delivers === undefined) continue;
      const delivered = waiting.get(entry.delivers);
      if (delivered !== undefined) told.set(idOf(delivered), delivered);
    }
  }
  return told;
}

function noticeOf(entry: LogEntry, generation: number): WaitingItem | null {
  if (!isKnown(entry)) return null;
  const isAccepted = entry.kind === "inbox_accepted";
  if (!isAccepted && (entry.kind !== "carried" || entry.of !== "inbox_accepted")) return null;
  const { seq, item, quiet } = entry;
  const id = ("id" in entry ? entry.id : undefined) ?? entryId(generation, seq);
  return { seq, item, id, ...(quiet === true ? { quiet } : {}) };
}

/** Without what the user's commands came to behind the place: where files go back, it would be told as news of files that are not so any more. */
export function withoutCommandsBehind(
  now: readonly WaitingItem[],
  at: readonly WaitingItem[],
): readonly WaitingItem[] {
  const before = new Set(at.map(idOf));
  return now.filter((one) => one.item.kind !== "user_command" || before.has(idOf(one)));
}

/** Its sender keeps how far it has told, and will not tell it by itself again. */
export function isTellingUpTo({ extensions }: Pick<SessionState, "extensions">, one: WaitingItem): boolean {
  return extensions.has(positionDomain(one.item.source));
}

/**
 * What waits behind a rewind: all that waits now, and of what was told behind the place, quietly, what had come in before it, what became of children, and what `tellsOnce`.
 * Nothing that history tells there is told again. By when it came in.
 */
export function waitingBehind(
  now: readonly WaitingItem[],
  at: readonly WaitingItem[],
  left: ToldNotices,
  back: ToldNotices,
  tellsOnce: (one: WaitingItem) => boolean,
): readonly WaitingItem[] {
  const open = new Map(now.map((one) => [idOf(one), one]));
  const again = new Map<string, WaitingItem>();
  for (const one of at) again.set(idOf(one), one);
  for (const [id, one] of left) if (one.item.kind === "pod_event" || tellsOnce(one)) again.set(id, one);
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
