/** `npm run bench`: what yoi costs, beside a raw loop and the machine's limits, and which goals are met. `-- --help` prints the options. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ChildrenOptions, measureChildren } from "./children.ts";
import { type FeatureOptions, measureFeatures } from "./features.ts";
import { type LongOptions, measureLong } from "./long.ts";
import { load, measureMachine } from "./machine.ts";
import { measure, type Run } from "./measure.ts";
import { type ModelProcess, startModel } from "./model-process.ts";
import { report } from "./report.ts";
import type { Loop, Results, Scan } from "./results.ts";
import { readRival } from "./rival.ts";
import { measureService, type ServiceOptions } from "./service.ts";
import { measureStarts } from "./starts.ts";
import { measureStore, type StoreOptions } from "./store.ts";
import { measureTerminal, type TerminalOptions } from "./terminal.ts";
import { measureTree, type TreeOptions } from "./tree.ts";
import {
  checkoutCommand,
  type Folder,
  installBundle,
  rawLoop,
  type Subject,
  usedBefore,
  yoi,
} from "./subject.ts";

export interface BenchOptions {
  /** One table each; none: no loops. */
  readonly steps: readonly number[];
  /** Of each subject, in turns, so that a slow moment of the machine meets all of them. */
  readonly runs: number;
  readonly subjects: readonly Subject[];
  /** How often a finished run is gone on with. */
  readonly resumes: number;
  /** One model answer without a tool call; null: not measured. */
  readonly firstRequest: { readonly subjects: readonly Subject[]; readonly runs: number } | null;
  readonly starts: { readonly command: string; readonly runs: number } | null;
  readonly store: StoreOptions | null;
  readonly scan: {
    readonly directories: readonly number[];
    readonly subject: (prepare: (folder: Folder) => void) => Subject;
    readonly steps: number;
  } | null;
  readonly features: FeatureOptions | null;
  readonly service: ServiceOptions | null;
  readonly children: ChildrenOptions | null;
  readonly tree: TreeOptions | null;
  readonly long: LongOptions | null;
  readonly terminal: TerminalOptions | null;
  readonly machineSamples: number;
}

export async function bench(options: BenchOptions): Promise<Results> {
  const machine = await measureMachine(options.machineSamples);
  await using model = await startModel();
  const fits = (subject: Subject) => machine.bubblewrapMs !== null || !subject.needsBubblewrap;
  const { firstRequest, starts, store, scan, features, service, children, tree, long, terminal, resumes } =
    options;
  const loops: Loop[] = [];
  for (const steps of options.steps)
    loops.push(await inTurns(options.subjects.filter(fits), model, { steps, runs: options.runs, resumes }));
  return {
    machine,
    loops,
    first:
      firstRequest === null
        ? null
        : await inTurns(firstRequest.subjects.filter(fits), model, { steps: 0, runs: firstRequest.runs }),
    starts: starts === null ? null : await measureStarts(starts.command, starts.runs),
    store: store === null ? null : await measureStore(store),
    scan: scan === null ? null : await measureScan(scan, model),
    features: features === null ? null : await measureFeatures(features),
    service: service === null ? null : await measureService(service),
    children: children === null ? null : await measureChildren(children),
    tree: tree === null ? null : await measureTree(tree),
    long: long === null ? null : await measureLong(long),
    terminal: terminal === null ? null : await measureTerminal(terminal),
    loadAtEnd: load(),
  };
}

async function inTurns(
  subjects: readonly Subject[],
  model: ModelProcess,
  { steps, runs, resumes = 0 }: { readonly steps: number; readonly runs: number; readonly resumes?: number },
): Promise<Loop> {
  const all = new Map<Subject, Run[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < runs; round += 1)
    for (const [subject, done] of all) done.push(await measure(subject, model, { steps, resumes }));
  return { steps, rows: [...all].map(([{ name }, done]) => ({ name, runs: done })) };
}

async function measureScan(
  { directories, subject, steps }: NonNullable<BenchOptions["scan"]>,
  model: ModelProcess,
): Promise<readonly Scan[]> {
  const scans: Scan[] = [];
  for (const count of directories) {
    const run = await measure(
      subject(({ workspace }) => plantDirectories(workspace, count)),
      model,
      { steps },
    );
    scans.push({ directories: count, gapsMs: run.gapsMs });
  }
  return scans;
}

/** At most 100 in one. */
function plantDirectories(workspace: string, count: number): void {
  for (let index = 0; index < count; index += 1)
    mkdirSync(join(workspace, `d${Math.floor(index / 100)}`, `e${index % 100}`), { recursive: true });
}

const parts = [
  "gap",
  "first",
  "version",
  "store",
  "scan",
  "features",
  "service",
  "children",
  "tree",
  "long",
  "terminal",
] as const;
const usage = `npm run bench -- [PART]... [--parts ${parts.join(",")}] [--steps 50,300] [--runs 3] [--rival FILE]... [--save] [--markdown]
  PART, --parts  which parts (default: all): gap (a step, memory, bytes, resume), first (start to first request), version, store (replay, appenders), scan, features (what hooks and features add), service (a hosted Pod: round trip, attach, a flood of events, idle memory), children (deciding with many rules, lending without the process), tree (SpawnPod to a child that is ready, the memory of 50 Pods at once), long (a step late in a session, opening one of many segments, compaction, listing 2 GB), terminal (drawing while an answer streams; the first frame, a Pod with a long past and a key, on a pseudo terminal)
  --steps     lengths of the runs of gap
  --runs      how often each subject runs
  --rival     a row for another runtime, see bench/README.md
  --markdown  the tables as they stand in bench/README.md
  --save      keep all figures in bench/results`;

function refuse(sentence: string): never {
  console.error(`${sentence}\n${usage}`);
  process.exit(2);
}

function whole(value: string, flag: string): number {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0
    ? number
    : refuse(`--${flag} takes whole numbers above 0, not ${JSON.stringify(value)}.`);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      parts: { type: "string" },
      steps: { type: "string", default: "50,300" },
      runs: { type: "string", default: "3" },
      rival: { type: "string", multiple: true, default: [] },
      save: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const named = [...positionals, ...(values.parts?.split(",") ?? [])];
  const chosen = named.length === 0 ? parts : named;
  const odd = chosen.find((part) => !parts.some((one) => one === part));
  if (odd !== undefined) refuse(`There is no part ${JSON.stringify(odd)}.`);
  const has = (part: (typeof parts)[number]) => chosen.includes(part);
  const runs = whole(values.runs, "runs");
  const rivals = values.rival.map(readRival);
  using installed = installBundle();
  const { command } = installed;
  const both = [yoi({ sandbox: "off", command }), yoi({ sandbox: "on", command })];
  const results = await bench({
    steps: has("gap") ? values.steps.split(",").map((text) => whole(text, "steps")) : [],
    runs,
    subjects: [rawLoop, ...both, ...rivals],
    resumes: 5,
    firstRequest: has("first")
      ? {
          subjects: [
            rawLoop,
            ...both,
            yoi({ sandbox: "off", command, note: "used before", prepare: usedBefore(command) }),
            yoi({ sandbox: "on", command, note: "used before", prepare: usedBefore(command) }),
            yoi({ sandbox: "on", command: checkoutCommand, note: "from a checkout" }),
            ...rivals,
          ],
          runs: runs * 5,
        }
      : null,
    starts: has("version") ? { command, runs: runs * 7 } : null,
    store: has("store") ? { replayEntries: 100_000, appenders: 64, appendedEntries: 100_000, runs } : null,
    scan: has("scan")
      ? {
          directories: [0, 10, 1000, 10_000],
          subject: (prepare) => yoi({ sandbox: "off", command, prepare }),
          steps: 40,
        }
      : null,
    service: has("service")
      ? { command, pings: 20_000, entries: 20_000, events: 1_000_000, idleMs: 3_000, runs }
      : null,
    children: has("children")
      ? { rules: 200, decisions: 100_000, others: 16, loans: 40, runs: runs * 3 }
      : null,
    tree: has("tree") ? { command, children: 10, pods: 50, idleMs: 3_000 } : null,
    long: has("long")
      ? {
          command,
          steps: 2_100,
          compactedSteps: 3_050,
          segments: 50,
          segmentBytes: 5_000_000,
          openings: 15,
          tokens: 200_000,
          sessionBytes: 2e9,
          listings: runs * 5,
          runs,
        }
      : null,
    terminal: has("terminal")
      ? {
          updates: 400,
          rows: 40,
          runs: runs * 5,
          program: { command, entries: 20_000, keys: 200, runs: runs * 5 },
        }
      : null,
    features: has("features") ? { steps: 300, features: 10, installed: 50, runs: runs * 5 } : null,
    machineSamples: 50,
  });
  console.log(report(results, values.markdown ? "markdown" : "text"));
  if (values.save) {
    const folder = fileURLToPath(new URL("results/", import.meta.url));
    mkdirSync(folder, { recursive: true });
    const file = `${folder}${new Date().toISOString().replaceAll(":", "-")}.json`;
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
    console.log(`saved in ${file}`);
  }
}
