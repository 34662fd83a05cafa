/** childHost: how the children of a hosted Pod begin, are reached and end. Each is hosted as any Pod is: by `yoi pod restore` in a process of its own. */
import { isErrorCode, type PodName, YoiError } from "@yoi/base";
import { secureBytes } from "@yoi/host";
import { parseManifest } from "@yoi/manifest";
import type { ChildHost } from "@yoi/pod";
import { connectPod } from "../client/connect-pod.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { FailedAs } from "../failure.ts";
import { socketPathIn } from "../runtime/runtime.ts";
import { reachedBy } from "./owner-of.ts";
import type { Ready } from "./ready.ts";
import { startDetachedUnless } from "./start-detached.ts";

export interface ChildHostRequest {
  readonly environment: Environment;
  readonly stores: Stores;
  readonly childManifest: ChildHost["childManifest"];
  /** A sentence about what is waited for, or what a child warned of as it began. */
  readonly say: (text: string) => void;
}

export function childHost(request: ChildHostRequest): ChildHost {
  const { environment, stores, childManifest, say } = request;
  const { lease } = stores;
  const started = async (name: PodName, signal: AbortSignal): Promise<Ready> => {
    try {
      const args = ["pod", "restore", name, ...(await sandboxFlag(name, stores))];
      return await startDetachedUnless({ name, args, environment, stores, say }, signal);
    } catch (error) {
      throw error instanceof FailedAs ? ofChild(error) : error;
    }
  };
  return {
    childManifest,
    start: async (name, signal) => {
      const { pid, socket, warnings } = await started(name, signal);
      for (const warning of warnings) say(`${name}: ${warning}`);
      return { pid, socket, warnings };
    },
    reach: async (name, role) => {
      const where = await reachedBy(name, { environment, lease });
      return connectPod(name, { environment: where, stores, client: "parent", stream: false, role });
    },
    socketOf: (name, runtime) => socketPathIn(runtime ?? environment.directories.runtime, name),
    endGroup: (process) => stores.host.processes.endGroup(process, "SIGKILL"),
    secureBytes,
  };
}

/** Its parent's sandbox is off, which nobody but the user can say: said to the child for this start alone. */
async function sandboxFlag(name: PodName, { pods }: Stores): Promise<readonly string[]> {
  const record = await pods.read(name);
  if (record === null) return [];
  const { sandbox } = parseManifest(record.manifest, pods.pathOf(name));
  return sandbox.mode === "off" ? ["--sandbox", "off"] : [];
}

/** What the child's process said as its last word. */
function ofChild(error: FailedAs): YoiError {
  const { code, message } = error.failure;
  return new YoiError(isErrorCode(code) ? code : "io_failed", message, { cause: error });
}
