/** What is said of long sessions: their tables, and which goals they meet. */
import { goals } from "./goals.ts";
import { earlyStep, lateStep, type LongPoint, type LongResults, type LongSession } from "./long.ts";
import type { Summary } from "./summary.ts";

const mebibyte = 1024 * 1024;

/** What is asked for at the later step over the same at the earlier one; null: it was not measured. */
function lateOver({ early, late }: LongSession, of: (point: LongPoint) => number): number | null {
  return early === null || late === null ? null : of(late) / of(early);
}

interface Judging {
  readonly atMost: (what: string, unit: string, measured: number, max: number, digits?: number) => Verdict;
}
interface Verdict {
  readonly what: string;
  readonly figure: string;
  readonly goal: string;
  readonly met: boolean;
}

export function judgeLong(long: LongResults | null, { atMost }: Judging): readonly Verdict[] {
  if (long === null) return [];
  const { endless, compacted, restore, compaction, listing } = long;
  const ratios = [
    ["own time of a step, window without end", lateOver(endless, ({ ownMs }) => ownMs)],
    ["own time of a step, compacted by default", lateOver(compacted, ({ ownMs }) => ownMs)],
    ["a whole step, compacted by default", lateOver(compacted, ({ wholeMs }) => wholeMs)],
  ] as const;
  const list = listing.commands[0];
  return [
    ...ratios.flatMap(([what, ratio]) =>
      ratio === null
        ? []
        : [atMost(`${what}: step ${lateStep} over step ${earlyStep}`, "", ratio, goals.stepLateOverEarly)],
    ),
    atMost(
      `opening with ${restore.segments} segments left, over a fresh Pod with the open one`,
      "",
      restore.ms.median / restore.freshMs.median,
      goals.restoreOverFresh,
    ),
    atMost(
      "  resident memory of it, over the same",
      "",
      restore.residentBytes.median / restore.freshResidentBytes.median,
      goals.restoreResidentOverFresh,
    ),
    atMost(`compaction of ${compaction.tokens} tokens`, "ms", compaction.ownMs.median, goals.compactionMs, 0),
    ...(list === undefined
      ? []
      : [
          atMost(
            `${list.name}, ${(listing.bytes / 1e9).toFixed(1)} GB of segments`,
            "ms",
            list.ms.median,
            goals.listMs,
            0,
          ),
        ]),
  ];
}

type Three = (figures: Summary, digits?: number, unit?: number) => string;
type Cells = readonly (readonly string[])[];

export function longTables(long: LongResults | null, three: Three): readonly Cells[] {
  if (long === null) return [];
  const { endless, compacted, restore, compaction, listing } = long;
  return [
    curve("window without end", endless),
    curve(`compacted by default, ${compacted.compactions} times`, compacted),
    [
      ["a session of many segments", ""],
      [
        `opening with ${restore.segments} left, ${(restore.bytes / 1e6).toFixed(0)} MB: ms`,
        three(restore.ms, 1),
      ],
      ["  a fresh Pod with the open one, ms", three(restore.freshMs, 1)],
      ["  resident MiB", three(restore.residentBytes, 1, mebibyte)],
      ["  of the fresh one, MiB", three(restore.freshResidentBytes, 1, mebibyte)],
      [
        `compaction of ${compaction.tokens} tokens, ${compaction.items} items: own ms`,
        three(compaction.ownMs, 0),
      ],
      ["  of the processor, ms", three(compaction.ownCpuMs, 0)],
      ...listing.commands.flatMap(({ name, ms, emptyMs }) => [
        [`${name}, ${(listing.bytes / 1e9).toFixed(1)} GB of segments: ms`, three(ms, 0)],
        ["  without them, ms", three(emptyMs, 0)],
      ]),
    ],
  ];
}

function curve(title: string, { points }: LongSession): Cells {
  return [
    [`a step, ${title}`, "own ms", "of the processor", "whole ms", "of the processor", "resident MiB"],
    ...points.map(({ step, ownMs, ownCpuMs, wholeMs, wholeCpuMs, residentBytes }) => [
      String(step),
      ...[ownMs, ownCpuMs, wholeMs, wholeCpuMs].map((ms) => ms.toFixed(2)),
      (residentBytes / mebibyte).toFixed(0),
    ]),
  ];
}
