/** The bench harness works: every figure is there and counts what it says. No time is judged. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { goals } from "../../bench/goals.ts";
import { judge } from "../../bench/judge.ts";
import type { LongPoint, LongSession } from "../../bench/long.ts";
import { bench, type BenchOptions } from "../../bench/main.ts";
import { measure, type Run } from "../../bench/measure.ts";
import { startModel } from "../../bench/model-process.ts";
import { loadMax, report } from "../../bench/report.ts";
import type { Results } from "../../bench/results.ts";
import { readRival } from "../../bench/rival.ts";
import { checkoutCommand, rawLoop, yoi, type Subject } from "../../bench/subject.ts";
import { summary } from "../../bench/summary.ts";

const steps = 3;
const command = checkoutCommand;
const nothing: BenchOptions = {
  steps: [],
  runs: 1,
  subjects: [],
  resumes: 0,
  firstRequest: null,
  starts: null,
  store: null,
  scan: null,
  features: null,
  children: null,
  tree: null,
  long: null,
  terminal: null,
  service: null,
  machineSamples: 2,
};

test("a raw loop and yoi play the script to its end, yoi goes on with it, and every figure is one", async () => {
  const subjects = [rawLoop, yoi({ sandbox: "off", command })];
  const results = await bench({ ...nothing, steps: [steps], subjects, resumes: 1 });
  const [raw, ours] = results.loops[0]?.rows.map(({ runs }) => runs[0]) ?? [];
  for (const run of [raw, ours]) {
    assert.ok(run !== undefined);
    assert.equal(run.gapsMs.length, steps);
    const { gapsMs, resumeToFirstRequestMs, ...figures } = run;
    for (const figure of [...gapsMs, ...resumeToFirstRequestMs, ...Object.values(figures)])
      assert.ok(figure > 0, JSON.stringify(run));
  }
  assert.deepEqual(raw?.resumeToFirstRequestMs, []);
  assert.equal(ours?.resumeToFirstRequestMs.length, 1);
});

test("the other parts measure what they name", async () => {
  const store = { replayEntries: 2000, appenders: 4, appendedEntries: 40, runs: 1 };
  const results = await bench({
    ...nothing,
    firstRequest: { subjects: [rawLoop], runs: 1 },
    starts: { command, runs: 1 },
    store,
    scan: {
      directories: [10],
      subject: (prepare) => yoi({ sandbox: "off", command, prepare }),
      steps: 1,
    },
    features: { steps: 3, features: 2, installed: 3, runs: 1 },
    terminal: {
      updates: 20,
      rows: 10,
      runs: 1,
      program: { command: checkoutCommand, entries: 100, keys: 3, runs: 1 },
    },
    children: { rules: 20, decisions: 640, others: 2, loans: 3, runs: 1 },
    tree: { command, children: 1, pods: 1, idleMs: 1 },
    service: { command, pings: 20, entries: 50, events: 40, idleMs: 1, runs: 1 },
    long: {
      command,
      steps: 3,
      compactedSteps: 3,
      segments: 2,
      segmentBytes: 40_000,
      openings: 1,
      tokens: 10_000,
      sessionBytes: 1e7,
      listings: 1,
      runs: 1,
    },
  });
  const { endless, compacted, restore, compaction, listing } = results.long ?? {};
  for (const session of [endless, compacted]) {
    const [point] = session?.points ?? [];
    assert.ok(point !== undefined && point.ownMs > 0 && point.wholeMs > point.ownMs, JSON.stringify(session));
  }
  assert.ok((restore?.bytes ?? 0) >= 80_000 && (restore?.ms.median ?? 0) > 0, JSON.stringify(restore));
  assert.ok((compaction?.tokens ?? 0) >= 10_000 && (compaction?.ownMs.median ?? 0) > 0);
  assert.deepEqual(
    listing?.commands.map(({ name }) => name),
    ["yoi pod list", "yoi pod show old", "yoi tree"],
  );
  assert.ok((results.first?.rows[0]?.runs[0]?.startToFirstRequestMs ?? 0) > 0);
  assert.ok((results.starts?.versionMs.median ?? 0) > 0 && (results.starts?.nodeMs.median ?? 0) > 0);
  // Entries have the size that the goal names: 55 MB by 100,000.
  const bytes = (results.store?.replay.bytes ?? 0) / store.replayEntries;
  assert.ok(bytes > 540 && bytes < 600, String(bytes));
  assert.ok((results.store?.replay.peakBytes.median ?? 0) > 1e6);
  assert.ok((results.store?.append.redactedPerSecond.median ?? 0) > 0);
  assert.equal(results.scan?.[0]?.gapsMs.length, 1);
  assert.ok((results.children?.decisionUs.median ?? 0) > 0 && results.children?.rules === 20);
  assert.ok((results.tree?.spawnMs.median ?? 0) > 0 && (results.tree?.privateBytes.max ?? 0) > 1e6);
  assert.ok((results.features?.stepMs.with.median ?? 0) > 0 && results.features?.installed === 3);
  const { streamMs, openMs, rowBytes, program } = results.terminal ?? {};
  for (const [shape, { median }] of Object.entries(openMs ?? {})) assert.ok(median > 0, shape);
  assert.ok((streamMs?.median ?? 0) > 0 && (rowBytes ?? 0) > 80, JSON.stringify(results.terminal));
  const { firstPaintMs, attach: opened, echo } = program ?? {};
  for (const figure of [firstPaintMs?.yoi.median, firstPaintMs?.node.median, opened?.ms.median])
    assert.ok((figure ?? 0) > 0, JSON.stringify(program));
  assert.ok((opened?.peakBytes.median ?? 0) > 1e7 && echo?.keys === 3, JSON.stringify(program));
  assert.ok((echo?.ms.worst ?? 0) > 0 && (echo?.tokensPerSecond ?? 0) > 0, JSON.stringify(program));
  const { echoMs, attach, flood, idle } = results.service ?? {};
  assert.ok(attach?.entries === 50 && attach.bytes > 50 * 500, JSON.stringify(attach));
  assert.ok(flood?.events === 40 && flood.growthBytes.median >= 0, JSON.stringify(flood));
  for (const figure of [echoMs?.pod, echoMs?.bare, attach.ms, attach.readFileMs, flood.perSecond])
    assert.ok((figure?.median ?? 0) > 0, JSON.stringify(results.service));
  for (const figure of [flood.barePerSecond, idle?.privateBytes, idle?.residentBytes])
    assert.ok((figure?.median ?? 0) > 0, JSON.stringify(results.service));
});

test("a subject that stops early or fails is an error with its output, not a figure", async () => {
  const quits: Subject = {
    ...rawLoop,
    name: "quitter",
    command: () => ({ file: "sh", args: ["-c", "echo gave up >&2; exit 4"] }),
  };
  await using model = await startModel();
  await assert.rejects(measure(quits, model, { steps }), /quitter: exit 4 after 0 of 4 requests\ngave up/);
});

/** Asks for a title first, without tools, as some runtimes do, and then plays the script. */
const trivialRival = `
const [url, log] = process.argv.slice(1);
const ask = (body) => fetch(url + "/v1/messages?beta=true", { method: "POST", body: JSON.stringify(body) }).then((r) => r.text());
await ask({ messages: [] });
const messages = [];
for (;;) {
  const said = await ask({ tools: [{ name: process.env.TOOL }], messages });
  if (!said.includes('"name":"' + process.env.TOOL + '"')) break;
  if (!said.includes("--quiet")) process.exit(9);
  messages.push(said);
  require("node:fs").appendFileSync(log, "step\\n");
}
`.replaceAll("\n", " ");

test("a runtime that a file describes gets a row of its own", async () => {
  const folder = mkdtempSync(join(tmpdir(), "yoi-rival-"));
  try {
    const path = join(folder, "rival.json");
    const code = `(async () => { ${trivialRival} })()`;
    const described = {
      name: "trivial",
      command: [process.execPath, "-e", code, "{url}", "{home}/log.txt"],
      env: { TOOL: "shell" },
      wire_format: "anthropic",
      tool: { name: "shell", arguments: { cmd: "true --quiet" } },
      recorded: ["*.txt"],
    };
    writeFileSync(path, JSON.stringify(described));
    const results = await bench({ ...nothing, steps: [steps], subjects: [readRival(path)] });
    const run = results.loops[0]?.rows[0]?.runs[0];
    assert.equal(run?.gapsMs.length, steps);
    assert.equal(run?.recordedBytes, "step\n".length * steps);
    assert.match(report(results, "text"), /^trivial  /m);

    for (const [fault, sentence] of [
      [{ ...described, wire_format: "smoke" }, /wire_format must be "anthropic"/],
      [{ ...described, command: [] }, /command must be a list of words/],
      [{ ...described, speed: 1 }, /there is no field speed/],
      [[], /holds no object/],
    ] as const) {
      writeFileSync(path, JSON.stringify(fault));
      assert.throws(() => readRival(path), sentence);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const times = summary([1, 2, 3]);

function runOf(gapsMs: readonly number[]): Run {
  return {
    gapsMs,
    startToFirstRequestMs: 1,
    resumeToFirstRequestMs: [1],
    restMs: 1,
    peakBytes: 1,
    recordedBytes: 1,
    lastRequestBytes: 1,
  };
}

function sessionOf(compactions: number, lateMs: number): LongSession {
  const [early, late] = [1, lateMs].map((ownMs): LongPoint => {
    return { step: 1, ownMs, ownCpuMs: 1, wholeMs: 1, wholeCpuMs: 1, residentBytes: 1 };
  });
  return { compactions, points: [], early: early ?? null, late: late ?? null };
}

function results(
  change: Partial<Run> = {},
  { load = loadMax, gapMs = 6, late = 6 }: { load?: number; gapMs?: number; late?: number } = {},
): Results {
  const gapsMs = Array.from({ length: 300 }, (_, index) => (index < 250 ? gapMs : late));
  return {
    machine: { cores: 2, load, fdatasyncMs: times, spawnMs: times, bashMs: times, bubblewrapMs: times },
    loops: [
      {
        steps: 300,
        rows: [
          { name: "raw loop", runs: [runOf(Array.from({ length: 300 }, () => 4))] },
          { name: "yoi, sandbox off", runs: [{ ...runOf(gapsMs), ...change }] },
          { name: "yoi, sandbox on", runs: [runOf(Array.from({ length: 300 }, () => 9.5))] },
        ],
      },
    ],
    first: { steps: 0, rows: [{ name: "yoi, sandbox off", runs: [{ ...runOf([]), ...change }] }] },
    starts: { nodeMs: times, versionMs: summary([3]), helpMs: times },
    store: {
      replay: {
        entries: 100_000,
        bytes: 1,
        ms: summary([goals.replayMs]),
        peakBytes: summary([goals.replayPeakBytes + 1]),
      },
      append: {
        appenders: 64,
        perSecond: summary([goals.appendsPerSecond]),
        redactedPerSecond: summary([goals.appendsPerSecond - 1]),
      },
    },
    scan: null,
    features: {
      features: 10,
      installed: 50,
      stepMs: { without: summary([1]), with: summary([1 + goals.featuresPerStepMs + 0.001]) },
      installMs: summary([goals.installMs]),
    },
    terminal: {
      updates: 400,
      rows: 40,
      streamMs: summary([goals.drawMs + 1]),
      openMs: { fence: summary([goals.drawMs]), table: summary([goals.drawMs]), list: summary([1]) },
      rowBytes: goals.rowBytes,
      program: {
        firstPaintMs: { yoi: summary([goals.firstPaintMs]), node: summary([40]) },
        attach: {
          entries: 20_000,
          ms: summary([goals.openMs + 1]),
          peakBytes: summary([goals.openPeakBytes]),
        },
        echo: { keys: 100, tokensPerSecond: 2_000, ms: { median: 1, worst: goals.echoOfKeyMs } },
      },
    },
    service: {
      echoMs: { pod: summary([goals.echoMs]), bare: times },
      attach: { entries: 20_000, bytes: 1, ms: summary([goals.attachMs]), readFileMs: times },
      flood: {
        events: 1_000_000,
        perSecond: times,
        barePerSecond: times,
        growthBytes: summary([goals.floodGrowthBytes + 5]),
        aloneBytes: summary([5]),
      },
      idle: {
        privateBytes: summary([goals.idlePrivateBytes]),
        residentBytes: summary([goals.idleResidentBytes + 1]),
      },
    },
    tree: {
      nodeMs: summary([40]),
      spawnMs: summary([40 + goals.spawnOverNodeMs]),
      pods: 50,
      privateBytes: summary([goals.crowdPrivateBytes + 1]),
    },
    long: {
      endless: sessionOf(0, goals.stepLateOverEarly),
      compacted: sessionOf(9, goals.stepLateOverEarly + 0.01),
      restore: {
        segments: 50,
        bytes: 1,
        ms: summary([goals.restoreOverFresh]),
        freshMs: summary([1]),
        residentBytes: summary([goals.restoreResidentOverFresh + 0.01]),
        freshResidentBytes: summary([1]),
      },
      compaction: { tokens: 200_000, items: 1, ownMs: summary([goals.compactionMs + 1]), ownCpuMs: times },
      listing: {
        bytes: 2e9,
        commands: [{ name: "yoi pod list", ms: summary([goals.listMs + 1]), emptyMs: times }],
      },
    },
    children: {
      rules: 200,
      others: 16,
      decisionUs: summary([goals.decisionUs + 0.01]),
      delegateAndReclaimMs: summary([goals.delegateAndReclaimMs]),
      syncMs: summary([0.1]),
    },
    loadAtEnd: 1,
  };
}

function missed(of: Results): readonly string[] {
  return judge(of).flatMap(({ what, met }) => (met ? [] : [what]));
}

/** What the fixed figures above miss. */
const always = [
  "gap over the raw loop: yoi, sandbox on, 300 steps",
  "replay of 100000 entries, peak memory",
  "durable entries a second, 64 appenders, credentials known",
  "10 features with 20 hooks, a step",
  "400 updates of 40 live rows, of the processor",
  "a Pod with 20000 entries on the screen",
  "deciding with 200 rules",
  "private memory of the largest of 50 Pods",
  "idle hosted Pod, resident memory",
  "own time of a step, compacted by default: step 2000 over step 100",
  "  resident memory of it, over the same",
  "compaction of 200000 tokens",
  "yoi pod list, 2.0 GB of segments",
];
const off = "yoi, sandbox off, 300 steps";
const peakMax = goals.peakBytes.get(300) ?? Number.NaN;

for (const [what, figures, more] of [
  ["all at their goals", results({}, { gapMs: 7, late: 7 }), []],
  ["a step too slow", results({}, { gapMs: 7.01, late: 7.01 }), [`gap over the raw loop: ${off}`]],
  ["late steps at the limit", results({}, { late: 6 * goals.lateOverEarly }), []],
  [
    "late steps too slow",
    results({}, { late: 6 * goals.lateOverEarly + 0.1 }),
    [`late over early steps: ${off}`],
  ],
  ["memory at the limit", results({ peakBytes: peakMax }), []],
  ["too much memory", results({ peakBytes: peakMax + 1 }), [`peak memory: ${off}`]],
  ["bytes at the limit", results({ recordedBytes: 300 * goals.recordedBytesPerStep }), []],
  [
    "too many bytes",
    results({ recordedBytes: 300 * goals.recordedBytesPerStep + 1 }),
    [`recorded for a step: ${off}`],
  ],
  [
    "a slow resume",
    results({ resumeToFirstRequestMs: [goals.resumeToFirstRequestMs + 1] }),
    [`resume to first request: ${off}`],
  ],
  [
    "a slow start",
    results({ startToFirstRequestMs: goals.startToFirstRequestMs + 1 }),
    ["start to first request: yoi, sandbox off"],
  ],
  [
    "a slow version",
    { ...results(), starts: { nodeMs: times, versionMs: summary([3.01]), helpMs: times } },
    ["yoi --version over node -e 0"],
  ],
] as const) {
  test(`judged against goals of the same run: ${what}`, () => {
    assert.deepEqual(missed(figures).toSorted(), [...always, ...more].toSorted());
  });
}

test("there is no verdict on a busy machine", () => {
  assert.match(report(results(), "text"), /met/);
  assert.match(report(results(), "markdown"), /^\| figure +\| median +\| goal +\| verdict +\|$/m);
  const busy = report(results({}, { load: loadMax + 0.01 }), "text");
  assert.match(busy, /no verdict/);
  assert.doesNotMatch(busy, /goal/);
});

test("a summary is smallest, middle and largest", () => {
  assert.deepEqual(summary([3, 1, 2]), { min: 1, median: 2, max: 3 });
  assert.deepEqual(summary([4, 1, 2, 3]), { min: 1, median: 2.5, max: 4 });
  assert.deepEqual(summary([7]), { min: 7, median: 7, max: 7 });
  assert.throws(() => summary([]));
});
