/** One process from start to end: its output as it comes, its time limit, its cancellation, and nothing of it left behind. */
import { spawn, type ChildProcess } from "node:child_process";
import { type Readable, Writable } from "node:stream";
import { type Timers, YoiError } from "@yoi/base";
import type { CommandExit } from "./runner.ts";
import { graceMs, within } from "./ending.ts";
import { ownStdio } from "./inherited.ts";

/** How long output may still come once every process is gone. Longer: somebody outside the group holds the pipe. */
const drainMs = 250;

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Descriptor 4 is for `Handling.started` too, and what follows comes one later. */
  readonly hasGate?: boolean;
  /** Open files that it inherits, from 4 on: descriptor 3 is for `Handling.started`. */
  readonly descriptors?: readonly number[];
  /** What further descriptors say, one each, before they end. */
  readonly feeds?: readonly Uint8Array[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Uint8Array) => void;
  /** Absent: what it says on stderr is output too. */
  readonly onError?: (chunk: Uint8Array) => void;
}

/** What a way of running commands knows about its processes. */
export interface Handling {
  /** Called in the same turn in which the process was started. */
  started(child: ChildProcess): void;
  /** Asks everything to end. */
  ask(): void;
  /** Ends everything. */
  end(): void;
  /** After the first process ended: ends what it left, and resolves when that is gone. */
  sweep(): Promise<void>;
}

export async function supervise(launch: Launch, handling: Handling, timers: Timers): Promise<CommandExit> {
  if (launch.signal.aborted) return { kind: "cancelled" };
  let cut: "timed_out" | "cancelled" | null = null;
  const failures: unknown[] = [];
  let cancelGrace = (): void => {};
  const stop = (why: typeof cut): void => {
    if (cut !== null || why === null) return;
    cut = why;
    handling.ask();
    cancelGrace = timers.after(graceMs, () => handling.end());
  };
  const deliverTo =
    (receive: (chunk: Uint8Array) => void) =>
    (chunk: Uint8Array): void => {
      if (failures.length > 0) return;
      try {
        receive(chunk);
      } catch (thrown) {
        failures.push(thrown);
        stop("cancelled");
      }
    };

  const child = start(launch);
  const exited = exitOf(child, launch.file);
  const drained = Promise.all([
    drain(child.stdout, deliverTo(launch.onOutput)),
    drain(child.stderr, deliverTo(launch.onError ?? launch.onOutput)),
  ]);
  const abort = (): void => stop("cancelled");
  launch.signal.addEventListener("abort", abort, { once: true });
  const cancelTimeout = timers.after(launch.timeoutMs, () => stop("timed_out"));
  try {
    if (child.pid !== undefined) begin(handling, child);
    const exit = await exited;
    cancelTimeout();
    await handling.sweep();
    await withinDrain(drained, child, timers);
    if (failures.length > 0) throw failures[0];
    return cut === null ? exit : { kind: cut };
  } finally {
    cancelTimeout();
    cancelGrace();
    launch.signal.removeEventListener("abort", abort);
  }
}

/** What cannot be watched over is not left running. */
function begin(handling: Handling, child: ChildProcess): void {
  try {
    handling.started(child);
  } catch (thrown) {
    handling.end();
    throw thrown;
  }
}

function start({
  file,
  args,
  cwd,
  env,
  hasGate = false,
  descriptors = [],
  feeds = [],
}: Launch): ChildProcess {
  try {
    const pipe = "pipe" as const;
    const own = ["ignore", pipe, pipe, pipe, ...(hasGate ? [pipe] : []), ...descriptors] as const;
    const stdio = ownStdio([...own, ...feeds.map(() => pipe)]);
    const child = spawn(file, [...args], { cwd, env: { ...env }, stdio, detached: true });
    const fed = streamsOf(child).slice(own.length);
    for (const [index, bytes] of feeds.entries()) feed(fed[index], bytes);
    return child;
  } catch (cause) {
    throw cause instanceof YoiError ? cause : cannotStart(file, cause);
  }
}

function feed(stream: ChildProcess["stdio"][number] | undefined, bytes: Uint8Array): void {
  if (!(stream instanceof Writable)) return;
  // Whoever ended before it had read this is noticed by its exit.
  stream.on("error", () => {});
  stream.end(bytes, () => stream.destroy());
}

/** Where no descriptor is left for them there are none at run time, whatever the type says: the child tells so as its error. */
function streamsOf(child: { readonly stdio?: ChildProcess["stdio"] }): ChildProcess["stdio"][number][] {
  return [...(child.stdio ?? [])];
}

const hints: ReadonlyMap<string, string> = new Map([
  ["E2BIG", "the command is too long: write it to a file and run that"],
  ["EMFILE", "yoi has as many files open as `ulimit -n` lets it: raise that limit"],
  ["EINVAL", "a file is open in yoi at the limit that `ulimit -n` says: raise that limit"],
]);

function cannotStart(file: string, cause: unknown): YoiError {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  const hint = hints.get(reason) ?? "try again";
  return new YoiError("io_failed", `The command could not be started with ${file} (${reason}); ${hint}.`, {
    cause,
  });
}

function exitOf(child: ChildProcess, file: string): Promise<CommandExit> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(cannotStart(file, cause)));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal }),
    );
  });
}

function drain(stream: Readable | null | undefined, deliver: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve) => {
    if (stream === null || stream === undefined) return resolve();
    stream.on("data", deliver);
    // A reset at the end of a killed process is its end.
    stream.once("error", () => resolve());
    stream.once("close", () => resolve());
  });
}

async function withinDrain(drained: Promise<unknown>, child: ChildProcess, timers: Timers): Promise<void> {
  await within(drained, drainMs, timers);
  for (const stream of streamsOf(child)) stream?.destroy();
}
