/** The tables that a bench run prints, and its verdicts. Figures are min / median / max. */
import { judge } from "./judge.ts";
import { longTables } from "./long-shown.ts";
import {
  firstRequest,
  gaps,
  lateOverEarly,
  type Loop,
  peak,
  recordedPerStep,
  type Results,
  resume,
  type Row,
} from "./results.ts";
import type { ServiceResults } from "./service.ts";
import { summary, type Summary } from "./summary.ts";
import { openShapes } from "./terminal.ts";
import type { TerminalProgramResults } from "./terminal-program.ts";

/** Above this load at the start, times say more about the machine's other work than about ours. */
export const loadMax = 1.5;

export type Format = "text" | "markdown";

type Cells = readonly (readonly string[])[];

const mebibyte = 1024 * 1024;

function three({ min, median, max }: Summary, digits = 2, unit = 1): string {
  return [min, median, max].map((value) => (value / unit).toFixed(digits)).join(" / ");
}

/** The first line holds the titles. */
function table(cells: Cells, format: Format): string {
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  if (format === "text") return lines.map((line) => line.join("  ").trimEnd()).join("\n");
  const rule = widths.map((width) => "-".repeat(width));
  return [lines[0] ?? [], rule, ...lines.slice(1)].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function loopTable({ steps, rows }: Loop): Cells {
  const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
    [`${steps} steps`, (row) => row.name],
    ["gap ms", (row) => three(gaps(row))],
    ["late/early", (row) => lateOverEarly(row).median.toFixed(2)],
    ["to 1st request ms", (row) => three(firstRequest(row), 0)],
    ["resume to 1st request ms", (row) => resumed(row)],
    ["peak MiB", (row) => three(peak(row), 1, mebibyte)],
    ["recorded B/step", (row) => recordedPerStep(row, steps).median.toFixed(0)],
    ["last request B", (row) => summary(row.runs.map((run) => run.lastRequestBytes)).median.toFixed(0)],
  ];
  return [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
}

function resumed(row: Row): string {
  const figures = resume(row);
  return figures === null ? "" : three(figures, 0);
}

function firstTable({ rows }: Loop): Cells {
  return [["start to first request", "ms"], ...rows.map((row) => [row.name, three(firstRequest(row), 0)])];
}

function machineTable({ machine, loadAtEnd }: Results): Cells {
  const { cores, load, fdatasyncMs, spawnMs, bashMs, bubblewrapMs } = machine;
  return [
    ["this machine", ""],
    ["cores", String(cores)],
    ["load at the start, at the end", `${load}, ${loadAtEnd}`],
    ["append 600 B + fdatasync, ms", three(fdatasyncMs)],
    ["start of sh -c true, ms", three(spawnMs)],
    ["start of bash -c true, ms", bashMs === null ? "none here" : three(bashMs)],
    ["start of bubblewrap, ms", bubblewrapMs === null ? "none here" : three(bubblewrapMs)],
  ];
}

function otherTables({
  first,
  starts,
  store,
  scan,
  features,
  terminal,
  service,
  children,
  tree,
  long,
}: Results): readonly Cells[] {
  return [
    ...(service === null ? [] : [serviceTable(service)]),
    ...(first === null ? [] : [firstTable(first)]),
    ...(starts === null
      ? []
      : [
          [
            ["start to end", "ms"],
            ["node -e 0", three(starts.nodeMs, 1)],
            ["yoi --version", three(starts.versionMs, 1)],
            ["yoi --help", three(starts.helpMs, 1)],
          ],
        ]),
    ...(store === null
      ? []
      : [
          [
            ["session log", ""],
            [
              `replay of ${store.replay.entries} entries, ${(store.replay.bytes / 1e6).toFixed(1)} MB: ms`,
              three(store.replay.ms, 0),
            ],
            ["  peak MB", three(store.replay.peakBytes, 0, 1e6)],
            [`${store.append.appenders} appenders: durable entries/s`, three(store.append.perSecond, 0)],
            ["  credentials known", three(store.append.redactedPerSecond, 0)],
          ],
        ]),
    ...(scan === null
      ? []
      : [
          [
            ["directories in the workspace", "gap ms"],
            ...scan.map(({ directories, gapsMs }) => [String(directories), three(summary(gapsMs))]),
          ],
        ]),
    ...(terminal === null
      ? []
      : [
          [
            ["drawing", ""],
            [`${terminal.updates} updates of ${terminal.rows} rows, ms of CPU`, three(terminal.streamMs, 1)],
            ...openShapes.map((shape) => [
              `${terminal.updates} updates of an open ${shape}, ms of CPU`,
              three(terminal.openMs[shape], 1),
            ]),
            ["an update of one row, bytes", String(terminal.rowBytes)],
          ],
          ...(terminal.program === null ? [] : [programTable(terminal.program)]),
        ]),
    ...(features === null
      ? []
      : [
          [
            ["features, on a disk in memory", "ms"],
            ["a step without any", three(features.stepMs.without, 3)],
            [`with ${features.features}, and ${2 * features.features} hooks`, three(features.stepMs.with, 3)],
            [`installing ${features.installed}`, three(features.installMs, 1)],
          ],
        ]),
    ...(tree === null
      ? []
      : [
          [
            ["a tree of hosted Pods", ""],
            ["SpawnPod to a child that is ready, ms", three(tree.spawnMs, 0)],
            ["  node -e 0, ms", three(tree.nodeMs, 0)],
            [`${tree.pods} Pods at once: private MiB each`, three(tree.privateBytes, 1, mebibyte)],
          ],
        ]),
    ...(children === null
      ? []
      : [
          [
            ["children, without their processes", ""],
            [`a decision over ${children.rules} rules, us`, three(children.decisionUs, 2)],
            [
              `delegate and reclaim beside ${children.others} Pods, ms`,
              three(children.delegateAndReclaimMs, 2),
            ],
            ["  one fdatasync, ms", three(children.syncMs, 2)],
          ],
        ]),
    ...longTables(long, three),
  ];
}

function programTable({ firstPaintMs, attach, echo }: TerminalProgramResults): Cells {
  const { yoi, node } = firstPaintMs;
  return [
    ["the terminal, the real program", ""],
    ["start to the first frame, ms", three(yoi, 0)],
    ["  node -e that writes a line, ms", three(node, 0)],
    ["  times that", (yoi.median / node.median).toFixed(2)],
    [`start to a Pod with ${attach.entries} entries, ms`, three(attach.ms, 0)],
    ["  times the first frame", (attach.ms.median / yoi.median).toFixed(2)],
    ["  resident at most, MB", three(attach.peakBytes, 0, 1e6)],
    [
      `key to echo at ${echo.tokensPerSecond.toFixed(0)} tokens/s: half, 99 of 100, ms`,
      `${echo.ms.median.toFixed(1)}, ${echo.ms.worst.toFixed(1)}`,
    ],
  ];
}

function serviceTable({ echoMs, attach, flood, idle }: ServiceResults): Cells {
  const megabytes = (attach.bytes / 1e6).toFixed(1);
  return [
    ["hosted Pod", ""],
    ["ping to its answer, ms", three(echoMs.pod, 3)],
    ["  bare socket, ms", three(echoMs.bare, 3)],
    ["  times the bare socket", (echoMs.pod.median / echoMs.bare.median).toFixed(2)],
    [`attach to ${attach.entries} entries, ${megabytes} MB: ms`, three(attach.ms, 0)],
    ["  reading the file, ms", three(attach.readFileMs, 1)],
    [`${flood.events} events to 3 clients, one stalled: events/s`, three(flood.perSecond, 0)],
    ["  bare socket, lines/s", three(flood.barePerSecond, 0)],
    ["  growth of the hosting process, MiB", three(flood.growthBytes, 1, mebibyte)],
    ["  of it the run itself, without clients", three(flood.aloneBytes, 1, mebibyte)],
    ["idle beside another Pod: private MiB", three(idle.privateBytes, 1, mebibyte)],
    ["  resident MiB", three(idle.residentBytes, 1, mebibyte)],
  ];
}

function verdicts(results: Results, format: Format): string {
  const { load } = results.machine;
  if (load > loadMax)
    return `load ${load} at the start is above ${loadMax}: no verdict, and the times above are not to be quoted`;
  const judged = judge(results).map(({ what, figure, goal, met }) => [
    what,
    figure,
    goal,
    met ? "met" : "missed",
  ]);
  return table([["figure", "median", "goal", "verdict"], ...judged], format);
}

export function report(results: Results, format: Format): string {
  const tables = [...results.loops.map(loopTable), ...otherTables(results), machineTable(results)];
  return [
    "min / median / max",
    ...tables.map((cells) => table(cells, format)),
    verdicts(results, format),
  ].join("\n\n");
}
