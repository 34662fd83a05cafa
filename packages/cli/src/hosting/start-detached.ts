/** Starts a process that hosts a Pod, in a session of its own, and waits until it is ready or has failed. */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { once } from "node:events";
import { type PodName, YoiError } from "@yoi/base";
import { createOutputFile, type ProcessIdentity } from "@yoi/host";
import { ownStdio } from "@yoi/sandbox";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { type Failure, StoppedEarly } from "../failure.ts";
import { sayIfSlow } from "../say-if-slow.ts";
import { checkedRuntime } from "../runtime/runtime.ts";
import { onStopSignals } from "../signals.ts";
import { startingLogOf } from "./host-log.ts";
import { parseFailure, parseReady, type Ready } from "./ready.ts";

/** Of what the process says on its stdout before it is ready. */
export const readyCharsMax = 256 * 1024;

/** How long a process may take to be ready that nobody waits for at a terminal. */
export const startMs = 60_000;
/** Says to the launcher that what begins the process is the bundle: it runs the same, and looks at no source. */
export const runsBundle = "YOI_RUNS_BUNDLE";
const isBundle = !import.meta.url.endsWith(".ts");

/** How long a process whose start is given up may take to end in order. */
export const giveUpMs = 3_000;
const lookEveryMs = 10;

export interface DetachedRequest {
  readonly name: PodName;
  /** Of the command line, without those that this adds; no secrets. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly stores: Stores;
  readonly say: (text: string) => void;
}

/** For a command: signals that it gets are passed on. Throws what the process failed with, as its own failure. */
export async function startDetached(request: DetachedRequest): Promise<Ready> {
  const asked = Promise.withResolvers<NodeJS.Signals>();
  // From before there is a process: none is left behind by a signal that comes as it begins.
  const signals = onStopSignals(asked.resolve);
  try {
    const started = await start(request);
    void asked.promise.then((signal) => started.child.kill(signal));
    return await readyOf(request, started);
  } finally {
    signals.dispose();
  }
}

/** For a process that lives on. Where the signal aborts, its reason is thrown once nothing that was started is left; likewise io_failed after `startMs`. */
export async function startDetachedUnless(request: DetachedRequest, signal: AbortSignal): Promise<Ready> {
  const overdue = new AbortController();
  const cancel = request.stores.host.timers.after(startMs, () => overdue.abort(notReady(request.name)));
  try {
    return await startedUnless(request, AbortSignal.any([signal, overdue.signal]));
  } finally {
    cancel();
  }
}

async function startedUnless(request: DetachedRequest, signal: AbortSignal): Promise<Ready> {
  signal.throwIfAborted();
  const started = await start(request);
  let ended: Promise<void> | null = null;
  const giveUp = (): void => {
    ended ??= endStarted(started, request.stores.host);
    // What it throws is thrown below.
    ended.catch(() => {});
  };
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    const ready = await readyOf(request, started);
    if (!signal.aborted) return ready;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  await ended;
  throw signal.reason;
}

interface Started {
  readonly child: ChildProcess;
  /** Null: it ended already. */
  readonly process: ProcessIdentity | null;
  /** The file that has its stderr. */
  readonly output: string;
}

async function start(request: DetachedRequest): Promise<Started> {
  const { name, stores } = request;
  const { files, ids, processes } = stores.host;
  // The same is found there, but later.
  await checkedRuntime(request.environment, stores.host);
  const output = startingLogOf(stores.dataDir, name, ids.uuidV7());
  await files.makeDirectory(dirname(output));
  const child = startChild(request, output);
  // Nobody else gets its pid before this process has heard that it ended.
  return { child, process: child.pid === undefined ? null : processes.identify(child.pid), output };
}

async function readyOf({ name, stores, say }: DetachedRequest, { child, output }: Started): Promise<Ready> {
  const { files, timers } = stores.host;
  const waiting = `Waiting for ${name} to be ready.`;
  const outcome = await sayIfSlow({ timers, say }, waiting, () => readyOrEnded(child));
  if ("ready" in outcome) return outcome.ready;
  if (outcome.failure === null) throw endedUnsaid(name, outcome.how, output);
  await files.removeFile(output);
  throw new StoppedEarly(outcome.failure);
}

/** First in order, then with its whole group. */
async function endStarted(
  { process, output }: Started,
  { processes, timers, clock, files }: Stores["host"],
): Promise<void> {
  if (process !== null) {
    processes.end(process, "SIGTERM");
    const startedMs = clock.monotonic();
    while (processes.isAlive(process)) {
      if (clock.monotonic() - startedMs > giveUpMs) processes.endGroup(process, "SIGKILL");
      await timers.sleep(lookEveryMs);
    }
  }
  // It may have named it after its Pod by now.
  await files.removeFile(output);
}

function startChild({ args, environment }: DetachedRequest, output: string): ChildProcess {
  using file = createOutputFile(output);
  const program = [...process.execArgv, process.argv[1] ?? "yoi"];
  return spawn(process.execPath, [...program, ...args, "--foreground", "--json", "--output-file", output], {
    cwd: "/",
    detached: true,
    env: { ...environment.variables, ...(isBundle ? { [runsBundle]: "1" } : {}) },
    stdio: ownStdio(["ignore", "pipe", file.descriptor]),
  });
}

type Outcome =
  | { readonly ready: Ready }
  /** Null: it did not say why. */
  | { readonly failure: Failure | null; readonly how: string };

async function readyOrEnded(child: ChildProcess): Promise<Outcome> {
  const closed = once(child, "close");
  closed.catch(() => {});
  let said = "";
  const { stdout } = child;
  if (stdout !== null) {
    for await (const piece of stdout.setEncoding("utf8")) {
      said += String(piece);
      const ready = said.includes("\n") ? parseReady(said.slice(0, said.indexOf("\n"))) : null;
      if (ready !== null) {
        // Leaving the loop has closed the pipe; nothing of the child keeps this process.
        child.unref();
        return { ready };
      }
      if (said.length > readyCharsMax) {
        child.kill();
        break;
      }
    }
  }
  const [code, signal] = await closed;
  const failed = parseFailure(said);
  const how = signal === null ? `exit code ${String(code)}` : String(signal);
  if (failed === null) return { failure: null, how };
  return {
    failure: { code: failed.code, message: failed.error, exitCode: Number(code ?? exitCode.failed) },
    how,
  };
}

function notReady(name: PodName): YoiError {
  return new YoiError(
    "io_failed",
    `The process that was to host ${name} was not ready within ${startMs / 1000} s, and was ended: make sure that nothing holds the machine or its disk up, then try again.`,
  );
}

function endedUnsaid(name: PodName, how: string, output: string): YoiError {
  return new YoiError(
    "io_failed",
    `The process that was to host ${name} ended before it was ready (${how}): see ${output}, then try again.`,
    { place: { path: output } },
  );
}
