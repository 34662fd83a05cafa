/** I2 when a simulated Pod was closed: what it knew, and what it last showed the model, is the replay of its file. */
import assert from "node:assert/strict";
import type { CommittedItem, LogEntry } from "@yoi/base";
import type { PodSnapshot } from "@yoi/pod";
import { replay } from "@yoi/session-store";
import type { Witness } from "./witness.ts";

/** How a Pod was left: `clean` when nothing failed, so that the file has no entry more than the Pod was told of. */
export interface Closed {
  readonly snapshot: PodSnapshot;
  readonly clean: boolean;
  /** How many entries the store had acknowledged to it, those that it found included. */
  readonly told: number;
  /** What it had last sent to the model, in the order of the request. */
  readonly shown: readonly CommittedItem[];
}

export function closedAs({ ledger, sent }: Witness, snapshot: PodSnapshot, clean: boolean): Closed {
  const { length: told } = ledger.acknowledged;
  return { snapshot, clean, told, shown: sent.at(-1)?.request.items ?? [] };
}

export function judgeLive(closed: Closed, entries: readonly LogEntry[]): void {
  const { session, segment, turns, usage, documents } = closed.snapshot;
  const { told } = closed;
  assert.ok(entries.length >= told, `the Pod was told of ${told} entries, the file has ${entries.length}`);
  if (closed.clean) assert.equal(entries.length, told, "the file has entries that the Pod has not");
  const state = replay(entries.slice(0, told));
  assert.deepEqual(
    { session, segment, turns, usage, documents },
    {
      session: state.session,
      segment: state.segment,
      turns: state.turnCount,
      usage: state.usage,
      documents: state.documents,
    },
    "what the Pod knew is not the replay of its file",
  );
  // Results stand in the log as they came, and in a request as the model asked for them.
  const shown = closed.shown.toSorted((a, b) => a.seq - b.seq);
  assert.deepEqual(
    shown,
    state.items.slice(0, shown.length),
    "what the model was last shown is not the replay of the file",
  );
}
