/** `yoi run`: one input to its end, in this process or in the one that hosts the Pod. */
import { type PodName, subtractCost, subtractUsage, YoiError } from "@yoi/base";
import { namedWorkspace } from "../compose/configuration.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { failureOf } from "../failure.ts";
import { withFreshPodName } from "../fresh-pod-name.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { nothingSpent } from "../output/cost.ts";
import type { KnownRun } from "../output/error-object.ts";
import { RunOutput } from "../output/run-output.ts";
import type { OutputFormat } from "../program/choices.ts";
import { readInput } from "../read-input.ts";
import { watchRunStop } from "../run-stop.ts";
import { choosePod } from "./choose-pod.ts";
import { runPod, type RunProgress } from "./run-pod.ts";

export interface RunFlags extends PodFlags {
  readonly pod?: string;
  readonly continue?: boolean;
  /** True: without a name. */
  readonly resume?: string | true;
  readonly cd?: string;
  readonly outputFormat: OutputFormat;
  /** Seconds. */
  readonly timeout?: number;
}

export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  const environment = readEnvironment();
  const output = new RunOutput(flags.outputFormat, environment);
  const stores = openStores(environment);
  const { timers, ids } = stores.host;
  const timeoutMs = flags.timeout === undefined ? null : flags.timeout * 1000;
  using stop = watchRunStop(stores.host, timeoutMs);
  const progress: RunProgress = { pod: null, before: null, isAbandoned: false };
  let named: PodName | null = null;
  try {
    named = await choosePod(flags, environment, stores, stop.signal);
    const { signal } = stop;
    const { stdin } = environment;
    const input = await readInput(prompt, { pod: named, stdin, timers, say: output.say, signal });
    const request = { input, flags, timeoutMs, environment, stores, output, stop };
    if (named !== null) {
      const workspace = flags.cd === undefined ? null : await namedWorkspace(flags.cd, environment);
      if (isHost(await ownerOf(named, stores.lease))) {
        const isUnsaid = flags.continue === true;
        // No other run pays for loading it.
        const { runLive } = await import("./run-live.ts");
        return await runLive({ ...request, workspace, name: named, client: "run", isUnsaid });
      }
      return await runPod({ ...request, workspace, name: named, isNew: false }, progress);
    }
    const workspace = await namedWorkspace(flags.cd, environment);
    return await withFreshPodName(workspace, ids, (name) =>
      runPod({ ...request, workspace, name, isNew: true }, progress),
    );
  } catch (error) {
    const failure = failureOf(error);
    const pod = progress.pod?.snapshot.name ?? (await nameOfExisting(named, stores));
    output.fail(failure, { pod, ...sinceItBegan(progress), durationMs: stop.elapsedMs });
    // What waits for something outside, and cannot be told to stop, ends with the process.
    if (progress.isAbandoned) process.exit(failure.exitCode);
    return failure.exitCode;
  }
}

/** A result names a Pod only where there is one, damaged ones included. */
async function nameOfExisting(name: PodName | null, { pods }: Stores): Promise<PodName | null> {
  if (name === null) return null;
  try {
    return (await pods.read(name)) === null ? null : name;
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return name;
  }
}

function sinceItBegan({ pod, before }: RunProgress): Pick<KnownRun, "snapshot" | "spent" | "turns"> {
  if (pod === null || before === null) return { snapshot: null, spent: nothingSpent, turns: 0 };
  const { snapshot } = pod;
  return {
    snapshot,
    spent: {
      usage: subtractUsage(snapshot.usage, before.usage),
      cost: subtractCost(snapshot.cost, before.cost),
    },
    turns: snapshot.turns - before.turns,
  };
}
