/** One Pod of a run: opened, run to the run's end, closed. */
import type { InputPart, PodName, Spent } from "@yoi/base";
import type { Pod, PodSnapshot, RunReport } from "@yoi/pod";
import { runPurpose } from "@yoi/pod-store";
import { openConfiguredPod, sayFound } from "../compose/open-pod.ts";
import type { RunSetup } from "../compose/pod-setup.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { exitCodeOfRun } from "../exit-code.ts";
import { failureOf, oweOutcome } from "../failure.ts";
import type { RunOutput } from "../output/run-output.ts";
import { treeUsage } from "../output/tree-usage.ts";
import type { StartEvent } from "../output/stream/stream-event.ts";
import type { RunStop } from "../run-stop.ts";
import { version } from "../version.ts";
import type { RunFlags } from "./run.ts";

/** How far a run came, for the report of its failure. */
export interface RunProgress {
  pod: Pod | null;
  /** The Pod when this run began. */
  before: PodSnapshot | null;
  /** It was stopped while something was waited for that did not give up. */
  isAbandoned: boolean;
}

export interface RunRequest {
  readonly name: PodName;
  /** The name was drawn: nobody asked for a Pod of it. */
  readonly isNew: boolean;
  /** Null: resume. */
  readonly input: readonly InputPart[] | null;
  /** Null: the stored one, or the current directory for a new Pod. */
  readonly workspace: string | null;
  readonly flags: RunFlags;
  /** Null: no limit. */
  readonly timeoutMs: number | null;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly output: RunOutput;
  readonly stop: RunStop;
}

export async function runPod(request: RunRequest, progress: RunProgress): Promise<number> {
  const { input, timeoutMs, output, stop } = request;
  try {
    const { pod, setup } = await openConfiguredPod({
      ...request,
      purpose: runPurpose,
      socket: null,
      mustExist: input === null,
      mustBeNew: request.isNew,
      say: output.say,
      observer: output.observe,
      committed: output.committed,
      signal: stop.signal,
      abandoned: () => (progress.isAbandoned = true),
    });
    progress.pod = pod;
    progress.before = pod.snapshot;
    const isUnsaid = request.isNew || request.flags.continue === true;
    output.begin(startOf(pod, setup, { resumed: input === null, timeoutMs }), isUnsaid);
    sayFound(pod, output.say);
    const work = () => {
      stop.begin(() => pod.interrupt());
      const limits =
        timeoutMs === null ? { timeoutMs } : { timeoutMs, leftMs: Math.max(1, timeoutMs - stop.elapsedMs) };
      return input === null ? pod.resume(limits) : pod.submit(input, limits);
    };
    const tree = async () => (output.givesObject ? treeUsage(request.stores, pod.snapshot.name) : null);
    return await runAndClose(pod, { output, work, tree }, (report, spent) => {
      output.finish({ report, snapshot: pod.snapshot, durationMs: stop.elapsedMs, tree: spent });
      return exitCodeOfRun(report, stop.received);
    });
  } finally {
    output.endProgress();
  }
}

function startOf(
  { snapshot }: Pod,
  { manifest, config, sandbox }: RunSetup,
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
    tools: snapshot.tools,
    max_turns: manifest.limits.max_turns,
    timeout_ms: run.timeoutMs,
  };
}

interface RunWork {
  readonly output: RunOutput;
  readonly work: () => Promise<RunReport>;
  /** Asked when everything is on record. */
  readonly tree: () => Promise<Spent | null>;
}

/** The exit code, which `finish` gives when it has said what the run came to. */
async function runAndClose(
  pod: Pod,
  { output, work, tree }: RunWork,
  finish: (report: RunReport, tree: Spent | null) => number,
): Promise<number> {
  let report: RunReport;
  try {
    report = await work();
  } catch (error) {
    await close(pod, output);
    throw error;
  }
  // It is on record: whatever ends the process while the Pod closes, what it came to is said.
  using _ = oweOutcome(() => finish(report, null));
  await close(pod, output);
  return finish(report, await tree());
}

/** What the run came to stands, whatever the orderly close meets: it is in the log. The next owner closes what this one could not. */
async function close(pod: Pod, output: RunOutput): Promise<void> {
  output.endProgress();
  try {
    await pod.close();
  } catch (error) {
    output.say(
      `The Pod could not be closed in order, which the next run makes good: ${failureOf(error).message}`,
    );
  }
}
