/** `yoi pod stop`: the orderly end of the process that hosts a Pod; done when nobody holds the Pod any more. */
import { escapeControls, type PodName, YoiError } from "@yoi/base";
import { findNamed, isUnreadable } from "@yoi/pod";
import type { LeaseOwner } from "@yoi/pod-store";
import { connectPod, type ReachedPod } from "../client/connect-pod.ts";
import { type Reach, reachAs } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { ownerOf } from "../hosting/owner-of.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";
import { sayIfSlow } from "../say-if-slow.ts";

/** A tool that does not give up is waited for at most this long. */
export const stopMs = 60_000;
const lookEveryMs = 20;

export async function podStop(given: string, flags: JsonFlag): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`yoi: ${text}\n`);
  const { name, stopped, sentence } = await stopPod(given, reachAs("stop"), say);
  printResult(flags, { pod: name, stopped }, sentence);
  return exitCode.done;
}

export interface StoppedPod {
  readonly name: PodName;
  /** False: it was not live. */
  readonly stopped: boolean;
  /** For a person. */
  readonly sentence: string;
}

/** Done when nobody holds it any more. `say` is told what is waited for, and which children had not ended in order. */
export async function stopPod(given: string, reach: Reach, say: (text: string) => void): Promise<StoppedPod> {
  const { lease, pods, host } = reach.stores;
  const { name, record, unreadable } = await findNamed(pods, given);
  const owner = await ownerOf(name, lease);
  const pod = await reached(name, reach, owner);
  if (pod === null)
    return {
      name,
      stopped: false,
      sentence: `The Pod ${name} is not live: there was nothing to stop.`,
    };
  using _ = { [Symbol.dispose]: () => pod.close() };
  let isConnected = true;
  void pod.closed.then(() => (isConnected = false));
  await pod.call("shutdown", {});
  const waiting = { timers: host.timers, say };
  const itsProcess = owner === null ? "its process" : `its process ${owner.pid}`;
  const children = record?.children.map((child) => child.name) ?? [];
  const below = children.length === 0 ? "" : `, behind its children ${children.join(", ")}`;
  await sayIfSlow(waiting, `Waiting for the Pod ${name} to close in order${below}.`, async () => {
    const startedMs = host.clock.monotonic();
    // Behind a lost hint the connection says whether it is there still.
    while ((owner === null && isConnected) || (await ownerOf(name, lease)) !== null) {
      if (host.clock.monotonic() - startedMs > stopMs)
        throw new YoiError(
          "pod_unreachable",
          `The Pod ${name} was told to end and did not within ${stopMs / 1000} s: \`yoi pod restore ${name} --take-over\` ends ${itsProcess}, nothing that was acknowledged is lost.`,
        );
      await host.timers.sleep(lookEveryMs);
    }
  });
  const told = new Set(record?.children.map((child) => child.session));
  const after = (await findNamed(pods, name)).record?.reclaimed ?? [];
  for (const child of after)
    if (told.has(child.session) && child.reason === "lost")
      say(`The child ${child.name} did not end in order: it was killed, or had died.`);
  const sentence =
    unreadable === null
      ? `Stopped the Pod ${name}: \`yoi pod restore ${name}\` starts it again.`
      : `Stopped the Pod ${name}, which cannot be started again as it is: ${escapeControls(unreadable.message)}`;
  return { name, stopped: true, sentence };
}

/** Null: nobody says that it holds the Pod, and nobody answers at its socket: a hint can be lost, and is there again within seconds. */
async function reached(name: PodName, reach: Reach, owner: LeaseOwner | null): Promise<ReachedPod | null> {
  try {
    return await connectPod(name, { ...reach, stream: false });
  } catch (error) {
    const isNobody = isUnreadable(error) || (error instanceof YoiError && error.code === "pod_unreachable");
    if (owner === null && isNobody) return null;
    throw error;
  }
}
