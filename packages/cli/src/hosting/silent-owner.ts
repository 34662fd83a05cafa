/** Whether the process by which a starter was refused answers anybody: one that does not is to be taken over. */
import { type PodName, YoiError } from "@yoi/base";
import { holderSentence } from "@yoi/pod-store";
import { ConnectionLost } from "@yoi/protocol";
import { connectPod } from "../client/connect-pod.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { sayIfSlow } from "../say-if-slow.ts";
import { isHost, ownerOf } from "./owner-of.ts";

/** For a process that is busy to answer all the same. */
export const ownerAnswersMs = 2_000;

export interface RefusedStart {
  readonly name: PodName;
  readonly environment: Environment;
  readonly stores: Pick<Stores, "host" | "lease" | "pods">;
  readonly say: (text: string) => void;
}

/** What a start failed with, with the way out where its owner is silent. */
export async function refusedStart(thrown: unknown, request: RefusedStart): Promise<unknown> {
  if (!(thrown instanceof YoiError) || thrown.code !== "pod_held") return thrown;
  const { name, environment, stores, say } = request;
  const owner = await ownerOf(name, stores.lease);
  const { runtime } = environment.directories;
  if (owner === null || !isHost(owner) || (owner.runtime !== null && owner.runtime !== runtime))
    return thrown;
  const ports = { timers: stores.host.timers, say };
  const waiting = `Asking the process ${owner.pid}, which hosts the Pod ${name}, whether it answers.`;
  if (!(await sayIfSlow(ports, waiting, () => isSilent(request)))) return thrown;
  const out = `It does not answer: \`yoi pod restore ${name} --take-over\` ends that process and hosts the Pod anew, by which nothing that was acknowledged is lost.`;
  return new YoiError("pod_held", `${holderSentence(name, owner, runtime)} ${out}`, { cause: thrown });
}

/** It takes connections, or the system does for it, and nothing comes. Where none is taken it is starting or closing. */
async function isSilent({ name, environment, stores }: RefusedStart): Promise<boolean> {
  try {
    const answerMs = ownerAnswersMs;
    const pod = await connectPod(name, { environment, stores, client: "start", stream: false, answerMs });
    pod.close();
    return false;
  } catch (error) {
    if (error instanceof YoiError) return isLost(error.cause);
    throw error;
  }
}

/** The hello was not answered, or the connection was lost behind it. */
function isLost(cause: unknown): boolean {
  return cause instanceof ConnectionLost || (cause instanceof YoiError && isLost(cause.cause));
}
