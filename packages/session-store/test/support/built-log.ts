/** A small log as its bytes and as what they hold, from bodies and the writes that brought them. */
import type { EntryBody, LogEntry } from "@yoi/base";
import { decodeEntry, entryJson } from "../../src/log-entry.ts";
import { type BuiltLine, chainLines } from "./sample-log.ts";

/** @param writes those that bring more than one line, by the seqs of their first and last one. `previousSum`: of the entry that the log goes on from; none without it. */
export function builtLog(
  bodies: readonly EntryBody[],
  writes: readonly (readonly [number, number])[],
  previousSum?: string,
): {
  readonly lines: readonly BuiltLine[];
  readonly bytes: Buffer;
  readonly entries: readonly LogEntry[];
} {
  const batchOf = (seq: number): number =>
    writes.find(([first, last]) => first <= seq && seq <= last)?.[0] ?? seq;
  const jsons = bodies.map(({ kind, ...fields }, seq) =>
    entryJson({ seq, batch: batchOf(seq), ts: 1_767_225_600_000 + seq }, kind, fields),
  );
  const entries = jsons.map((json, seq): LogEntry => {
    const decoded = decodeEntry(json, seq, batchOf(seq));
    if ("wrong" in decoded || "detached" in decoded.entry) throw new Error(`the log is wrong at ${seq}`);
    return decoded.entry;
  });
  const lines = chainLines(jsons, previousSum);
  return { lines, bytes: Buffer.concat(lines.map((line) => line.bytes)), entries };
}
