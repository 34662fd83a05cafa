/** `yoi pod stop`: the orderly end of the process that hosts a Pod; done when nobody holds the Pod any more. */
import { escapeControls, YoiError } from "@yoi/base";
import { findNamed } from "@yoi/pod";
import { reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";
import { sayIfSlow } from "../say-if-slow.ts";

/** A tool that does not give up is waited for at most this long. */
export const stopMs = 60_000;
const lookEveryMs = 20;

export async function podStop(given: string, flags: JsonFlag): Promise<number> {
  const reach = reachAs("stop");
  const { lease, pods, host } = reach.stores;
  const { name, record, unreadable } = await findNamed(pods, given);
  const hint = await lease.owner(name);
  if (hint?.alive !== true) {
    printResult(
      flags,
      { pod: name, stopped: false },
      `The Pod ${name} is not live: there was nothing to stop.`,
    );
    return exitCode.done;
  }
  await withPod(name, reach, (pod) => pod.call("shutdown", {}));
  const waiting = {
    timers: host.timers,
    say: (text: string) => void process.stderr.write(`yoi: ${text}\n`),
  };
  const { pid } = hint.owner;
  const children = record?.children.map((child) => child.name) ?? [];
  const below = children.length === 0 ? "" : `, behind its children ${children.join(", ")}`;
  await sayIfSlow(waiting, `Waiting for the Pod ${name} to close in order${below}.`, async () => {
    const startedMs = host.clock.monotonic();
    while ((await lease.owner(name))?.alive === true) {
      if (host.clock.monotonic() - startedMs > stopMs)
        throw new YoiError(
          "pod_unreachable",
          `The Pod ${name} was told to end and did not within ${stopMs / 1000} s: \`yoi pod restore ${name} --take-over\` ends its process ${pid}, nothing that was acknowledged is lost.`,
        );
      await host.timers.sleep(lookEveryMs);
    }
  });
  const sentence =
    unreadable === null
      ? `Stopped the Pod ${name}: \`yoi pod restore ${name}\` starts it again.`
      : `Stopped the Pod ${name}, which cannot be started again as it is: ${escapeControls(unreadable.message)}`;
  printResult(flags, { pod: name, stopped: true }, sentence);
  return exitCode.done;
}
