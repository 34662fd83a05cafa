/** `yoi run`: one input to its end in this process. */
import { basename } from "node:path";
import { type InputPart, podName, type PodName, YoiError } from "@yoi/base";
import { Pod, type RunReport } from "@yoi/pod";
import { canonicalWorkspace } from "../compose/configuration.ts";
import { makePodSetup } from "../compose/pod-setup.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { type Environment, readEnvironment, readStdin } from "../environment.ts";
import { exitCodeOfRun } from "../exit-code.ts";
import { type Failure, failureOf, writeFailure } from "../failure.ts";
import { Progress } from "../output/progress.ts";
import { errorObject, explainOutcome, resultObject } from "../output/result.ts";
import { onStopSignals } from "../signals.ts";
import { version } from "../version.ts";

export interface RunFlags {
  readonly pod?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly cd?: string;
  readonly outputFormat: "text" | "json";
  readonly maxTurns?: number;
  readonly permissionMode?: "ask" | "deny-unlisted" | "allow-in-scope";
  readonly sandbox?: "on" | "off";
}

export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  let named: string | null = flags.pod ?? null;
  try {
    const environment = readEnvironment();
    const input = await readInput(prompt, flags, environment);
    const stores = openStores(environment);
    const workspace =
      flags.pod === undefined || flags.cd !== undefined
        ? await canonicalWorkspace(flags.cd ?? environment.cwd)
        : null;
    const name =
      flags.pod === undefined ? freshName(workspace ?? environment.cwd, stores) : podName(flags.pod);
    named = name;
    return await runPod({ name, input, workspace, flags, environment, stores });
  } catch (error) {
    return reportFailure(failureOf(error), flags, named);
  }
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
}

async function runPod(request: RunRequest): Promise<number> {
  const { name, input, flags, environment, stores } = request;
  const { clock, timers, ids } = stores.host;
  const started = clock.monotonic();
  const progress = new Progress({ ...environment.stderr, write: (text) => void process.stderr.write(text) });
  let pod: Pod | null = null;
  const signals = onStopSignals(() => pod?.pause());
  try {
    pod = await Pod.open({
      name,
      purpose: "run",
      version,
      ...stores,
      ports: { clock, timers, ids },
      observer: progress.observe,
      setup: (stored) =>
        makePodSetup({ ...request, stored, say: (text) => progress.say(text), mustExist: input === null }),
    });
    if (flags.pod === undefined) progress.say(`Pod ${name}`);
    sayRepairs(pod, progress);
    let report: RunReport;
    try {
      if (signals.received !== null)
        throw new YoiError("cancelled", "Stopped by a signal before the run began: nothing was sent.");
      report = await (input === null ? pod.resume() : pod.submit(input));
    } finally {
      progress.end();
      await pod.close();
    }
    const result = { report, snapshot: pod.snapshot, durationMs: clock.monotonic() - started };
    if (flags.outputFormat === "json") {
      process.stdout.write(`${JSON.stringify(resultObject(result))}\n`);
    } else if (report.outcome.kind === "finished") {
      process.stdout.write(`${report.outcome.text}\n`);
    }
    const explanation = explainOutcome(report, name);
    if (explanation !== null) process.stderr.write(`yoi: ${explanation}\n`);
    return exitCodeOfRun(report, signals.received);
  } finally {
    progress.end();
    signals.dispose();
  }
}

function sayRepairs(pod: Pod, progress: Progress): void {
  const { repair } = pod;
  if (repair?.action === "cut") {
    progress.say(
      `The log ended in an unfinished line that was never acknowledged; its ${repair.bytes} bytes are kept in ${repair.tornPath}.`,
    );
  }
  if (pod.straysEnded > 0) {
    progress.say(`Ended ${pod.straysEnded} process(es) that an earlier owner of this Pod had left running.`);
  }
}

/** The input of the run: the argument, else standard input; null when a named Pod is to be resumed. */
async function readInput(
  prompt: string | undefined,
  flags: RunFlags,
  environment: Environment,
): Promise<readonly InputPart[] | null> {
  if (prompt !== undefined && prompt !== "-") {
    if (prompt.trim() === "")
      throw new YoiError("prompt_empty", "The prompt is empty: say what the Pod should do.");
    return [{ type: "text", text: prompt }];
  }
  if (!environment.stdinIsTerminal || prompt === "-") {
    const text = await readStdin();
    if (text.trim() !== "") return [{ type: "text", text }];
    if (prompt === "-")
      throw new YoiError(
        "prompt_empty",
        "The prompt on standard input is empty: say what the Pod should do.",
      );
  }
  if (flags.pod === undefined) {
    throw new YoiError(
      "usage",
      'There is neither a prompt nor a Pod to resume: `yoi run "what to do"`, or `yoi run --pod NAME`.',
    );
  }
  return null;
}

/** The directory's base name and four characters of a new id. */
function freshName(directory: string, stores: Stores): PodName {
  const base = basename(directory)
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 50);
  return podName(`${base === "" ? "pod" : base}-${stores.host.ids.uuidV7().slice(-4)}`);
}

function reportFailure(failure: Failure, flags: RunFlags, pod: string | null): number {
  if (flags.outputFormat === "json") {
    process.stdout.write(`${JSON.stringify(errorObject(failure.code, failure.message, pod))}\n`);
  }
  writeFailure(failure);
  return failure.exitCode;
}
