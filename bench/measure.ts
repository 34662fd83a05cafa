/** One run of one subject: starts it, watches it, and puts its times together with the server's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelProcess } from "./model-process.ts";
import type { ServerReport } from "./model-server.ts";
import type { CommandLine, Folder, Subject } from "./subject.ts";

export interface Run {
  /** End of a response to arrival of the next request, for each step. */
  readonly gapsMs: readonly number[];
  readonly startToFirstRequestMs: number;
  /** The same for processes that went on with the finished work, one after the other. */
  readonly resumeToFirstRequestMs: readonly number[];
  /** First request to the end of the process. */
  readonly restMs: number;
  readonly peakBytes: number;
  readonly recordedBytes: number;
  readonly lastRequestBytes: number;
}

const sampleEveryMs = 20;
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** The high-water mark of resident memory so far; 0 when the process is gone. */
function peakBytes(pid: number): number {
  try {
    const match = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(match?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

interface Process {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly peakBytes: number;
  readonly served: ServerReport;
  readonly firstMs: number;
}

export interface MeasureOptions {
  readonly steps: number;
  /** How often the finished work is gone on with, where the subject can. */
  readonly resumes?: number;
}

/** Throws with the subject's output when it fails, or makes another number of requests. */
export async function measure(subject: Subject, model: ModelProcess, options: MeasureOptions): Promise<Run> {
  const { steps, resumes = 0 } = options;
  const root = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  const folder = { root, workspace: join(root, "workspace") };
  mkdirSync(folder.workspace);
  try {
    subject.prepare?.(folder);
    const run = await runProcess(subject, model, folder, subject.command(model.url, folder), steps);
    const recordedBytes = subject.recorded(folder);
    const resumeToFirstRequestMs: number[] = [];
    for (let count = 0; subject.resume !== undefined && count < resumes; count += 1) {
      const command = subject.resume(model.url, folder);
      const { firstMs, startedMs } = await runProcess(subject, model, folder, command, 0);
      resumeToFirstRequestMs.push(firstMs - startedMs);
    }
    const { arrivedMs, answeredMs, bodyBytes } = run.served;
    return {
      gapsMs: arrivedMs.slice(1).map((arrived, index) => arrived - (answeredMs[index] ?? Number.NaN)),
      startToFirstRequestMs: run.firstMs - run.startedMs,
      resumeToFirstRequestMs,
      restMs: run.endedMs - run.firstMs,
      peakBytes: run.peakBytes,
      recordedBytes,
      lastRequestBytes: bodyBytes.at(-1) ?? 0,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function runProcess(
  subject: Subject,
  model: ModelProcess,
  folder: Folder,
  { file, args }: CommandLine,
  steps: number,
): Promise<Process> {
  await model.reset(steps, subject.tool);
  const startedMs = nowMs();
  const child = spawn(file, args, {
    cwd: folder.workspace,
    env: subject.env(folder, model.url),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  let peak = 0;
  const sampler = setInterval(() => {
    peak = Math.max(peak, peakBytes(child.pid ?? 0));
  }, sampleEveryMs);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    const endedMs = nowMs();
    const served = await model.report();
    const [firstMs] = served.arrivedMs;
    if (code !== 0 || firstMs === undefined || served.arrivedMs.length !== steps + 1) {
      throw new Error(
        `${subject.name}: exit ${code} after ${served.arrivedMs.length} of ${steps + 1} requests\n${output}`,
      );
    }
    return { startedMs, endedMs, peakBytes: peak, served, firstMs };
  } finally {
    clearInterval(sampler);
  }
}
