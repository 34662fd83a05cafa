/** One Pod of a run: opened, run to the run's end, closed. */
import type { InputPart, PodName } from "@yoi/base";
import { Pod, type PodSnapshot, type RunReport } from "@yoi/pod";
import { makePodSetup, type RunSetup } from "../compose/pod-setup.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { exitCodeOfRun } from "../exit-code.ts";
import { failureOf, oweOutcome } from "../failure.ts";
import type { RunOutput } from "../output/run-output.ts";
import type { StartEvent } from "../output/stream/stream-event.ts";
import { type RunStop, unlessStopped } from "../run-stop.ts";
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
    const { pod, setup } = await openPod(request, progress);
    progress.pod = pod;
    progress.before = pod.snapshot;
    const isUnsaid = request.isNew || request.flags.continue === true;
    if (setup !== undefined)
      output.begin(startOf(pod, setup, { resumed: input === null, timeoutMs }), isUnsaid);
    sayRepairs(pod, output);
    const work = () => {
      stop.begin(() => pod.pause());
      const limits =
        timeoutMs === null ? { timeoutMs } : { timeoutMs, leftMs: Math.max(1, timeoutMs - stop.elapsedMs) };
      return input === null ? pod.resume(limits) : pod.submit(input, limits);
    };
    return await runAndClose(pod, output, work, (report) => {
      output.finish({ report, snapshot: pod.snapshot, durationMs: stop.elapsedMs });
      return exitCodeOfRun(report, stop.received);
    });
  } finally {
    output.endProgress();
  }
}

/** All of it ends when the run is stopped: nothing is made of a Pod whose run will not begin. */
async function openPod(
  request: RunRequest,
  progress: RunProgress,
): Promise<{ readonly pod: Pod; readonly setup?: RunSetup }> {
  const { name, isNew, input, stores, output, stop } = request;
  const { signal } = stop;
  const { clock, timers, ids } = stores.host;
  const inForce: { setup?: RunSetup } = {};
  const opening = Pod.open({
    name,
    purpose: "run",
    version,
    ...stores,
    ports: { clock, timers, ids },
    observer: output.observe,
    committed: output.committed,
    setup: async (stored) => {
      const made = await makePodSetup({
        ...request,
        stored,
        say: output.say,
        signal,
        mustExist: input === null,
        mustBeNew: isNew,
      });
      inForce.setup = made;
      return {
        ...made,
        seed: () => {
          signal.throwIfAborted();
          return made.seed();
        },
      };
    },
  });
  const pod = await unlessStopped(opening, {
    signal,
    timers,
    undo: (late) => late.close(),
    abandoned: () => (progress.isAbandoned = true),
  });
  return { pod, ...inForce };
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

/** The exit code, which `finish` gives when it has said what the run came to. */
async function runAndClose(
  pod: Pod,
  output: RunOutput,
  work: () => Promise<RunReport>,
  finish: (report: RunReport) => number,
): Promise<number> {
  let report: RunReport;
  try {
    report = await work();
  } catch (error) {
    await close(pod, output);
    throw error;
  }
  // It is on record: whatever ends the process while the Pod closes, what it came to is said.
  using _ = oweOutcome(() => finish(report));
  await close(pod, output);
  return finish(report);
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
