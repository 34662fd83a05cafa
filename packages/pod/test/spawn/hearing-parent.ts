/** A parent of written children: a real log and inbox, and the ChildEvents that tells it. */
import type { MemoryHost } from "@yoi/host";
import { openParts, type Parts } from "../../../../test/inbox/parts.ts";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { ChildEvents } from "../../src/spawn/child-events.ts";
import type { WrittenChild } from "./written-child.ts";

const scenario = JSON.stringify({ steps: Array.from({ length: 40 }, (_, n) => ({ text: `Answer ${n}.` })) });
export const readAlso = " ReadPodOutput shows what it said.";

/** A parent that knows these children, with everything that it was told. */
export async function parentOf(host: MemoryHost, ...children: readonly WrittenChild[]) {
  const parts = await openParts({ host, scenario });
  const warnings: string[] = [];
  const counts = { notified: 0 };
  const { sessions, pods } = simulatedStores(host, new Map());
  const reads: string[] = [];
  const reading = { now: 0, most: 0 };
  const loan = { id: "loan", scope: { allow: [], deny: [] } };
  const known = children.map(({ name, session }) => ({ name, session, loan }));
  const events = new ChildEvents({
    sessions: {
      writtenMs: (ref) => sessions.writtenMs(ref),
      readStart: (ref) => sessions.readStart(ref),
      readLast: (ref) => sessions.readLast(ref),
      async *readBehind(ref, seq) {
        reads.push(ref.segment);
        reading.now += 1;
        reading.most = Math.max(reading.most, reading.now);
        try {
          yield* sessions.readBehind(ref, seq);
        } finally {
          reading.now -= 1;
        }
      },
    },
    pods,
    gate: parts.gate,
    inbox: parts.inbox,
    record: () => ({
      children: known.map((one) => ({
        ...one,
        state: "live",
        tokenDigest: "",
        socket: null,
        callback: null,
        sinceMs: 0,
      })),
      reclaimed: [],
    }),
    clock: host.clock,
    notified: () => (counts.notified += 1),
    warn: (text) => warnings.push(text),
  });
  return { parts, events, warnings, counts, reads, reading };
}

export const waiting = ({ gate }: Parts): readonly string[] =>
  gate.state.inbox.map(({ item }) => item.body.replace(readAlso, ""));
export const cursorOf = ({ gate }: Parts) => gate.state.childCursors.get("kid");
