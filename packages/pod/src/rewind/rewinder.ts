/** Rewinder: takes a Pod back to an earlier entry, or forward to one that it left. Nothing is taken out of any log: history goes on in a new segment. */
import {
  entryId,
  type Ids,
  type InputPart,
  isKnown,
  type JsonObject,
  type LogEntry,
  itemOf,
  type SegmentId,
  segmentId,
  YoiError,
} from "@yoi/base";
import type { HistoryGate } from "../history/gate.ts";
import type { Rotator } from "../restore/rotator.ts";
import { type FilesBack, touchedRecord } from "@yoi/tools";
import { readEntries } from "../timeline/find-entry.ts";
import { type FileTold, type FilesStore, type TouchedFiles, touchedSince } from "./files-back.ts";
import { type FoundPlace, findPlace, originAt, type PlaceStore, type Target } from "./find-place.ts";
import { lookAt, waitingBehind } from "./left-behind.ts";
import { partsBetween } from "./line-of.ts";
import { wentBackNote } from "./lineage-note.ts";
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
 * While no run works, and none begins. Throws rewind_refused (nothing to do, the head moved), target_unknown, and what the store throws: then the Pod is where it was, or
 * `log_poisoned` where nobody can say.
 */
export async function rewind(parts: RewinderParts, request: RewindRequest): Promise<Rewound> {
  const { gate, rotator, sessions, ids, isReadOnly, children } = parts;
  requireHead(gate, request);
  const place = await findPlace(sessions, gate.ref, request);
  await refuseNothing(parts, place);
  const { left, back } = await partsBetween(sessions, { ref: gate.ref, seq: gate.head.seq }, place);
  const gone = await lookAt(sessions, left, isReadOnly);
  const come = await lookAt(sessions, back, isReadOnly);
  const foreign = left.filter(({ ref }) => ref.session !== gate.ref.session);
  const at = { ...place, generation: place.at.generation };
  const since = await touchedSince(sessions, gate.ref, at, foreign);
  requireHead(gate, request);
  const { files, record } =
    request.files === true ? await putBack(parts, since) : { files: since.files, record: {} };
  const touched = pathsOf(files.filter(({ outcome }) => !isBack(outcome)));
  const segment = segmentId(ids.uuidV7());
  const note = wentBackNote({
    effects: gone.effects,
    restored: pathsOf(files.filter(({ outcome }) => isBack(outcome))),
    notRestored: touched,
    children: children(),
    record,
  });
  const told = { left: "", again: 0 };
  await rotator.rotate(({ ref, head, state: now }) => {
    // What came in meanwhile is not what the user saw; without that it is carried on.
    requireHead(gate, request);
    told.left = headIdOf(gate);
    const inbox = waitingBehind(now.inbox, place.at.inbox, gone.told, come.told);
    told.again = inbox.length - now.inbox.length;
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
  return {
    segment,
    generation: gate.generation,
    kept: entryId(place.at.generation, place.seq),
    left: told.left,
    turns: gate.turnCount,
    input: place.input,
    effects: gone.effects,
    touched,
    files: files.map(({ path, outcome, why }) => ({ path, outcome, ...(why === undefined ? {} : { why }) })),
    filesLost: since.lost,
    again: Math.max(0, told.again),
  };
}

/** Before history goes back: who dies in between does the same again, and finds what is done done. */
async function putBack(
  { filesBack, sessions, gate }: RewinderParts,
  { files }: TouchedFiles,
): Promise<{ readonly files: readonly FileTold[]; readonly record: JsonObject }> {
  if (filesBack === null)
    throw new YoiError("usage", "This process has no files of the Pod: nothing was taken back.");
  const wishes = files.flatMap(({ wish }) => wish ?? []);
  const { reports, touched } = await filesBack.putBack(wishes);
  const told = new Map(reports.map((report) => [report.path, report]));
  const record = await touchedRecord(touched, sessions.copies(gate.ref.session), "change");
  return { files: files.map((file) => told.get(file.path) ?? file), record };
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

/** Behind the place stands nothing of history. */
async function refuseNothing({ gate, sessions }: RewinderParts, place: FoundPlace): Promise<void> {
  if (place.ref.segment !== gate.ref.segment) return;
  for await (const entry of readEntries(sessions, place.ref, { seq: place.seq + 1, direction: "onwards" }))
    if (changesHistory(entry)) return;
  throw new YoiError(
    "rewind_refused",
    `The session is at the entry ${entryId(place.at.generation, place.seq)} already: there is nothing behind it to go back from.`,
  );
}

function changesHistory(entry: LogEntry): boolean {
  if (itemOf(entry) !== null) return true;
  return isKnown(entry) && (entry.kind === "tool_started" || entry.kind === "turn_rolled_back");
}
