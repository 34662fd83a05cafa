/** The table that a bench run prints, and its verdict on the two goals. */
import type { Machine } from "./machine.ts";
import type { Run } from "./measure.ts";
import { summary, type Summary } from "./summary.ts";

/** Above this load at the start, times say more about the machine's other work than about ours. */
export const loadMax = 1.5;
/** Goal: what a step may cost over the raw loop with the sandbox off. */
export const gapOverBaselineMaxMs = 3;

export interface Row {
  readonly name: string;
  readonly runs: readonly Run[];
}

export interface Results {
  readonly steps: number;
  readonly machine: Machine;
  readonly rows: readonly Row[];
}

function three(values: Summary, digits = 2): string {
  return [values.min, values.median, values.max].map((value) => value.toFixed(digits)).join(" / ");
}

function gaps(row: Row): Summary {
  return summary(row.runs.flatMap((run) => run.gapsMs));
}

const mebibyte = 1024 * 1024;

const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ["", (row) => row.name],
  ["gap ms", (row) => three(gaps(row))],
  ["to 1st request ms", (row) => three(summary(row.runs.map((run) => run.startToFirstRequestMs)), 0)],
  ["1st request to end ms", (row) => three(summary(row.runs.map((run) => run.restMs)), 0)],
  ["peak MiB", (row) => three(summary(row.runs.map((run) => run.peakBytes / mebibyte)), 1)],
  ["recorded B/step", (row) => summary(row.runs.map((run) => run.recordedBytesPerStep)).median.toFixed(0)],
  ["last request B", (row) => summary(row.runs.map((run) => run.lastRequestBytes)).median.toFixed(0)],
];

function table(rows: readonly Row[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function verdict(what: string, measuredMs: number, maxMs: number): string {
  return `${what}: ${measuredMs.toFixed(2)} ms, goal at most ${maxMs.toFixed(2)}: ${measuredMs <= maxMs ? "met" : "missed"}`;
}

function verdicts({ machine, rows }: Results): readonly string[] {
  const median = (name: string) => {
    const row = rows.find((one) => one.name === name);
    return row === undefined ? null : gaps(row).median;
  };
  const [raw, off, on] = [median("raw loop"), median("yoi, sandbox off"), median("yoi, sandbox on")];
  const lines: string[] = [];
  if (raw !== null && off !== null) {
    lines.push(verdict("a step over the raw loop, sandbox off", off - raw, gapOverBaselineMaxMs));
    lines.push(`  as a ratio: ${(off / raw).toFixed(2)}`);
    if (on !== null && machine.bubblewrapMs !== null) {
      const maxMs = gapOverBaselineMaxMs + machine.bubblewrapMs.median;
      lines.push(verdict("a step over the raw loop, sandbox on", on - raw, maxMs));
      lines.push(`  as a ratio: ${(on / raw).toFixed(2)}`);
    }
  }
  return machine.load > loadMax
    ? [
        `load ${machine.load} at the start is above ${loadMax}: no verdict, and the times above are not to be quoted`,
      ]
    : lines;
}

/** Figures are min / median / max. */
export function report(results: Results): string {
  const { machine, rows, steps } = results;
  const runs = Math.max(...rows.map((row) => row.runs.length));
  return [
    `${steps} steps, ${runs} ${runs === 1 ? "run" : "runs"} each; min / median / max`,
    table(rows),
    "",
    `this machine: ${machine.cores} cores, load ${machine.load} at the start`,
    `  append 600 B + fdatasync  ${three(machine.fdatasyncMs)} ms`,
    `  start of sh -c true       ${three(machine.spawnMs)} ms`,
    `  start of bubblewrap       ${machine.bubblewrapMs === null ? "no bubblewrap here" : `${three(machine.bubblewrapMs)} ms`}`,
    "",
    ...verdicts(results),
  ].join("\n");
}
