/** submitOnce: a submission that is repeated under its own name until it is known to be on record. */
import type { AcceptedResult, Methods } from "../method.ts";
import { ConnectionLost, type PodClient } from "./pod-client.ts";

/**
 * Gives `params` to the Pod, again over each connection that was lost before the answer came: it is carried out once, because its `submission` is the
 * same. For a client that connects `again`; throws RequestRefused, and why the client ended where it has.
 */
export async function submitOnce<M extends "submit" | "notify" | "queue" | "run_command">(
  client: PodClient,
  method: M,
  params: Methods[M]["params"],
): Promise<AcceptedResult> {
  for (;;) {
    try {
      return await client.call(method, params);
    } catch (error) {
      if (!(error instanceof ConnectionLost) || client.ended) throw error;
    }
  }
}
