/** Pods whose connections break anywhere, whose process dies, and which leave lines out or say them twice. */
import { encodeLine, type PodView, type StreamEvent } from "../../src/index.ts";
import { seededRandom } from "../../../host/src/memory/seeded-random.ts";
import {
  alertEvent,
  entryEvent,
  liveEvent,
  scriptedPod,
  segment,
  snapshotEvent,
  stay,
  welcome,
} from "./scripted-pod.ts";

export const entriesMax = 12;
export const everyEntry = Array.from({ length: entriesMax }, (_, seq) => seq);

/** All that is said behind a hello: records, the snapshot at `at`, then records and live events in turn. */
export function streamLines(from: number, at: number, epoch: number): readonly Uint8Array[] {
  const alerts = [alertEvent(1).live].flatMap((live) => (live.type === "alert" ? [{ ...live, n: 1 }] : []));
  const view: Partial<PodView> = { seq: at - 1, n: at, epoch, alerts };
  const records = (first: number, end: number) =>
    Array.from({ length: Math.max(0, end - first) }, (_, index) => entryEvent(first + index));
  const events: readonly StreamEvent[] = [
    ...records(from, at),
    snapshotEvent(view),
    ...records(at, entriesMax).flatMap((each, index) => [liveEvent(at + 1 + index), each]),
  ];
  return [welcome({ from, epoch }), ...events.map(encodeLine)];
}

/** A Pod whose connections break, whose process dies, and which now and then leaves a line out or says it twice. */
export function unreliablePod(seed: number) {
  const random = seededRandom(seed);
  let epoch = 1;
  return scriptedPod(async (served) => {
    if (random.below(4) === 0) epoch += 1;
    const after = served.hello.after;
    const from = after?.segment === segment ? after.seq + 1 : 0;
    const at = Math.max(1, from + random.below(entriesMax - from + 1));
    const lines = [...streamLines(from, at, epoch)];
    const faulty = random.below(3) === 0;
    if (faulty) {
      const index = 1 + random.below(lines.length - 1);
      const line = lines[index];
      if (line !== undefined) lines.splice(index, 1, ...(random.below(2) === 0 ? [] : [line, line]));
    }
    const bytes = Buffer.concat(lines);
    const cut = random.below(3) === 0 ? bytes.length : random.below(bytes.length);
    for (let at = 0; at < cut;) {
      const end = Math.min(cut, at + 1 + random.below(200));
      await served.say(bytes.subarray(at, end));
      at = end;
    }
    // What is missing at the very end shows only once the connection ends.
    if (cut === bytes.length && !faulty) await stay(served);
  });
}
