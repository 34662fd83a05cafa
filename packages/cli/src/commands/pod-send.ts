/** `yoi pod send`: a prompt, one for later or a notification for a hosted Pod, on record when it ends; with --wait, the run that comes of it. */
import { flattenInput, type InputPart, type QueueTime, YoiError } from "@yoi/base";
import { findNamed } from "@yoi/pod";
import { type AcceptedResult, idCharsMax } from "@yoi/protocol";
import type { ReachedPod } from "../client/connect-pod.ts";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { failureOf } from "../failure.ts";
import { nothingSpent } from "../output/cost.ts";
import { printResult } from "../output/print-result.ts";
import { RunOutput } from "../output/run-output.ts";
import { type InputSource, readInput } from "../read-input.ts";
import { watchRunStop } from "../run-stop.ts";
import { runLive } from "./run-live.ts";

export interface SendFlags {
  readonly wait?: boolean;
  readonly notify?: boolean;
  readonly queue?: QueueTime;
  readonly submission?: string;
  readonly json?: boolean;
}

export async function podSend(given: string, prompt: string | undefined, flags: SendFlags): Promise<number> {
  const reach = reachAs("send");
  const { submission } = flags;
  if (submission !== undefined && (submission === "" || submission.length > idCharsMax))
    throw new YoiError("usage", `--submission is to have 1 to ${idCharsMax} characters.`);
  return flags.wait === true
    ? await sendAndWait(given, prompt, flags, reach)
    : await send(given, prompt, flags, reach);
}

/** Nothing is held while the Pod is asked: a signal ends it at once, and the same submission again is carried out once. */
async function send(
  given: string,
  prompt: string | undefined,
  flags: SendFlags,
  reach: Reach,
): Promise<number> {
  const { pods, host } = reach.stores;
  const { name } = await findNamed(pods, given);
  const say = (text: string): void => void process.stderr.write(`yoi: ${text}\n`);
  const parts = await inputOf(prompt, { reach, say, signal: new AbortController().signal });
  const submission = flags.submission ?? host.ids.uuidV7();
  const { id, duplicate } = await withPod(name, { ...reach, again: "while_held" }, (pod) =>
    sentTo(pod, parts, submission, flags),
  );
  const before = duplicate ? " It was there before: nothing was done now." : "";
  const sentence = `On record as entry ${id} of the Pod ${name}.${before}`;
  printResult(flags, { pod: name, submission, id, duplicate }, sentence);
  return exitCode.done;
}

function sentTo(
  pod: Pick<ReachedPod, "submit">,
  parts: readonly InputPart[],
  submission: string,
  { notify, queue }: SendFlags,
): Promise<AcceptedResult> {
  if (notify === true) return pod.submit("notify", { message: flattenInput(parts), submission });
  if (queue !== undefined) return pod.submit("queue", { parts, submission, when: queue });
  return pod.submit("submit", { parts, submission });
}

async function sendAndWait(
  given: string,
  prompt: string | undefined,
  flags: SendFlags,
  reach: Reach,
): Promise<number> {
  using stop = watchRunStop(reach.stores.host, null);
  const output = new RunOutput(flags.json === true ? "json" : "text", reach.environment);
  let pod: string | null = null;
  try {
    const { name } = await findNamed(reach.stores.pods, given);
    pod = name;
    const input = await inputOf(prompt, { reach, say: output.say, signal: stop.signal });
    const request = { name, input, workspace: null, flags: {}, timeoutMs: null, output, stop };
    return await runLive({ ...reach, ...request, isUnsaid: false });
  } catch (error) {
    const failure = failureOf(error);
    const { elapsedMs: durationMs } = stop;
    output.fail(failure, { pod, snapshot: null, spent: nothingSpent, turns: 0, durationMs });
    return failure.exitCode;
  }
}

async function inputOf(
  prompt: string | undefined,
  source: Pick<InputSource, "say" | "signal"> & { readonly reach: Reach },
): Promise<readonly InputPart[]> {
  const { reach, ...rest } = source;
  const { stdin } = reach.environment;
  const none = new YoiError("usage", 'There is no prompt: `yoi pod send NAME "what to do"`.');
  if (prompt === undefined && stdin === "terminal") throw none;
  const { timers } = reach.stores.host;
  const parts = await readInput(prompt ?? "-", { pod: null, stdin, timers, ...rest });
  if (parts === null) throw none;
  return parts;
}
