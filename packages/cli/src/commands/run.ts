/** `yoi run`: one input to its end in this process. */
import { type InputPart, type PodName, subtractCost, subtractUsage, YoiError } from "@yoi/base";
import { Pod, type RunReport } from "@yoi/pod";
import { namedWorkspace } from "../compose/configuration.ts";
import { makePodSetup, type RunSetup } from "../compose/pod-setup.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode, exitCodeOfRun } from "../exit-code.ts";
import { type Failure, failureOf } from "../failure.ts";
import { withFreshPodName } from "../fresh-pod-name.ts";
import { nothingSpent, type Spent } from "../output/cost.ts";
import { type OutputFormat, RunOutput } from "../output/run-output.ts";
import type { StartEvent } from "../output/stream/stream-event.ts";
import { readInput } from "../read-input.ts";
import { onStopSignals, type StopSignal } from "../signals.ts";
import { version } from "../version.ts";
import { choosePod } from "./choose-pod.ts";

export interface RunFlags {
  readonly pod?: string;
  readonly continue?: boolean;
  /** True: without a name. */
  readonly resume?: string | true;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly cd?: string;
  readonly outputFormat: OutputFormat;
  readonly maxTurns?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly permissionMode?: "ask" | "deny-unlisted" | "allow-in-scope";
  readonly sandbox?: "on" | "off";
}

export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  const known: Known = { name: flags.pod ?? null, pod: null, before: nothingSpent, stopped: null };
  const environment = readEnvironment();
  const output = new RunOutput(flags.outputFormat, environment);
  try {
    const stores = openStores(environment);
    const chosen = await choosePod(flags, environment, stores);
    known.name = chosen;
    const input = await readInput(prompt, {
      pod: chosen,
      stdin: environment.stdin,
      timers: stores.host.timers,
      say: output.say,
    });
    const request = { input, flags, environment, stores, output };
    if (chosen !== null) {
      const workspace = flags.cd === undefined ? null : await namedWorkspace(flags.cd, environment);
      return await runPod({ ...request, workspace, name: chosen, isNew: false }, known);
    }
    const workspace = await namedWorkspace(flags.cd, environment);
    return await withFreshPodName(workspace, stores.host.ids, (name) =>
      runPod({ ...request, workspace, name, isNew: true }, known),
    );
  } catch (error) {
    return reportFailure(failureOf(error), output, known);
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
  /** The name was drawn: nobody asked for a Pod of it. */
  readonly isNew: boolean;
  /** Null: resume. */
  readonly input: readonly InputPart[] | null;
  /** Null: the stored one, or the current directory for a new Pod. */
  readonly workspace: string | null;
  readonly flags: RunFlags;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly output: RunOutput;
}

async function runPod(request: RunRequest, known: Known): Promise<number> {
  const { name, isNew, input, stores, output } = request;
  known.name = name;
  const { clock, timers, ids } = stores.host;
  const started = clock.monotonic();
  const signals = onStopSignals(() => known.pod?.pause());
  const isUnsaid = isNew || request.flags.continue === true;
  const timeoutMs = request.flags.timeout === undefined ? null : request.flags.timeout * 1000;
  const inForce: { setup?: RunSetup } = {};
  try {
    const pod = await Pod.open({
      name,
      purpose: "run",
      version,
      ...stores,
      ports: { clock, timers, ids },
      observer: output.observe,
      committed: output.committed,
      setup: async (stored) =>
        (inForce.setup = await makePodSetup({
          ...request,
          stored,
          say: output.say,
          mustExist: input === null,
          mustBeNew: isNew,
        })),
    });
    known.pod = pod;
    known.before = pod.snapshot;
    if (inForce.setup !== undefined)
      output.begin(startOf(pod, inForce.setup, { resumed: input === null, timeoutMs }), isUnsaid);
    sayRepairs(pod, output);
    const report = await runAndClose(pod, output, () => {
      known.stopped = signals.received;
      if (known.stopped !== null)
        throw new YoiError("cancelled", "Stopped by a signal before the run began: nothing was sent.");
      return input === null ? pod.resume({ timeoutMs }) : pod.submit(input, { timeoutMs });
    });
    output.finish({ report, snapshot: pod.snapshot, durationMs: clock.monotonic() - started });
    return exitCodeOfRun(report, signals.received);
  } finally {
    output.endProgress();
    signals.dispose();
  }
}

function startOf(
  { snapshot }: Pod,
  { manifest, config, tools, sandbox }: RunSetup,
  run: { readonly resumed: boolean; readonly timeoutMs: number | null },
): StartEvent {
  return {
    type: "start",
    version,
    pod: snapshot.name,
    session_id: snapshot.session,
    segment_id: snapshot.segment,
    seq: snapshot.lastSeq,
    resumed: run.resumed,
    model: config.model,
    workspace: manifest.workspace,
    sandbox,
    network: manifest.sandbox.network,
    permission_mode: manifest.permissions.mode,
    tools: tools.map((tool) => tool.definition.name),
    max_turns: manifest.limits.max_turns,
    timeout_ms: run.timeoutMs,
  };
}

async function runAndClose(pod: Pod, output: RunOutput, work: () => Promise<RunReport>): Promise<RunReport> {
  let report: RunReport;
  try {
    report = await work();
  } catch (error) {
    await close(pod, output);
    throw error;
  }
  await close(pod, output);
  return report;
}

/** What the run came to stands, whatever the orderly close meets: it is in the log. The next owner closes what this one could not. */
async function close(pod: Pod, output: RunOutput): Promise<void> {
  output.endProgress();
  try {
    await pod.close();
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    output.say(`The Pod could not be closed in order, which the next run makes good: ${error.message}`);
  }
}

function sayRepairs(pod: Pod, output: RunOutput): void {
  const { repair } = pod;
  if (repair?.action === "cut") {
    output.say(
      `The log ended in an unfinished write; its ${repair.bytes} bytes were cut and are kept in ${repair.tornPath}.`,
    );
  }
  if (pod.straysEnded > 0) {
    output.say(`Ended ${pod.straysEnded} process(es) that an earlier owner of this Pod had left running.`);
  }
}

function spentSince(before: Spent, now: Spent | null): Spent {
  if (now === null) return nothingSpent;
  return { usage: subtractUsage(now.usage, before.usage), cost: subtractCost(now.cost, before.cost) };
}

function reportFailure(failure: Failure, output: RunOutput, { name, pod, before, stopped }: Known): number {
  const snapshot = pod?.snapshot ?? null;
  output.fail(failure, name === null ? null : { name, snapshot, spent: spentSince(before, snapshot) });
  return failure.code === "cancelled" && stopped === "SIGTERM" ? exitCode.terminated : failure.exitCode;
}
