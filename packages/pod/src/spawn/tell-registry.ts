/** The registry names the segment that a Pod writes: told again when its history goes on in another one. */
import { messageOf } from "@yoi/base";
import type { HistoryGate } from "../history/gate.ts";
import type { Allocated } from "./allocate.ts";
import type { OwnRecord } from "./own-record.ts";

/**
 * Told of a failure it warns, and nothing else comes of that: the next owner tells it anew.
 * @returns what ends once all that was to be told is told.
 */
export function tellRegistry(
  { gate, record }: { readonly gate: HistoryGate; readonly record: OwnRecord },
  allocated: Allocated,
  warn: (text: string) => void,
): () => Promise<void> {
  let last = Promise.resolve();
  const unheard = gate.onRotate(() => {
    const log = { segment: gate.ref.segment, epoch: record.current.epoch };
    last = last
      .then(() => allocated.moved(log))
      .catch((error: unknown) => {
        warn(`The registry does not know that this Pod writes another segment now: ${messageOf(error)}`);
      });
  });
  return () => {
    unheard();
    return last;
  };
}
