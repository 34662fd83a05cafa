/** Starts the real program, `packages/cli/bin/yoi`, as a process and a process group of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export const yoiCommand = fileURLToPath(new URL("../../packages/cli/bin/yoi", import.meta.url));

/** Flags of a run against a loopback server. */
export function anthropicFlags(pod: string, url: string, sandbox: "on" | "off"): readonly string[] {
  const model = ["-m", "anthropic/claude-sonnet-4-5", "--base-url", url];
  return ["--pod", pod, ...model, "--sandbox", sandbox];
}

const defaultTimeoutMs = 60_000;

export interface YoiOptions {
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Given to stdin, which is then closed; without it stdin is /dev/null. */
  readonly input?: string | Uint8Array;
  /** After this long the whole group is killed and `ended` rejects. */
  readonly timeoutMs?: number;
  /** Another executable than `yoiCommand`. */
  readonly command?: string;
}

export interface YoiResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface YoiProcess {
  /** Also the id of its process group. */
  readonly pid: number;
  readonly ended: Promise<YoiResult>;
  /** What it has written so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** To the process alone, as a shell's `kill PID`. */
  kill(signal: NodeJS.Signals): void;
  /** To the group, as a terminal's ctrl-C. */
  killGroup(signal: NodeJS.Signals): void;
  /** Resolves when stdout or stderr matches; rejects when the process ends first. */
  waitFor(pattern: RegExp): Promise<void>;
}

export function startYoi(args: readonly string[], options: YoiOptions): YoiProcess {
  const child = spawn(options.command ?? yoiCommand, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.command ?? yoiCommand} could not be started`);
  const written = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
      for (const watch of watchers) watch();
    });
  }
  child.stdin?.on("error", () => undefined); // it may end without reading its input
  child.stdin?.end(options.input);

  const killGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  };
  const ended = (async (): Promise<YoiResult> => {
    let timedOut = false;
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup("SIGKILL");
    }, timeoutMs);
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    if (timedOut) {
      throw new Error(
        `yoi ${args.join(" ")} did not end within ${timeoutMs} ms\n${written.stdout}\n${written.stderr}`,
      );
    }
    return { code, signal, ...written };
  })();
  ended.catch(() => undefined); // a test that only kills need not wait for the end

  return {
    pid,
    ended,
    output: () => ({ ...written }),
    kill: (signal) => void child.kill(signal),
    killGroup,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const matches = () => pattern.test(written.stdout) || pattern.test(written.stderr);
        const watch = () => {
          if (!matches()) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        const gone = () => {
          if (matches()) resolve();
          else
            reject(new Error(`yoi ended before it wrote ${pattern}\n${written.stdout}\n${written.stderr}`));
        };
        ended.then(gone, gone);
        watch();
      }),
  };
}

/** Runs it to its end. */
export function runYoi(args: readonly string[], options: YoiOptions): Promise<YoiResult> {
  return startYoi(args, options).ended;
}
