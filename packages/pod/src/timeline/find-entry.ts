/** Finding an entry by its id, in whichever segment of a Pod's life it was written first. */
import { type LogEntry, YoiError } from "@yoi/base";
import type { LinesFrom, SegmentRef, SessionStore } from "@yoi/session-store";
import { originOfStart, refOfOrigin, type Timeline, timelineOf, type TimelineStore } from "./timeline.ts";

export interface EntryStore extends TimelineStore, Pick<SessionStore, "readLines" | "attach"> {}

export interface EntryName {
  readonly generation: number;
  readonly seq: number;
}

export interface FoundEntry {
  readonly ref: SegmentRef;
  /** Of the segment in which it was found. */
  readonly generation: number;
  readonly seq: number;
  /** Where the segment that it was written to first is not there any more: a `carried` one with this id. */
  readonly entry: LogEntry;
}

const entryIds = /^(?:([1-9]\d{0,8})-)?(0|[1-9]\d{0,15})$/;

/** What `entryId` made of these two; null: it made no such text. */
export function parseEntryId(id: string): EntryName | null {
  const [, generation = "0", seq] = entryIds.exec(id) ?? [];
  return seq === undefined ? null : { generation: Number(generation), seq: Number(seq) };
}

/**
 * Looks on the timeline that ends with `ref`, then on that of the Pod that it was forked from, as far as the fork goes back to it. Throws target_unknown where the id names
 * nothing there, io_failed, blob_damaged, schema_newer.
 */
export async function findEntry(store: EntryStore, ref: SegmentRef, id: string): Promise<FoundEntry> {
  const name = parseEntryId(id);
  if (name === null)
    throw new YoiError(
      "target_unknown",
      `${JSON.stringify(id)} is no entry's id: one is a number (57), or two (2-57), as \`yoi pod log\` shows them.`,
    );
  const timeline = await timelineOf(store, ref);
  const entry = (await entryOn(store, timeline, name)) ?? (await carriedCopy(store, timeline, id));
  if (entry === null)
    throw new YoiError("target_unknown", `There is no entry ${id} in the logs of this Pod.`);
  return entry;
}

async function entryOn(
  store: EntryStore,
  { segments }: Timeline,
  { generation, seq }: EntryName,
): Promise<FoundEntry | null> {
  const segment = segments.find((one) => one.generation === generation);
  if (segment !== undefined) {
    const { ref } = segment;
    const entry = await entryAt(store, ref, seq);
    return entry === null ? null : { ref, generation, seq, entry };
  }
  const oldest = segments.at(-1);
  const origin = oldest === undefined ? null : originOfStart(oldest.start);
  if (oldest === undefined || origin?.session_id === undefined) return null;
  const source = await timelineOf(store, refOfOrigin(oldest.ref, origin));
  const [last] = source.segments;
  // What the other Pod did behind the fork is not this one's.
  const isBehind = last === undefined || generation > last.generation;
  if (isBehind || (generation === last.generation && seq > origin.seq)) return null;
  return entryOn(store, source, { generation, seq });
}

async function entryAt(store: EntryStore, ref: SegmentRef, seq: number): Promise<LogEntry | null> {
  for await (const entry of readEntries(store, ref, { seq, direction: "onwards" }))
    return entry.seq === seq ? entry : null;
  return null;
}

/** The oldest: a carried item keeps its id, so it tells what is not to be had any more where it was written first. */
export async function carriedCopy(
  store: EntryStore,
  { segments }: Timeline,
  id: string,
): Promise<FoundEntry | null> {
  for (const { ref: at, generation, start } of segments.toReversed()) {
    for await (const entry of readEntries(store, at, { seq: 1, direction: "onwards" })) {
      if (entry.seq > start.carried) break;
      if ("opaque" in entry || entry.kind !== "carried") continue;
      if (entry.of === "item" && entry.id === id) return { ref: at, generation, seq: entry.seq, entry };
    }
  }
  return null;
}

/** Whole entries from any one on, payloads fetched. What cannot be read as an entry is left out. Throws io_failed, blob_damaged. */
export async function* readEntries(
  store: Pick<SessionStore, "readLines" | "attach">,
  ref: SegmentRef,
  from: LinesFrom,
): AsyncGenerator<LogEntry, void> {
  for await (const lines of store.readLines(ref, from)) {
    for (const line of lines) {
      const entry = line.decode();
      if (entry !== null) yield "detached" in entry ? await store.attach(ref, entry) : entry;
    }
  }
}
