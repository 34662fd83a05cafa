/** `--take-over`: ends the process that holds a Pod, asked at first, so that this one can take its lease. Never another process than that one. */
import { type PodName, YoiError } from "@yoi/base";
import { findNamed } from "@yoi/pod";
import { holderSentence, isTheOneThatRuns, type LeaseOwner, leaseLockPath } from "@yoi/pod-store";
import { connectPod } from "../client/connect-pod.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { sayIfSlow } from "../say-if-slow.ts";
import { isHost, ownerOf } from "./owner-of.ts";

/** For the owner to answer on its socket, and to end after that. */
export const askMs = 3_000;
/** For the owner to end in order, in all: then it is killed. */
export const orderlyMs = 5_000;
/** For what was killed to be gone. Only a system that waits for its disk takes that long. */
export const killedMs = 10_000;
const lookEveryMs = 10;

export interface TakeOverRequest {
  readonly name: PodName;
  readonly environment: Environment;
  readonly stores: Pick<Stores, "host" | "lease" | "pods" | "dataDir">;
  /** Told what is waited for and what was done. */
  readonly say: (text: string) => void;
}

/**
 * Resolves when the process that holds the Pod's lease does so no more; at once where none does. A process that the lease names, but which does not
 * hold its lock, is left alone. Throws pod_held where it cannot be ended, and where it holds the lease to begin, end or remove the Pod: it may be its parent.
 */
export async function takeOver(request: TakeOverRequest): Promise<void> {
  const { name, stores, say } = request;
  const owner = await ownerOf(name, stores.lease);
  if (owner === null) return;
  const { timers } = stores.host;
  const holding = new Holding(owner, leaseLockPath(stores.dataDir, name), stores.host);
  if (!holding.lasts) {
    say(
      `The process ${owner.pid} is named as the owner of the Pod ${name}, but does not hold its lock: it is left alone.`,
    );
    return;
  }
  if (!isTheOneThatRuns(owner)) throw new YoiError("pod_held", holderSentence(name, owner, null));
  if (isHost(owner)) await sayChildren(request);
  const waiting = `Waiting for the process ${owner.pid}, which holds the Pod ${name}, to end: it is killed after ${orderlyMs / 1000} s.`;
  const how = await sayIfSlow({ timers, say }, waiting, () => endOwner(request, owner, holding));
  say(`The process ${owner.pid}, which held the Pod ${name}, ${how}`);
}

/** Of one owner. */
class Holding {
  readonly #owner: LeaseOwner;
  readonly #path: string;
  readonly #host: Stores["host"];
  readonly #sinceMs: number;

  constructor(owner: LeaseOwner, path: string, host: Stores["host"]) {
    this.#owner = owner;
    this.#path = path;
    this.#host = host;
    this.#sinceMs = host.clock.monotonic();
  }

  /** Evidence, not a hint: the kernel shows the lock as that process's. */
  get lasts(): boolean {
    return this.#host.processes.hasLocked(this.#owner, this.#path);
  }

  /** False: it lasts still, so long after this was made. */
  async endsWithin(ms: number): Promise<boolean> {
    while (this.lasts) {
      if (this.#host.clock.monotonic() - this.#sinceMs >= ms) return false;
      await this.#host.timers.sleep(lookEveryMs);
    }
    return true;
  }

  signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.lasts) this.#host.processes.end(this.#owner, signal);
  }
}

/** The rest of a sentence. */
async function endOwner(request: TakeOverRequest, owner: LeaseOwner, holding: Holding): Promise<string> {
  const { name } = request;
  const inOrder = "ended in order.";
  const ended = async (): Promise<string> =>
    (await isStillNamed(request, owner)) ? "was killed, by somebody else than this command." : inOrder;
  if (isHost(owner) && (await askToEnd(request)) && (await holding.endsWithin(askMs))) return ended();
  holding.signal("SIGTERM");
  if (await holding.endsWithin(orderlyMs)) return ended();
  holding.signal("SIGKILL");
  if (await holding.endsWithin(orderlyMs + killedMs))
    return `did not end within ${orderlyMs / 1000} s and was killed: nothing that was acknowledged is lost.`;
  throw new YoiError(
    "pod_held",
    `The process ${owner.pid}, which holds the Pod ${name}, was killed and is still there: the system itself holds it (\`ps -o stat,wchan ${owner.pid}\` says in what). Try again when it is gone.`,
  );
}

/** Who ends in order takes its name from the lease first. */
async function isStillNamed({ name, stores }: TakeOverRequest, owner: LeaseOwner): Promise<boolean> {
  const named = (await stores.lease.owner(name))?.owner;
  return named?.pid === owner.pid && named.started === owner.started && named.boot === owner.boot;
}

/** A Pod that is well ends its children before itself; those of one that is killed live on. */
async function sayChildren({ name, stores, say }: TakeOverRequest): Promise<void> {
  const { record } = await findNamed(stores.pods, name);
  const children = record?.children.map((child) => child.name) ?? [];
  if (children.length > 0)
    say(`Where the Pod ${name} ends in order, its children end with it: ${children.join(", ")}.`);
}

/** False: it could not be told, or does not answer. */
async function askToEnd({ name, environment, stores }: TakeOverRequest): Promise<boolean> {
  const { timers } = stores.host;
  const givenUp = new AbortController();
  const late = timers.sleep(askMs, givenUp.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([late, shutDown(name, { environment, stores })]);
  } finally {
    givenUp.abort();
  }
}

async function shutDown(
  name: PodName,
  where: Pick<TakeOverRequest, "environment" | "stores">,
): Promise<boolean> {
  try {
    const pod = await connectPod(name, { ...where, client: "take-over", stream: false, answerMs: askMs });
    try {
      await pod.call("shutdown", {});
      return true;
    } finally {
      pod.close();
    }
  } catch (error) {
    // Whatever keeps it from being asked, a signal reaches it.
    if (error instanceof YoiError) return false;
    throw error;
  }
}
