/** A log of any bodies, behind the entries that begin every segment. */
import type { EntryBody, LogEntry } from "@yoi/base";
import { sampleStart } from "./sample-log.ts";

/** A log of these bodies after the three that begin every segment; so the first has seq 3. */
export function logOf(...bodies: (EntryBody | { kind: "later"; opaque: true; fields: {} })[]): LogEntry[] {
  return [
    { ...sampleStart, kind: "segment_start" as const, carried: 0 },
    { kind: "segment_ready" as const },
    { kind: "opened" as const, epoch: 1, version: "0.1.0" },
    ...bodies,
  ].map((body, seq) => ({ ...body, seq, batch: seq, ts: 0 }));
}
