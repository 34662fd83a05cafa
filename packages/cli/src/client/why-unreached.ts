/** Why a Pod could not be reached, or was lost, by who holds it. */
import { messageOf, type PodName, YoiError } from "@yoi/base";
import { holderSentence } from "@yoi/pod-store";
import { ConnectionLost } from "@yoi/protocol";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { asYoiError } from "./request-error.ts";

export interface Whereabouts {
  readonly environment: Pick<Environment, "directories">;
  readonly stores: Pick<Stores, "lease">;
}

/** What is no failure of a connection, as it is. */
export async function whyUnreached(
  thrown: unknown,
  pod: PodName,
  { environment, stores }: Whereabouts,
): Promise<Error> {
  const isUnreached =
    thrown instanceof ConnectionLost || (thrown instanceof YoiError && thrown.code === "pod_unreachable");
  if (!isUnreached) {
    const failure = asYoiError(thrown, pod);
    return failure instanceof Error ? failure : new Error(messageOf(failure));
  }
  const failed = (code: "pod_unreachable" | "unauthorized", sentence: string): YoiError =>
    new YoiError(code, sentence, { cause: thrown });
  const owner = await ownerOf(pod, stores.lease);
  if (owner === null)
    return failed(
      "pod_unreachable",
      `The Pod ${pod} is not hosted: no process holds it. \`yoi pod restore ${pod}\` starts it again, \`yoi run --pod ${pod}\` runs it once.`,
    );
  const { runtime } = environment.directories;
  if (!isHost(owner)) return failed("pod_unreachable", holderSentence(pod, owner, runtime));
  // There is no token for it here.
  if (owner.runtime !== null && owner.runtime !== runtime)
    return failed("unauthorized", holderSentence(pod, owner, runtime));
  return failed(
    "pod_unreachable",
    `The process ${owner.pid}, which hosts the Pod ${pod}, does not answer: it may be starting, closing or stopped. Try again in a moment, or end it with \`yoi pod restore ${pod} --take-over\`, by which nothing that was acknowledged is lost.`,
  );
}
