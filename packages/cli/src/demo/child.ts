/** Running yoi itself as a child process, for the demo: the same program, the same Node. */
import { type ChildProcess, spawn } from "node:child_process";
import { watch } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, dirname } from "node:path";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildYoi {
  start(args: readonly string[]): { kill(): void; readonly ended: Promise<Ended> };
}

/** @param stopped ends what was started. */
export function childYoi(
  variables: Readonly<Record<string, string | undefined>>,
  cwd: string,
  stopped: AbortSignal,
): ChildYoi {
  return {
    start: (args) => {
      stopped.throwIfAborted();
      const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "yoi", ...args], {
        cwd,
        env: { ...variables },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const kill = (): void => void child.kill("SIGKILL");
      // In order: one that starts a process of its own ends that first.
      const end = (): void => void child.kill("SIGTERM");
      stopped.addEventListener("abort", end, { once: true });
      return { kill, ended: collect(child).finally(() => stopped.removeEventListener("abort", end)) };
    },
  };
}

function collect(child: ChildProcess): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
}

/** Resolves when the file holds the line; `signal` ends the wait, which then never resolves. */
export function waitForLine(path: string, line: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(path), { signal }, (_, name) => {
      if (name === null || name === basename(path)) void look();
    });
    watcher.on("error", reject);
    async function look(): Promise<void> {
      const text = await readFile(path, "utf8").catch(() => "");
      if (!text.split("\n").includes(line)) return;
      watcher.close();
      resolve();
    }
    void look();
  });
}

/** How many processes other than this one have their working directory below `directory`. */
export async function processesWorkingIn(directory: string): Promise<number> {
  let count = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd === directory || cwd.startsWith(`${directory}/`)) count += 1;
  }
  return count;
}
