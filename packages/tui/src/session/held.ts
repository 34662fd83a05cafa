/** Held: what the fold remembers from one event to the next beside what is shown. */
import type { PodView, QueuedInput } from "@yoi/protocol";

export type PauseNow = NonNullable<PodView["paused"]>;

/** The input of a run whose answer has not begun: it may still be taken back, with what it attached. */
export interface OpenInput {
  /** Of its `user_input`. */
  readonly seq: number;
  readonly id: string;
  /** Blocks of what it attached. */
  readonly attached: readonly string[];
  /** How many more are to come. */
  readonly toCome: number;
  /** It waited for its time, and waits again where it is taken back. */
  readonly waited: boolean;
  /** As what; null: it did not, or its record came before those that are here. */
  readonly queued: QueuedInput | null;
}

export interface ToldResult {
  /** `entryId` of what waits. */
  readonly id: string;
  /** Id of the block of its command. */
  readonly command: string;
}

export interface PartialText {
  readonly kind: "answer" | "reasoning";
  readonly text: string;
}

export interface Held {
  readonly segment: string | null;
  /** Of the first entry that was told; null: none was. */
  readonly firstSeq: number | null;
  /** Of the segment; null: not known yet, and what has an id by it has one for the time being. */
  readonly generation: number | null;
  readonly epoch: number | null;
  /** Of the last live event. */
  readonly live: number;
  /** Of the next block. */
  readonly n: number;
  /** Blocks that are not finished: their `n` by their id. */
  readonly open: ReadonlyMap<string, number>;
  /** Of the run that goes on. */
  readonly inputs: readonly OpenInput[];
  /** What a new segment carries on was shown before. */
  readonly cameAlong: boolean;
  /** What comes up to its `opened` is how a segment begins that history goes on in: no process began. */
  readonly isBeginning: boolean;
  /** The last pause on record, which is what a paused Pod waits for; null: none is behind the last run. */
  readonly pause: PauseNow | null;
  /** Of the last request that the log names; null: not known. */
  readonly model: string | null;
  /** Results of commands that are shown and wait to be told, by the seq of what waits. */
  readonly results: ReadonlyMap<number, ToldResult>;
  /** The same of the segment before, until they are carried on: the command by the `entryId` of what waits. */
  readonly resultsBefore: ReadonlyMap<string, string>;
  /** What is on record of the answer that arrives: its texts, by the id of the block. */
  readonly partials: ReadonlyMap<string, PartialText>;
  /** Queued inputs: their id by the seq that they have in this segment. */
  readonly queued: ReadonlyMap<number, string>;
}

export const nothingHeld: Held = {
  segment: null,
  firstSeq: null,
  generation: null,
  epoch: null,
  live: 0,
  n: 0,
  open: new Map(),
  inputs: [],
  cameAlong: false,
  isBeginning: false,
  pause: null,
  model: null,
  results: new Map(),
  resultsBefore: new Map(),
  partials: new Map(),
  queued: new Map(),
};
