/** Rewinder: takes a Pod back to an earlier entry, or forward to one that it left. Nothing is taken out of any log: history goes on in a new segment. */
import {
  entryId,
  type Ids,
  type InputPart,
  isKnown,
  type LogEntry,
  itemOf,
  type SegmentId,
  segmentId,
  YoiError,
} from "@yoi/base";
import type { HistoryGate } from "../history/gate.ts";
import type { Rotator } from "../restore/rotator.ts";
import { readEntries } from "../timeline/find-entry.ts";
import { filesTouched } from "./files-back.ts";
import { type FoundPlace, findPlace, originAt, type PlaceStore, type Target } from "./find-place.ts";
import { lookAt, waitingBehind } from "./left-behind.ts";
import { partsBetween } from "./line-of.ts";
import { wentBackNote } from "./lineage-note.ts";
import { planRewind } from "./plan-fork.ts";

export interface RewinderParts {
  readonly gate: HistoryGate;
  readonly rotator: Rotator;
  readonly sessions: PlaceStore;
  readonly ids: Ids;
  /** Of a tool of this name nothing is left behind but what it said. */
  readonly isReadOnly: (tool: string) => boolean;
  /** Names of the children with an open loan. */
  readonly children: () => readonly string[];
}

export interface RewindRequest extends Target {
  /** Id of the last entry when the target was chosen; absent: whatever came since is left behind too. */
  readonly expectedHead?: string;
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
  /** Files that were written since and are as they were left. */
  readonly touched: readonly string[];
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
  const files = filesTouched();
  const gone = await lookAt(sessions, left, { isReadOnly, files });
  const come = await lookAt(sessions, back, { isReadOnly, files: filesTouched() });
  const segment = segmentId(ids.uuidV7());
  const note = wentBackNote({
    effects: gone.effects,
    restored: [],
    notRestored: files.paths,
    children: children(),
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
    touched: files.paths,
    again: Math.max(0, told.again),
  };
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
