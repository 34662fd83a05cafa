/** Reaching a Pod of a simulated tree, as a parent does: every failure is a YoiError. */
import { isErrorCode, type PodName, type Timers, YoiError } from "@yoi/base";
import type { ReachedPod } from "@yoi/pod";
import { type Connection, ConnectionLost, openPodClient, RequestRefused } from "@yoi/protocol";

export const userToken = "the-user";

export async function reachPod(
  name: PodName,
  role: "user" | "peer",
  { connect, timers }: { readonly connect: () => Connection; readonly timers: Timers },
): Promise<ReachedPod> {
  const client = await openPodClient({
    connect: async () => connect(),
    hello: async () => ({ role, token: userToken, stream: false }),
    helloTimeout: { timers, ms: 10_000 },
  });
  return {
    call: async (method, params) => {
      try {
        return await client.call(method, params);
      } catch (error) {
        if (error instanceof ConnectionLost)
          throw new YoiError("pod_unreachable", `The Pod ${name} is gone.`, { cause: error });
        if (!(error instanceof RequestRefused)) throw error;
        const { cause = "" } = error.error;
        throw new YoiError(isErrorCode(cause) ? cause : "io_failed", error.message, { cause: error });
      }
    },
    close: () => client.close(),
  };
}
