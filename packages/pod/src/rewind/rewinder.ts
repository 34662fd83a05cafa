/** Rewinder: takes a Pod back to an earlier entry, or forward to one that it left. Nothing is taken out of any log: history goes on in a new segment. */
import {
  entryId,
  type Ids,
  type InputPart,
  isKnown,
  type LogEntry,
  itemOf,
  messageOf,
  type SegmentId,
  segmentId,
  type SegmentOrigin,
  YoiError,
} from "@yoi/base";
import type { HistoryGate } from "../history/gate.ts";
import type { Rotator } from "../restore/rotator.ts";
import { type FilesBack, touchedRecord } from "@yoi/tools";
import type { SegmentRef } from "@yoi/session-store";
import { readEntries } from "../timeline/find-entry.ts";
import { readTimelineSegment } from "../timeline/timeline.ts";
import { type DoneSince, doneSince, type FilesStore } from "./done-since.ts";
import type { FileTold } from "./file-chains.ts";
import { type FoundPlace, findPlace, originAt, type PlaceStore, type Target } from "./find-place.ts";
import { isTellingUpTo, noticesTold, waitingBehind, withoutCommandsBehind } from "./left-behind.ts";
import { partsBetween } from "./line-of.ts";
import { movedNote, putBackNote } from "./lineage-note.ts";
import { planRewind } from "./plan-fork.ts";

export interface RewinderParts {
  readonly gate: HistoryGate;
  readonly rotator: Rotator;
  readonly sessions: PlaceStore & FilesStore;
  readonly ids: Ids;
  /** Of a tool of this name nothing is left behind but what it said. */
  readonly isReadOnly: (tool: string) => boolean;
  /** Names of the children with an open loan. */
  readonly children: () => readonly string[];
  /** Null: nobody here may touch files. */
  readonly filesBack: FilesBack | null;
}

export interface RewindRequest extends Target {
  /** Id of the last entry when the target was chosen; absent: whatever came since is left behind too. */
  readonly expectedHead?: string;
  /** Files that the tools touched since are put back as they were, where nobody else changed them. */
  readonly files?: boolean;
}

export interface Rewound {
  readonly segment: SegmentId;
  readonly generation: number;
  /** Id of the last entry that was kept. */
  readonly kept: string;
  /** Id of the last entry that was left behind: going back to it undoes this. */
  readonly left: string;
  /** Completed turns that history has now. */
  readonly turns: number;
  /** The input before which history ends now; null: it ends elsewhere. */
  readonly input: readonly InputPart[] | null;
  /** Calls of tools that do more than read, whose effects stand. */
  readonly effects: number;
  /** Files that the tools touched since and that are as they were left. */
  readonly touched: readonly string[];
  /** Each of the files that the tools touched since. */
  readonly files: readonly FileTold[];
  /** How many more there were, which no record names. */
  readonly filesLost: number;
  /** Notices that wait again, quietly. */
  readonly again: number;
}

/** Id of the last entry on record. */
export function headIdOf({ generation, head }: Pick<HistoryGate, "generation" | "head">): string {
  return entryId(generation, head.seq);
}

/**
 * While no run works, and none begins. First history is at the place, then files are put back, then the model is told of them: whoever dies in between does the same again, and
 * finds what is done done. Throws rewind_refused (nothing to do, the head moved), target_unknown, usage, and what the store throws: then the Pod and its files are where they were,
 * or, `log_poisoned`, nobody can say where the Pod is. What goes wrong behind that with files throws io_failed, which says that the Pod is at the place.
 */
export async function rewind(parts: RewinderParts, request: RewindRequest): Promise<Rewound> {
  const { gate, rotator, sessions, ids, isReadOnly, children, filesBack } = parts;
  const files = request.files === true;
  if (files && filesBack === null)
    throw new YoiError("usage", "This process has no files of the Pod: nothing was taken back.");
  requireHead(gate, request);
  const place = await findPlace(sessions, gate.ref, request);
  const { left, back } = await partsBetween(sessions, { ref: gate.ref, seq: gate.head.seq }, place);
  const at = { ...place, generation: place.at.generation };
  const since = await doneSince(sessions, gate.ref, at, isReadOnly);
  const putsBack = files && since.files.some(({ wish }) => wish !== null);
  // Where history is already, files may still be to be put back.
  if (!putsBack) await refuseNothing(parts, place);
  const gone = await noticesTold(sessions, left);
  const come = await noticesTold(sessions, back);
  const segment = segmentId(ids.uuidV7());
  const { effects } = since;
  const note = movedNote({ effects, changed: pathsOf(since.files), putsBack, children: children() });
  const told = { left: "", again: 0 };
  await rotator.rotate(({ ref, head, state: now }) => {
    // What came in meanwhile is not what the user saw; without that it is carried on.
    requireHead(gate, request);
    told.left = headIdOf(gate);
    const kept = putsBack ? withoutCommandsBehind(now.inbox, place.at.inbox) : now.inbox;
    const inbox = waitingBehind(kept, place.at.inbox, gone, come, (one) => isTellingUpTo(now, one));
    told.again = inbox.length - kept.length;
    return planRewind({
      segment,
      origin: originAt(place, ref.session),
      left: { segment_id: ref.segment, seq: head.seq, sum: head.sum },
      at: place.at,
      now,
      inbox,
      behind: [note],
    });
  });
  const became = putsBack && filesBack !== null ? await putBack(parts, filesBack, since) : since.files;
  return {
    segment,
    generation: gate.generation,
    kept: entryId(place.at.generation, place.seq),
    left: told.left,
    turns: gate.turnCount,
    input: place.input,
    effects,
    touched: pathsOf(became.filter(({ outcome }) => !isBack(outcome))),
    files: became.map(({ path, outcome, why }) => ({ path, outcome, ...(why === undefined ? {} : { why }) })),
    filesLost: since.lost,
    again: Math.max(0, told.again),
  };
}

async function putBack(
  { sessions, gate }: RewinderParts,
  filesBack: FilesBack,
  { files }: DoneSince,
): Promise<readonly FileTold[]> {
  try {
    const { reports, touched } = await filesBack.putBack(files.flatMap(({ wish }) => wish ?? []));
    const told = new Map(reports.map((report) => [report.path, report]));
    const became = files.map((file): FileTold => told.get(file.path) ?? file);
    const restored = became.filter(({ outcome }) => isBack(outcome));
    const notRestored = became.filter(({ outcome }) => !isBack(outcome));
    const record = await touchedRecord(touched, sessions.copies(gate.ref.session), "change");
    await gate.append([
      putBackNote({ restored: pathsOf(restored), notRestored: pathsOf(notRestored), record }),
    ]);
    return became;
  } catch (error) {
    throw new YoiError(
      "io_failed",
      `The session is at the place that was chosen now, and putting files back failed in the middle: do the same again, which finds what is done done. (${messageOf(error)})`,
      { cause: error },
    );
  }
}

/** It is as it was at the place. */
function isBack(outcome: FileTold["outcome"]): boolean {
  return outcome === "restored" || outcome === "removed" || outcome === "unchanged";
}

function pathsOf(files: readonly FileTold[]): readonly string[] {
  return files.map(({ path }) => path);
}

function requireHead(gate: HistoryGate, { expectedHead }: RewindRequest): void {
  const head = headIdOf(gate);
  if (expectedHead === undefined || expectedHead === head) return;
  throw new YoiError(
    "rewind_refused",
    `The session went on since the place was chosen (its last entry is ${head} now, not ${expectedHead}), so it was not taken back: look at the places again.`,
  );
}

/** Behind the place stands nothing of history: it is the end of this segment, or the entry that this one went on from and was never worked in since. */
async function refuseNothing({ gate, sessions }: RewinderParts, place: FoundPlace): Promise<void> {
  const { ref } = gate;
  const isHere = place.ref.segment === ref.segment;
  const origin = isHere ? null : await originOfActive(sessions, ref);
  const isOrigin = origin?.segment_id === place.ref.segment && origin.seq === place.seq;
  if (!isHere && !isOrigin) return;
  const seq = isHere ? place.seq + 1 : 0;
  for await (const entry of readEntries(sessions, ref, { seq, direction: "onwards" }))
    if (changesHistory(entry) && (isHere || (entry.batch !== 0 && !isNote(entry)))) return;
  throw new YoiError(
    "rewind_refused",
    `The session is at the entry ${entryId(place.at.generation, place.seq)} already: there is nothing behind it to go back from.`,
  );
}

/** Null: of a compacted one too, whose history is another one than that at its origin. */
async function originOfActive(sessions: FilesStore, ref: SegmentRef): Promise<SegmentOrigin | null> {
  return (await readTimelineSegment(sessions, ref))?.start.forked_from ?? null;
}

/** What a rewind itself tells the model. */
function isNote(entry: LogEntry): boolean {
  const item = itemOf(entry);
  return item?.type === "system_item" && item.kind === "lineage" && item.source === "host";
}

function changesHistory(entry: LogEntry): boolean {
  if (itemOf(entry) !== null) return true;
  return isKnown(entry) && (entry.kind === "tool_started" || entry.kind === "turn_rolled_back");
}
