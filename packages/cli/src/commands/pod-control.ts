/** `yoi pod cancel`, `pause` and `resume`: what becomes of the run that a live Pod has. */
import { reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podCancel(name: string, flags: JsonFlag): Promise<number> {
  await withPod(name, reachAs("cancel"), (pod) => pod.call("cancel", {}));
  printResult(flags, { pod: name, asked: "cancel" }, `Asked the Pod ${name} to end its run.`);
  return exitCode.done;
}

export async function podPause(name: string, flags: JsonFlag): Promise<number> {
  await withPod(name, reachAs("pause"), (pod) => pod.call("pause", {}));
  const sentence = `Asked the Pod ${name} to pause: \`yoi pod resume ${name}\` goes on with its run.`;
  printResult(flags, { pod: name, asked: "pause" }, sentence);
  return exitCode.done;
}

export async function podResume(name: string, flags: JsonFlag): Promise<number> {
  const { id } = await withPod(name, reachAs("resume"), (pod) => pod.call("resume", {}));
  const sentence = `The Pod ${name} goes on with its run (entry ${id}): \`yoi attach ${name}\` shows it.`;
  printResult(flags, { pod: name, asked: "resume", id }, sentence);
  return exitCode.done;
}
