/** Which goals a bench run met: each figure beside its goal. */
import { goals, resumeSteps } from "./goals.ts";
import { judgeLong } from "./long-shown.ts";
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
import { openShapes } from "./terminal.ts";
import type { TerminalProgramResults } from "./terminal-program.ts";

export interface Judged {
  readonly what: string;
  readonly figure: string;
  readonly goal: string;
  readonly met: boolean;
}

const baselineName = "raw loop";
const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
const isOurs = ({ name }: Row) => name.startsWith("yoi");

function atMost(what: string, unit: string, measured: number, max: number, digits = 2): Judged {
  const shown = (value: number) => `${value.toFixed(digits)}${unit === "" ? "" : ` ${unit}`}`;
  return { what, figure: shown(measured), goal: `at most ${shown(max)}`, met: measured <= max };
}

/** Of medians. */
export function judge(results: Results): readonly Judged[] {
  return [
    ...results.loops.flatMap((loop) => judgeLoop(loop, results)),
    ...judgeFirst(results),
    ...judgeStarts(results),
    ...judgeStore(results),
    ...judgeFeatures(results),
    ...judgeTerminal(results),
    ...judgeChildren(results),
    ...judgeService(results),
    ...judgeTree(results),
    ...judgeLong(results.long, { atMost }),
  ];
}

function judgeLoop({ steps, rows }: Loop, { machine }: Results): readonly Judged[] {
  const baseline = rows.find(({ name }) => name === baselineName);
  return rows.filter(isOurs).flatMap((row) => {
    const at = `${row.name}, ${steps} steps`;
    const resumed = steps === resumeSteps ? resume(row) : null;
    const peakMax = goals.peakBytes.get(steps);
    return [
      ...(baseline === undefined ? [] : judgeGap(row, baseline, at, machine.bubblewrapMs?.median ?? 0)),
      ...(resumed === null
        ? []
        : [atMost(`resume to first request: ${at}`, "ms", resumed.median, goals.resumeToFirstRequestMs, 0)]),
      ...(peakMax === undefined
        ? []
        : [
            {
              what: `peak memory: ${at}`,
              figure: `${mebibytes(peak(row).median)} MiB`,
              goal: `at most ${mebibytes(peakMax)} MiB`,
              met: peak(row).median <= peakMax,
            },
          ]),
      atMost(
        `recorded for a step: ${at}`,
        "B",
        recordedPerStep(row, steps).median,
        goals.recordedBytesPerStep,
        0,
      ),
    ];
  });
}

function judgeGap(row: Row, baseline: Row, at: string, bubblewrapMs: number): readonly Judged[] {
  const boxed = row.name.includes("sandbox on");
  const over = gaps(row).median - gaps(baseline).median;
  const max = goals.gapOverBaselineMs + (boxed ? bubblewrapMs : 0);
  const ratio = lateOverEarly(row).median;
  const ratioMax = Math.max(goals.lateOverEarly, goals.lateOverBaselines * lateOverEarly(baseline).median);
  return [
    atMost(`gap over the raw loop: ${at}`, "ms", over, max),
    // A short run has no late steps.
    ...(row.runs.some(({ gapsMs }) => gapsMs.length >= 100)
      ? [atMost(`late over early steps: ${at}`, "", ratio, ratioMax)]
      : []),
  ];
}

function judgeFirst({ first }: Results): readonly Judged[] {
  return (first?.rows ?? [])
    .filter(isOurs)
    .map((row) =>
      atMost(
        `start to first request: ${row.name}`,
        "ms",
        firstRequest(row).median,
        goals.startToFirstRequestMs,
        0,
      ),
    );
}

function judgeStarts({ starts }: Results): readonly Judged[] {
  if (starts === null) return [];
  const ratio = starts.versionMs.median / starts.nodeMs.median;
  return [atMost("yoi --version over node -e 0", "", ratio, goals.versionOverNode)];
}

function judgeStore({ store }: Results): readonly Judged[] {
  if (store === null) return [];
  const { replay, append } = store;
  const rates = [
    [append.perSecond.median, ""],
    [append.redactedPerSecond.median, ", credentials known"],
  ] as const;
  return [
    atMost(`replay of ${replay.entries} entries`, "ms", replay.ms.median, goals.replayMs, 0),
    atMost(
      `replay of ${replay.entries} entries, peak memory`,
      "MB",
      replay.peakBytes.median / 1e6,
      goals.replayPeakBytes / 1e6,
      0,
    ),
    ...rates.map(([rate, how]) => ({
      what: `durable entries a second, ${append.appenders} appenders${how}`,
      figure: rate.toFixed(0),
      goal: `at least ${goals.appendsPerSecond}`,
      met: rate >= goals.appendsPerSecond,
    })),
  ];
}

function judgeService({ service }: Results): readonly Judged[] {
  if (service === null) return [];
  const { echoMs, attach, flood, idle } = service;
  const inMebibytes = (what: string, bytes: number, max: number) =>
    atMost(what, "MiB", bytes / 1024 / 1024, max / 1024 / 1024, 1);
  return [
    atMost("ping to its answer, over the socket", "ms", echoMs.pod.median, goals.echoMs, 3),
    atMost(`attach to ${attach.entries} entries`, "ms", attach.ms.median, goals.attachMs, 0),
    inMebibytes(
      `growth while ${flood.events} events go to 3 clients, over the same run without`,
      flood.growthBytes.median - flood.aloneBytes.median,
      goals.floodGrowthBytes,
    ),
    inMebibytes("idle hosted Pod, private memory", idle.privateBytes.median, goals.idlePrivateBytes),
    inMebibytes("idle hosted Pod, resident memory", idle.residentBytes.median, goals.idleResidentBytes),
  ];
}

function judgeTree({ tree }: Results): readonly Judged[] {
  if (tree === null) return [];
  const { nodeMs, spawnMs, pods, privateBytes } = tree;
  const mebibyte = 1024 * 1024;
  return [
    atMost(
      "SpawnPod to a child that is ready, over node -e 0",
      "ms",
      spawnMs.median - nodeMs.median,
      goals.spawnOverNodeMs,
      0,
    ),
    atMost(
      `private memory of the largest of ${pods} Pods`,
      "MiB",
      privateBytes.max / mebibyte,
      goals.crowdPrivateBytes / mebibyte,
      1,
    ),
  ];
}

function judgeChildren({ children }: Results): readonly Judged[] {
  if (children === null) return [];
  const { rules, others, decisionUs, delegateAndReclaimMs, syncMs } = children;
  const lendMs = Math.max(goals.delegateAndReclaimMs, goals.delegateAndReclaimSyncs * syncMs.median);
  return [
    atMost(`deciding with ${rules} rules`, "us", decisionUs.median, goals.decisionUs, 2),
    atMost(`delegate and reclaim beside ${others} Pods`, "ms", delegateAndReclaimMs.median, lendMs, 2),
  ];
}

function judgeTerminal({ terminal }: Results): readonly Judged[] {
  if (terminal === null) return [];
  const { updates, rows, streamMs, openMs, rowBytes, program } = terminal;
  return [
    atMost(
      `${updates} updates of ${rows} live rows, of the processor`,
      "ms",
      streamMs.median,
      goals.drawMs,
      0,
    ),
    ...openShapes.map((shape) =>
      atMost(
        `${updates} updates of an open ${shape}, of the processor`,
        "ms",
        openMs[shape].median,
        goals.drawMs,
        0,
      ),
    ),
    atMost("an update of one row", "bytes", rowBytes, goals.rowBytes, 0),
    ...(program === null ? [] : judgeProgram(program)),
  ];
}

function judgeProgram({ firstPaintMs, attach, echo }: TerminalProgramResults): readonly Judged[] {
  const { ms, peakBytes } = attach;
  return [
    atMost("first frame of `yoi`", "ms", firstPaintMs.yoi.median, goals.firstPaintMs, 0),
    atMost(`a Pod with ${attach.entries} entries on the screen`, "ms", ms.median, goals.openMs, 0),
    atMost("its peak memory", "MB", peakBytes.median / 1e6, goals.openPeakBytes / 1e6, 0),
    atMost("a key while an answer streams, 99 of 100", "ms", echo.ms.worst, goals.echoOfKeyMs, 1),
  ];
}

function judgeFeatures({ features }: Results): readonly Judged[] {
  if (features === null) return [];
  const { stepMs, installMs } = features;
  const added = stepMs.with.median - stepMs.without.median;
  return [
    atMost(
      `${features.features} features with ${2 * features.features} hooks, a step`,
      "ms",
      added,
      goals.featuresPerStepMs,
      3,
    ),
    atMost(`installing ${features.installed} features`, "ms", installMs.median, goals.installMs, 1),
  ];
}
