/** FindPlace: from the id of an entry to the place that history goes on from, with the fold behind it. */
import {
  type InputPart,
  isKnown,
  type LogEntry,
  type SegmentOrigin,
  type SessionId,
  YoiError,
} from "@yoi/base";
import {
  replay,
  type SegmentRef,
  type SegmentView,
  type SessionState,
  type SessionStore,
} from "@yoi/session-store";
import { type EntryStore, findEntry } from "../timeline/find-entry.ts";
import { keptThrough, type Place, type Side } from "./place.ts";

export interface PlaceStore extends EntryStore, Pick<SessionStore, "read"> {}

/** `id` as `entryId` makes it. */
export interface Target {
  readonly id: string;
  readonly side: Side;
}

export interface FoundPlace extends Place {
  readonly sum: string;
  /** The fold of the segment up to and with it. */
  readonly at: SessionState;
  /** Where the place is before an input: that input. */
  readonly input: readonly InputPart[] | null;
  /** What is wrong with that segment further on, as a sentence; null: nothing. */
  readonly damage: string | null;
}

/** Looks in all segments that `ref` goes back to or left. Throws target_unknown, rewind_refused, and what the store throws. */
export async function findPlace(store: PlaceStore, ref: SegmentRef, target: Target): Promise<FoundPlace> {
  const { id, side } = target;
  const found = await findEntry(store, ref, id);
  const { entry } = found;
  if (isKnown(entry) && entry.kind === "carried" && entry.of === "item" && entry.id === id)
    throw new YoiError(
      "rewind_refused",
      `The log in which ${id} was written first is not there any more, so history cannot go on from it: name a later entry.`,
    );
  const view = await readGood(store, found.ref, found.seq);
  const { entries, sums } = view;
  const seq = keptThrough(entries, found.seq, side);
  const sum = sums[seq];
  if (sum === undefined) throw new Error(`a good entry ${seq} has no checksum`);
  const at = replay(entries.slice(0, seq + 1));
  const input = side === "before" ? inputOf(entry) : null;
  return { ref: found.ref, seq, sum, at, input, damage: damageOf(view) };
}

/** The last good entry of the segment. */
export async function endOf(store: Pick<PlaceStore, "read">, ref: SegmentRef): Promise<FoundPlace> {
  const view = await readGood(store, ref, 0);
  const { entries, sums } = view;
  const seq = entries.length - 1;
  const sum = sums[seq];
  if (sum === undefined) throw new Error(`a good entry ${seq} has no checksum`);
  return { ref, seq, sum, at: replay(entries), input: null, damage: damageOf(view) };
}

function damageOf({ damage }: SegmentView): string | null {
  if (damage === null) return null;
  const { path, line, offset, reason } = damage;
  return `${path} is damaged at line ${line}, byte ${offset} (${reason})`;
}

/** What is good of a segment, which is to reach to `seq`. */
async function readGood(store: Pick<PlaceStore, "read">, ref: SegmentRef, seq: number): Promise<SegmentView> {
  const view = await store.read(ref);
  if (view.ready && seq < view.entries.length) return view;
  const { damage, path, entries } = view;
  if (damage === null)
    throw new YoiError("target_unknown", `${path} has no entry ${seq}: it ends at ${entries.length - 1}.`);
  const { line, offset } = damage;
  throw new YoiError(
    "log_damaged",
    `${damageOf(view)}, before the entry ${seq}: choose a place before that; the ${entries.length} entries up to there are good.`,
    { place: { path, line, offset } },
  );
}

function inputOf(entry: LogEntry): readonly InputPart[] | null {
  return isKnown(entry) && entry.kind === "user_input" ? entry.parts : null;
}

/** @param session of whose segment it is to be the origin. */
export function originAt({ ref, seq, sum }: FoundPlace, session: SessionId): SegmentOrigin {
  const other = ref.session === session ? {} : { session_id: ref.session };
  return { ...other, segment_id: ref.segment, seq, sum };
}
