/** `yoi pod unqueue`: an input that waits for a hosted Pod is taken back. */
import { escapeControls, flattenInput, YoiError } from "@yoi/base";
import { findNamed } from "@yoi/pod";
import { reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";

/** As the id of an entry is written. */
const idPattern = /^(?:\d+-)?\d+$/;

/** @param given null: the last one that waits. */
export async function podUnqueue(name: string, given: string | null, flags: JsonFlag): Promise<number> {
  const reach = reachAs("unqueue");
  const { name: pod } = await findNamed(reach.stores.pods, name);
  if (given !== null && !idPattern.test(given))
    throw new YoiError(
      "target_unknown",
      `No input ${JSON.stringify(given)} waits for the Pod ${pod}: \`yoi pod show ${pod}\` lists those that do, by their ids.`,
    );
  const { id, parts } = await withPod(pod, reach, async (reached) => {
    const last = given ?? (await reached.call("show", {})).queue?.at(-1)?.id;
    if (last === undefined)
      throw new YoiError("target_unknown", `No input waits for the Pod ${pod}: nothing was taken back.`);
    return { id: last, ...(await reached.call("unqueue", { id: last })) };
  });
  printResult(flags, { pod, id, parts }, escapeControls(flattenInput(parts), "newline-tab"));
  return exitCode.done;
}
