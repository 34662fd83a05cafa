/** A run in a Pod that another process hosts: submitted over its socket, followed to its end, with the output and exit codes of one in this process. */
import { type InputPart, messageOf, type PodName, YoiError } from "@yoi/base";
import { parseManifest } from "@yoi/manifest";
import type { PodView, RunEnded } from "@yoi/protocol";
import { connectPod, type ReachedPod } from "../client/connect-pod.ts";
import { FollowedRun } from "../client/follow-run.ts";
import { refuseLiveFlags } from "../client/live-flags.ts";
import { withPod } from "../client/pod-command.ts";
import { reportOf } from "../client/report-of.ts";
import { checkKeptProfile } from "../compose/pod-manifest.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { exitCodeOfRun } from "../exit-code.ts";
import { failureOf } from "../failure.ts";
import { nothingSpent } from "../output/cost.ts";
import type { RunOutput } from "../output/run-output.ts";
import { treeUsage } from "../output/tree-usage.ts";
import type { StartEvent } from "../output/stream/stream-event.ts";
import type { RunStop } from "../run-stop.ts";

export interface LiveRequest {
  readonly name: PodName;
  /** Null: resume. */
  readonly input: readonly InputPart[] | null;
  /** The one that -C names; null: none was named. */
  readonly workspace: string | null;
  readonly flags: PodFlags;
  /** Null: no limit. */
  readonly timeoutMs: number | null;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly output: RunOutput;
  readonly stop: RunStop;
  /** Which command asks. */
  readonly client: string;
  /** The Pod's name was not on the command line. */
  readonly isUnsaid: boolean;
}

/** Throws usage for a profile that is not the Pod's. */
async function checkProfile({ name, flags, stores: { pods } }: LiveRequest): Promise<void> {
  const record = await pods.read(name);
  if (record !== null)
    checkKeptProfile(name, flags.profile, parseManifest(record.manifest, pods.pathOf(name)));
}

/** The exit code; throws where the run did not begin. */
export async function runLive(request: LiveRequest): Promise<number> {
  const { name, input, timeoutMs, output, stop } = request;
  const view = await withPod(name, request, (pod) => pod.call("show", {}));
  if (request.flags.profile !== undefined) await checkProfile(request);
  refuseLiveFlags(name, view.about, request.flags, request.workspace);
  const { committed, say } = output;
  const { isTerminal, columns } = request.environment.stderr;
  const followed = new FollowedRun({
    name,
    committed,
    say,
    live: (live) => output.live(live),
    columns: isTerminal ? columns : null,
    segment: view.segment,
    generation: view.generation,
  });
  const pod = await connectPod(name, {
    ...request,
    stream: true,
    listener: followed,
    after: { segment: view.segment, seq: view.seq },
    again: "while_held",
  });
  try {
    output.begin(startOf(view, { resumed: input === null, timeoutMs }), request.isUnsaid);
    const run = await begin(pod, followed, request);
    followed.follow(run);
    if (input === null) followed.sayWaiting(view);
    const { session } = view;
    const snapshot = () => ({ name, session, segment: followed.segment });
    let ended: RunEnded;
    try {
      ended = await Promise.race([followed.ended, lost(pod, run)]);
    } catch (error) {
      const failure = failureOf(error);
      output.fail(failure, {
        pod: name,
        snapshot: snapshot(),
        spent: nothingSpent,
        turns: 0,
        durationMs: stop.elapsedMs,
      });
      return failure.exitCode;
    }
    output.endProgress();
    const report = reportOf(ended);
    const tree = output.givesObject ? await treeUsage(request.stores, name) : null;
    output.finish({ report, snapshot: snapshot(), durationMs: stop.elapsedMs, tree });
    return exitCodeOfRun(report, stop.received);
  } finally {
    pod.close();
    output.endProgress();
  }
}

/** Rejects when there is no connection any more, with what is left of the run. */
async function lost({ closed, name }: ReachedPod, run: string): Promise<never> {
  const why = await closed;
  if (!(why instanceof YoiError)) throw why ?? new Error("the client was closed by nobody");
  throw new YoiError(
    why.code,
    `The run is on record as entry ${run} and its end was not seen: \`yoi pod log ${name}\` shows how far it came. ${why.message} What was cut off goes on with \`yoi pod restore ${name} --resume\`.`,
    { cause: why },
  );
}

/** The id of the run. A signal pauses it in its Pod, also one that comes before it is known to have begun. */
async function begin(
  pod: ReachedPod,
  followed: FollowedRun,
  { input, timeoutMs, stop, stores, output }: LiveRequest,
): Promise<string> {
  const begun = Promise.withResolvers<string>();
  begun.promise.catch(() => undefined);
  stop.begin(() => {
    begun.promise
      .then(async (run) => {
        try {
          await pod.call("pause", { run });
        } catch (error) {
          if (!(error instanceof YoiError && error.code === "not_running")) throw error;
          // It is over: how, the Pod knows.
          followed.snapshot(await pod.call("show", {}));
        }
      })
      .catch((error: unknown) => output.say(`It could not be paused: ${messageOf(error)}`));
  });
  const limits = timeoutMs === null ? {} : { limits: { timeout_ms: timeoutMs } };
  try {
    const submission = stores.host.ids.uuidV7();
    const { id } =
      input === null
        ? await pod.call("resume", limits)
        : await pod.submit("submit", { parts: input, submission, ...limits });
    begun.resolve(id);
    return id;
  } catch (error) {
    begun.reject(error);
    throw error;
  }
}

function startOf(
  { pod, session, segment, seq, about }: PodView,
  run: { readonly resumed: boolean; readonly timeoutMs: number | null },
): StartEvent {
  const { version, model, workspace, sandbox, network, permission_mode, tools } = about;
  return {
    type: "start",
    version,
    pod,
    session_id: session,
    segment_id: segment,
    seq,
    resumed: run.resumed,
    model,
    workspace,
    sandbox,
    network,
    permission_mode,
    tools,
    max_turns: null,
    timeout_ms: run.timeoutMs,
  };
}
