/** The limits of this machine, measured beside the results: what no runtime on it can beat. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { summary, type Summary } from "./summary.ts";

export interface Machine {
  readonly cores: number;
  /** One-minute load average. */
  readonly load: number;
  readonly fdatasyncMs: Summary;
  readonly spawnMs: Summary;
  /** The shell that yoi takes where there is one; null: none. */
  readonly bashMs: Summary | null;
  /** One bare bubblewrap start, `true` inside; null where there is no bubblewrap. */
  readonly bubblewrapMs: Summary | null;
}

const bubblewrapArguments =
  "--die-with-parent --new-session --unshare-all --unshare-user --cap-drop ALL --ro-bind / / --dev /dev --proc /proc true".split(
    " ",
  );

export function load(): number {
  return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]);
}

function timesSync(count: number, action: () => void): Summary {
  return summary(
    Array.from({ length: count }, () => {
      const startedMs = performance.now();
      action();
      return performance.now() - startedMs;
    }),
  );
}

async function spawnTimes(count: number, file: string, args: readonly string[]): Promise<Summary | null> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedMs = performance.now();
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "ignore"] });
    const ended = once(child, "close");
    child.stdout.resume();
    try {
      const [code] = (await ended) as [number | null];
      if (code !== 0) return null;
    } catch {
      return null; // not installed
    }
    times.push(performance.now() - startedMs);
  }
  return summary(times);
}

export async function measureMachine(count: number): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  const file = openSync(join(folder, "appended"), "a");
  try {
    const line = "x".repeat(600);
    const loadBefore = load();
    const fdatasyncMs = timesSync(count * 4, () => {
      writeSync(file, line);
      fdatasyncSync(file);
    });
    const spawnMs = await spawnTimes(count, "sh", ["-c", "true"]);
    if (spawnMs === null) throw new Error("sh cannot be started");
    return {
      cores: availableParallelism(),
      load: loadBefore,
      fdatasyncMs,
      spawnMs,
      bashMs: await spawnTimes(count, "bash", ["--norc", "--noprofile", "-c", "true"]),
      bubblewrapMs: await spawnTimes(count, "bwrap", bubblewrapArguments),
    };
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}
