/** `yoi pod send`: a prompt or a notification for a hosted Pod, on record when it ends; with --wait, the run that comes of it. */
import { flattenInput, type InputPart, YoiError } from "@yoi/base";
import { findPod } from "@yoi/pod";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { failureOf } from "../failure.ts";
import { nothingSpent } from "../output/cost.ts";
import { printResult } from "../output/print-result.ts";
import { RunOutput } from "../output/run-output.ts";
import { readInput } from "../read-input.ts";
import { type RunStop, watchRunStop } from "../run-stop.ts";
import { runLive } from "./run-live.ts";

export interface SendFlags {
  readonly wait?: boolean;
  readonly notify?: boolean;
  readonly submission?: string;
  readonly json?: boolean;
}

export async function podSend(given: string, prompt: string | undefined, flags: SendFlags): Promise<number> {
  const reach = reachAs("send");
  using stop = watchRunStop(reach.stores.host, null);
  return flags.wait === true
    ? await sendAndWait(given, prompt, { flags, reach, stop })
    : await send(given, prompt, { flags, reach, stop });
}

interface Sending {
  readonly flags: SendFlags;
  readonly reach: Reach;
  readonly stop: RunStop;
}

async function send(given: string, prompt: string | undefined, sending: Sending): Promise<number> {
  const { flags, reach } = sending;
  const { ids } = reach.stores.host;
  const say = (text: string): void => void process.stderr.write(`yoi: ${text}\n`);
  const { name } = await findPod(reach.stores.pods, given);
  const parts = await inputOf(prompt, sending, say);
  const submission = flags.submission ?? ids.uuidV7();
  const accepted = await withPod(name, { ...reach, again: "while_held" }, (pod) => {
    sending.stop.signal.throwIfAborted();
    return flags.notify === true
      ? pod.submit("notify", { message: flattenInput(parts), submission })
      : pod.submit("submit", { parts, submission });
  });
  const { seq, duplicate } = accepted;
  const before = duplicate ? " It was there before: nothing was done now." : "";
  const sentence = `On record as entry ${seq} of the Pod ${name}.${before}`;
  printResult(flags, { pod: name, submission, seq, duplicate }, sentence);
  return exitCode.done;
}

async function sendAndWait(given: string, prompt: string | undefined, sending: Sending): Promise<number> {
  const { flags, reach, stop } = sending;
  const output = new RunOutput(flags.json === true ? "json" : "text", reach.environment);
  let pod: string | null = null;
  try {
    const { name } = await findPod(reach.stores.pods, given);
    pod = name;
    const input = await inputOf(prompt, sending, output.say);
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
  { reach, stop }: Sending,
  say: (text: string) => void,
): Promise<readonly InputPart[]> {
  const { environment, stores } = reach;
  const { stdin } = environment;
  const source = { pod: null, stdin, timers: stores.host.timers, say, signal: stop.signal };
  if (prompt === undefined && stdin === "terminal")
    throw new YoiError("usage", 'There is no prompt: `yoi pod send NAME "what to do"`.');
  const parts = await readInput(prompt ?? "-", source);
  if (parts === null) throw new YoiError("usage", 'There is no prompt: `yoi pod send NAME "what to do"`.');
  return parts;
}
