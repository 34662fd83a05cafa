/** A command that asks a live Pod for one thing: connected, asked, disconnected. */
import { openStores, type Stores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { type ConnectOptions, connectPod, type ReachedPod } from "./connect-pod.ts";

export interface Reach {
  readonly environment: Environment;
  readonly stores: Stores;
  readonly client: string;
}

export function reachAs(client: string): Reach {
  const environment = readEnvironment();
  return { environment, stores: openStores(environment), client };
}

/** Without the stream: only answers. */
export async function withPod<T>(
  name: string,
  reach: Pick<ConnectOptions, "environment" | "stores" | "client" | "again" | "answerMs">,
  work: (pod: ReachedPod) => Promise<T>,
): Promise<T> {
  const pod = await connectPod(name, { ...reach, stream: false });
  try {
    return await work(pod);
  } finally {
    pod.close();
  }
}
