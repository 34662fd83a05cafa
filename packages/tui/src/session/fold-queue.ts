/** Fold of inputs that wait for their time, and of whether they wait for the user. */
import type { InputQueued } from "@yoi/base";
import type { QueuedInput } from "@yoi/protocol";
import type { Draft } from "./draft.ts";

/** Who says more means all of it to go on. */
export function foldQueued(draft: Draft, entry: InputQueued & { readonly seq: number }): void {
  const { seq, when, parts } = entry;
  const id = draft.idOf(seq);
  draft.hold({ queued: new Map(draft.held.queued).set(seq, id) });
  draft.set({ queue: [...draft.session.queue, { id, when, parts }], queueHeld: false });
}

/** What had that seq waits no more. Null: it did not wait here. */
export function unqueue(draft: Draft, seq: number): QueuedInput | null {
  const id = draft.held.queued.get(seq) ?? draft.idOf(seq);
  const { queue, queueHeld } = draft.session;
  const left = queue.filter((one) => one.id !== id);
  draft.set({ queue: left, queueHeld: queueHeld && left.length > 0 });
  return queue.find((one) => one.id === id) ?? null;
}

/** They wait again, where they stood. */
export function requeue(draft: Draft, inputs: readonly QueuedInput[]): void {
  const seqs = new Map([...draft.held.queued].map(([seq, id]) => [id, seq]));
  const placeOf = ({ id }: QueuedInput): number => seqs.get(id) ?? -1;
  draft.set({ queue: [...inputs, ...draft.session.queue].toSorted((a, b) => placeOf(a) - placeOf(b)) });
}

/** A run did not finish, or its process ended: what waits goes on only once the user says so. */
export function holdQueue(draft: Draft): void {
  draft.set({ queueHeld: draft.session.queue.length > 0 });
}
