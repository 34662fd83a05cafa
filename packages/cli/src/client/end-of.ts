/** endOf: what became of a client whose connection was lost while a call was out. */
import { ConnectionLost, type PodClient, RequestRefused } from "@yoi/protocol";

/** Behind a lost connection: why there will be no other one; null: there is one again, or the client was closed here. */
export async function endOf(client: Pick<PodClient, "call" | "closed" | "ended">): Promise<Error | null> {
  for (;;) {
    try {
      await client.call("ping", {});
      return null;
    } catch (error) {
      if (error instanceof RequestRefused) return null;
      // A client that has ended answers at once, each time.
      if (client.ended || !(error instanceof ConnectionLost)) return await client.closed;
    }
  }
}
