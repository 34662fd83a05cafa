/** One run of one subject: starts it, watches it, and puts its times together with the server's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelProcess } from "./model-process.ts";
import type { Subject } from "./subject.ts";

export interface Run {
  /** End of a response to arrival of the next request, for each step. */
  readonly gapsMs: readonly number[];
  readonly startToFirstRequestMs: number;
  /** First request to the end of the process. */
  readonly restMs: number;
  readonly peakBytes: number;
  readonly recordedBytesPerStep: number;
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

export async function measure(subject: Subject, model: ModelProcess, steps: number): Promise<Run> {
  const root = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  const folder = { root, workspace: join(root, "workspace") };
  mkdirSync(folder.workspace);
  try {
    await model.reset(steps);
    const { file, args } = subject.command(model.url, folder);
    const startedMs = nowMs();
    const child = spawn(file, args, {
      cwd: folder.workspace,
      env: subject.env(folder),
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
    const [code] = (await once(child, "close")) as [number | null];
    clearInterval(sampler);
    const endedMs = nowMs();
    const { arrivedMs, answeredMs, bodyBytes } = await model.report();
    const [firstMs] = arrivedMs;
    if (code !== 0 || firstMs === undefined || arrivedMs.length !== steps + 1) {
      throw new Error(
        `${subject.name}: exit ${code} after ${arrivedMs.length} of ${steps + 1} requests\n${output}`,
      );
    }
    return {
      gapsMs: arrivedMs.slice(1).map((arrived, index) => arrived - (answeredMs[index] ?? Number.NaN)),
      startToFirstRequestMs: firstMs - startedMs,
      restMs: endedMs - firstMs,
      peakBytes: peak,
      recordedBytesPerStep: subject.recorded(folder) / steps,
      lastRequestBytes: bodyBytes.at(-1) ?? 0,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
