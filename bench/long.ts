/** Sessions that live for weeks: what a step costs late in one, opening one with many segments, making a history smaller, and listing a large session directory. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import type { CompactedOnce, Grown, LongRun, LongStep, Opened } from "./long-process.ts";
import { startModel } from "./model-process.ts";
import { summary, type Summary } from "./summary.ts";

export interface LongOptions {
  /** yoi's launcher. */
  readonly command: string;
  /** Of a session whose window has no end, and of one that is compacted with the defaults. */
  readonly steps: number;
  readonly compactedSteps: number;
  /** Of the session that was compacted so often. */
  readonly segments: number;
  readonly segmentBytes: number;
  readonly openings: number;
  /** Of the history that is compacted. */
  readonly tokens: number;
  /** Of the session directory that is listed. */
  readonly sessionBytes: number;
  /** Of each command that lists. */
  readonly listings: number;
  readonly runs: number;
}

/** Medians of the steps about this one. */
export interface LongPoint {
  readonly step: number;
  readonly ownMs: number;
  readonly ownCpuMs: number;
  readonly wholeMs: number;
  readonly wholeCpuMs: number;
  /** The most. */
  readonly residentBytes: number;
}

export interface LongSession {
  readonly points: readonly LongPoint[];
  /** What is held against each other; null: the session is not that long. Compaction comes in cycles, so of a session that is compacted the late one is of as many steps as one takes. */
  readonly early: LongPoint | null;
  readonly late: LongPoint | null;
  readonly compactions: number;
}

export interface LongResults {
  readonly endless: LongSession;
  readonly compacted: LongSession;
  readonly restore: {
    readonly segments: number;
    readonly bytes: number;
    readonly ms: Summary;
    /** Of a Pod that has only the open segment. */
    readonly freshMs: Summary;
    readonly residentBytes: Summary;
    readonly freshResidentBytes: Summary;
  };
  readonly compaction: {
    readonly tokens: number;
    readonly items: number;
    readonly ownMs: Summary;
    readonly ownCpuMs: Summary;
  };
  readonly listing: {
    readonly bytes: number;
    readonly commands: readonly {
      readonly name: string;
      readonly ms: Summary;
      readonly emptyMs: Summary;
    }[];
  };
}

/** Many steps, and much history for its bytes. */
const smallResultBytes = 400;
/** With such results history is as large as it gets before step 100. */
const resultBytes = 4_000;
/** Of the arguments of a call, as of an edit: they are never left out. */
const argumentBytes = 600;
const pointSteps = 100;
const cycleSteps = 1_000;
export const earlyStep = 100;
export const lateStep = 2_000;
const pointsWanted: readonly number[] = [100, 500, 1_000, 1_500, 2_000, 2_500, 3_000];

type Run = <T>(...args: readonly (string | number)[]) => Promise<T>;

export async function measureLong(options: LongOptions): Promise<LongResults> {
  const root = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  try {
    const program = join(root, "program");
    const input = fileURLToPath(new URL("long-process.ts", import.meta.url));
    // Bundled as yoi itself is: what Node needs to strip types from sources is not in its memory then.
    const built = await rolldown({ input, platform: "node" });
    await built.write({ dir: program, format: "esm", entryFileNames: "[name].mjs" });
    await built.close();
    const inProcess: Run = async <T>(...args: readonly (string | number)[]): Promise<T> => {
      const file = join(program, "long-process.mjs");
      const { stdout } = await promisify(execFile)(process.execPath, [file, ...args.map(String)], {
        maxBuffer: 64 * 1024 * 1024,
      });
      return JSON.parse(stdout) as T;
    };
    return {
      endless: await session(inProcess, join(root, "endless"), options.steps, "endless"),
      compacted: await session(inProcess, join(root, "compacted"), options.compactedSteps, "compacted"),
      restore: await restore(inProcess, root, options),
      compaction: await compaction(inProcess, root, options),
      listing: await listing(root, options),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function session(
  inProcess: Run,
  dir: string,
  steps: number,
  mode: "endless" | "compacted",
): Promise<LongSession> {
  await using model = await startModel();
  const call = { nth: 1, bytes: mode === "endless" ? smallResultBytes : resultBytes };
  const note = "lorem ipsum dolor ".repeat(argumentBytes).slice(0, mode === "endless" ? 0 : argumentBytes);
  await model.reset(steps, { name: "Blob", arguments: { ...call, note } });
  const run = await inProcess<LongRun>("session", dir, model.url, mode);
  const wanted = pointsWanted.filter((step) => step <= run.steps.length);
  const at = wanted.length === 0 ? [run.steps.length] : wanted;
  const hasLate = run.steps.length >= lateStep;
  return {
    points: at.map((step) => pointAt(run.steps, step)),
    early: hasLate ? pointAt(run.steps, earlyStep) : null,
    late: hasLate ? pointAt(run.steps, lateStep, run.compactions === 0 ? pointSteps : cycleSteps) : null,
    compactions: run.compactions,
  };
}

function pointAt(steps: readonly LongStep[], step: number, window = pointSteps): LongPoint {
  const last = Math.min(steps.length, step + window / 2);
  const about = steps.slice(Math.max(0, last - window), last);
  const median = (of: (one: LongStep) => number) => summary(about.map(of)).median;
  return {
    step,
    ownMs: median(({ ownMs }) => ownMs),
    ownCpuMs: median(({ ownCpuMs }) => ownCpuMs),
    wholeMs: median(({ wholeMs }) => wholeMs),
    wholeCpuMs: median(({ wholeCpuMs }) => wholeCpuMs),
    residentBytes: Math.max(...about.map(({ residentBytes }) => residentBytes)),
  };
}

async function restore(
  inProcess: Run,
  root: string,
  { segments, segmentBytes, openings, runs }: LongOptions,
): Promise<LongResults["restore"]> {
  const [whole, fresh] = [join(root, "grown"), join(root, "fresh")];
  const { bytes } = await inProcess<Grown>("grow", whole, segments, segmentBytes);
  leaveOnlyOpen(whole, fresh);
  const of = new Map<string, Opened[]>([
    [whole, []],
    [fresh, []],
  ]);
  for (let run = 0; run < runs; run += 1)
    for (const [dir, done] of of) done.push(await inProcess<Opened>("open", dir, openings));
  const times = (dir: string) => summary((of.get(dir) ?? []).flatMap(({ ms }) => ms));
  const resident = (dir: string) => summary((of.get(dir) ?? []).map(({ residentBytes }) => residentBytes));
  return {
    segments,
    bytes,
    ms: times(whole),
    freshMs: times(fresh),
    residentBytes: resident(whole),
    freshResidentBytes: resident(fresh),
  };
}

/** The Pod again with the segment that its name refers to, and no other. */
function leaveOnlyOpen(from: string, to: string): void {
  mkdirSync(join(to, "sessions"), { recursive: true });
  cpSync(join(from, "pods"), join(to, "pods"), { recursive: true });
  for (const session of readdirSync(join(from, "sessions"))) {
    const [file = ""] = readdirSync(join(from, "sessions", session))
      .toSorted()
      .slice(-1);
    mkdirSync(join(to, "sessions", session));
    cpSync(join(from, "sessions", session, file), join(to, "sessions", session, file));
  }
}

async function compaction(
  inProcess: Run,
  root: string,
  { tokens, runs }: LongOptions,
): Promise<LongResults["compaction"]> {
  const done: CompactedOnce[] = [];
  for (let run = 0; run < runs; run += 1) {
    const dir = join(root, `compact-${run}`);
    done.push(await inProcess<CompactedOnce>("compact", dir, tokens, smallResultBytes));
  }
  const [first] = done;
  return {
    tokens: first?.tokensBefore ?? 0,
    items: first?.itemsBefore ?? 0,
    ownMs: summary(done.map(({ ownMs }) => ownMs)),
    ownCpuMs: summary(done.map(({ ownCpuMs }) => ownCpuMs)),
  };
}

const segmentFileBytes = 5_000_000;

/** What was left over many weeks is there by size alone: whoever reads it finds no log, and takes long to. */
async function listing(
  root: string,
  { command, sessionBytes, listings }: LongOptions,
): Promise<LongResults["listing"]> {
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  for (const folder of [home, workspace]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(workspace, "once.yaml"), "steps:\n  - text: Done.\n");
  const yoi = async (...args: readonly string[]): Promise<number> => {
    const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: root, YOI_HOME: home };
    const from = performance.now();
    await promisify(execFile)(command, args, { cwd: workspace, env });
    return performance.now() - from;
  };
  await yoi("run", "--pod", "old", "--sandbox", "off", "-m", "scripted/once.yaml", "go");
  const lines = [["pod", "list"], ["pod", "show", "old"], ["tree"]] as const;
  const times = async (): Promise<readonly (readonly number[])[]> => {
    const all: number[][] = lines.map(() => []);
    for (let round = -1; round < listings; round += 1)
      for (const [index, line] of lines.entries()) {
        const ms = await yoi(...line);
        if (round >= 0) all[index]?.push(ms);
      }
    return all;
  };
  const empty = await times();
  const [session = ""] = readdirSync(join(home, "sessions"));
  for (let nth = 0; nth * segmentFileBytes < sessionBytes; nth += 1) {
    const name = `01890000-0000-7000-8000-${String(nth).padStart(12, "0")}.jsonl`;
    const path = join(home, "sessions", session, name);
    writeFileSync(path, "");
    truncateSync(path, segmentFileBytes);
  }
  const large = await times();
  return {
    bytes: sessionBytes,
    commands: lines.map((line, index) => ({
      name: `yoi ${line.join(" ")}`,
      ms: summary(large[index] ?? []),
      emptyMs: summary(empty[index] ?? []),
    })),
  };
}
