/** `yoi run`: one input to its end in this process. */
import {
  escapeControls,
  type InputPart,
  podName,
  type PodName,
  subtractCost,
  subtractUsage,
  YoiError,
} from "@yoi/base";
import { Pod, type RunReport } from "@yoi/pod";
import { namedWorkspace } from "../compose/configuration.ts";
import { makePodSetup } from "../compose/pod-setup.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode, exitCodeOfRun } from "../exit-code.ts";
import { type Failure, failureOf, writeFailure } from "../failure.ts";
import { describeSpent, nothingSpent, type Spent } from "../output/cost.ts";
import { Progress } from "../output/progress.ts";
import { errorObject, explainOutcome, resultObject } from "../output/result.ts";
import { withFreshPodName } from "../fresh-pod-name.ts";
import { readInput } from "../read-input.ts";
import { onStopSignals, type StopSignal } from "../signals.ts";
import { version } from "../version.ts";

export interface RunFlags {
  readonly pod?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly cd?: string;
  readonly outputFormat: "text" | "json";
  readonly maxTurns?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly permissionMode?: "ask" | "deny-unlisted" | "allow-in-scope";
  readonly sandbox?: "on" | "off";
}

export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  const known: Known = { name: flags.pod ?? null, pod: null, before: nothingSpent, stopped: null };
  try {
    const environment = readEnvironment();
    const progress = new Progress({
      ...environment.stderr,
      write: (text) => void process.stderr.write(text),
    });
    const stores = openStores(environment);
    const input = await readInput(prompt, {
      pod: flags.pod ?? null,
      stdin: environment.stdin,
      timers: stores.host.timers,
      say: (text) => progress.say(text),
    });
    const request = { input, flags, environment, stores, progress };
    if (flags.pod !== undefined) {
      const workspace = flags.cd === undefined ? null : await namedWorkspace(flags.cd, environment);
      return await runPod({ ...request, workspace, name: podName(flags.pod) }, known);
    }
    const workspace = await namedWorkspace(flags.cd, environment);
    return await withFreshPodName(workspace, stores.host.ids, (name) =>
      runPod({ ...request, workspace, name }, known),
    );
  } catch (error) {
    return reportFailure(failureOf(error), flags, known);
  }
}

/** How far a run came, for the report of its failure. */
interface Known {
  name: string | null;
  pod: Pod | null;
  /** What the Pod had used when this run began. */
  before: Spent;
  /** The signal that ended it before it began. */
  stopped: StopSignal | null;
}

interface RunRequest {
  readonly name: PodName;
  /** Null: resume. */
  readonly input: readonly InputPart[] | null;
  /** Null: the stored one, or the current directory for a new Pod. */
  readonly workspace: string | null;
  readonly flags: RunFlags;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly progress: Progress;
}

async function runPod(request: RunRequest, known: Known): Promise<number> {
  const { name, input, flags, environment, stores, progress } = request;
  known.name = name;
  const { clock, timers, ids } = stores.host;
  const started = clock.monotonic();
  const signals = onStopSignals(() => known.pod?.pause());
  try {
    const pod = await Pod.open({
      name,
      purpose: "run",
      version,
      ...stores,
      ports: { clock, timers, ids },
      observer: progress.observe,
      setup: (stored) =>
        makePodSetup({
          ...request,
          stored,
          say: (text) => progress.say(text),
          mustExist: input === null,
          mustBeNew: flags.pod === undefined,
        }),
    });
    known.pod = pod;
    known.before = pod.snapshot;
    if (flags.pod === undefined) progress.say(`Pod ${name}`);
    sayRepairs(pod, progress);
    const report = await runAndClose(pod, progress, () => {
      known.stopped = signals.received;
      if (known.stopped !== null)
        throw new YoiError("cancelled", "Stopped by a signal before the run began: nothing was sent.");
      const limits = { timeoutMs: flags.timeout === undefined ? null : flags.timeout * 1000 };
      return input === null ? pod.resume(limits) : pod.submit(input, limits);
    });
    const result = { report, snapshot: pod.snapshot, durationMs: clock.monotonic() - started };
    if (flags.outputFormat === "json") {
      process.stdout.write(`${JSON.stringify(resultObject(result))}\n`);
    } else if (report.outcome.kind === "finished") {
      const { text } = report.outcome;
      process.stdout.write(`${environment.stdoutIsTerminal ? escapeControls(text, "newline-tab") : text}\n`);
    }
    if (flags.outputFormat === "text" && environment.stderr.isTerminal)
      progress.say(`Used ${describeSpent(report)}.`);
    const explanation = explainOutcome(report, name);
    if (explanation !== null) process.stderr.write(`yoi: ${escapeControls(explanation)}\n`);
    return exitCodeOfRun(report, signals.received);
  } finally {
    progress.end();
    signals.dispose();
  }
}

async function runAndClose(pod: Pod, progress: Progress, work: () => Promise<RunReport>): Promise<RunReport> {
  let report: RunReport;
  try {
    report = await work();
  } catch (error) {
    await close(pod, progress);
    throw error;
  }
  await close(pod, progress);
  return report;
}

/** What the run came to stands, whatever the orderly close meets: it is in the log. The next owner closes what this one could not. */
async function close(pod: Pod, progress: Progress): Promise<void> {
  progress.end();
  try {
    await pod.close();
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    progress.say(`The Pod could not be closed in order, which the next run makes good: ${error.message}`);
  }
}

function sayRepairs(pod: Pod, progress: Progress): void {
  const { repair } = pod;
  if (repair?.action === "cut") {
    progress.say(
      `The log ended in an unfinished write; its ${repair.bytes} bytes were cut and are kept in ${repair.tornPath}.`,
    );
  }
  if (pod.straysEnded > 0) {
    progress.say(`Ended ${pod.straysEnded} process(es) that an earlier owner of this Pod had left running.`);
  }
}

function spentSince(before: Spent, now: Spent | null): Spent {
  if (now === null) return nothingSpent;
  return { usage: subtractUsage(now.usage, before.usage), cost: subtractCost(now.cost, before.cost) };
}

function reportFailure(failure: Failure, flags: RunFlags, { name, pod, before, stopped }: Known): number {
  if (flags.outputFormat === "json") {
    const snapshot = pod?.snapshot ?? null;
    const known = name === null ? null : { name, snapshot, spent: spentSince(before, snapshot) };
    process.stdout.write(`${JSON.stringify(errorObject(failure, known))}\n`);
  }
  writeFailure(failure);
  return failure.code === "cancelled" && stopped === "SIGTERM" ? exitCode.terminated : failure.exitCode;
}
