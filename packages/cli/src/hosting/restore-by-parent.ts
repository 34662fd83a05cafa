/** A child whose loan came back: its parent lends anew, and starts it, where that one is live. */
import { type PodName, YoiError } from "@yoi/base";
import { withPod } from "../client/pod-command.ts";
import { startedByParent } from "../compose/started-by-parent.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { FailedAs } from "../failure.ts";
import { hostLogsOf } from "./host-log.ts";
import { ownerOf } from "./owner-of.ts";
import type { Ready } from "./ready.ts";

export interface LostLoan {
  readonly name: PodName;
  /** As typed, of those that say how a Pod is started: its parent takes none. */
  readonly flags: readonly string[];
  /** Goes on with its run, where that was paused or cut off. */
  readonly resume: boolean;
  readonly environment: Environment;
  readonly stores: Stores;
}

/** As from starting it here. Throws what the start failed with, unless that was a loan that came back; else what the parent refused, or loan_missing. */
export async function restoreByParent(failure: unknown, request: LostLoan): Promise<Ready> {
  if (!(failure instanceof FailedAs) || failure.failure.code !== "loan_missing") throw failure;
  const { name, stores } = request;
  const parent = (await stores.pods.read(name))?.parent?.pod;
  if (parent === undefined) throw failure;
  if (request.flags.length > 0) throw startedByParent(name, parent, request.flags);
  const reach = { ...request, client: "restore" };
  if ((await ownerOf(parent, stores.lease)) === null) {
    throw new YoiError(
      "loan_missing",
      `The Pod ${name} works on what ${parent} lends it, that loan came back, and ${parent} is not live: start that one first with \`yoi pod restore ${parent}\`, then \`yoi pod restore ${name}\` asks it.`,
    );
  }
  const { socket, warnings } = await withPod(parent, reach, (pod) => pod.call("restore_pod", { name }));
  return withPod(name, reach, async (pod) => {
    const before = await pod.call("show", {});
    if (request.resume && before.state === "paused") await pod.call("resume", {});
    const { state, session, segment } = await pod.call("show", {});
    const owner = await ownerOf(name, stores.lease);
    if (owner === null)
      throw new YoiError(
        "pod_unreachable",
        `The Pod ${name} was restored and has ended: see \`yoi pod log ${name}\`.`,
      );
    return {
      pod: name,
      pid: owner.pid,
      socket,
      state,
      session_id: session,
      segment_id: segment,
      log: hostLogsOf(stores.dataDir, name).last,
      warnings,
    };
  });
}
