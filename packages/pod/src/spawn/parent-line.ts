/** ParentLine: the child's side of what it tells its parent: one connection for as long as it is hosted, made again whenever it is lost. Hints only. */
import type { PodName, Random, Timers } from "@yoi/base";
import { backoffMs, type ChildEvent, type Connection, openPodClient, type PodClient } from "@yoi/protocol";

/** Time for a parent to take the hello, and the last hint. */
export const parentAnswerMs = 5_000;

export interface ParentLineOptions {
  readonly name: PodName;
  /** What this Pod shows at its parent's socket. */
  readonly token: string;
  /** To the parent's socket. Whatever it throws, it is called again. */
  readonly connect: () => Promise<Connection>;
  readonly timers: Timers;
  readonly random: Random;
}

/** That the parent is away, or does not want to hear, never disturbs the child: what happened is in its log, and a parent that comes back reads it there. */
export class ParentLine {
  readonly #options: ParentLineOptions;
  readonly #closing = new AbortController();
  readonly #over: Promise<void>;
  #client: PodClient | null = null;

  constructor(options: ParentLineOptions) {
    this.#options = options;
    this.#over = this.#live();
  }

  /** Says it where a parent listens now, and waits for nothing. */
  tell(event: ChildEvent): void {
    void this.#say(event);
  }

  /** Says that this Pod is down, for at most 5 s, and ends the connection. Never rejects. */
  async end(): Promise<void> {
    const { timers } = this.#options;
    if (!this.#closing.signal.aborted) {
      const late = Promise.withResolvers<void>();
      const cancel = timers.after(parentAnswerMs, late.resolve);
      await Promise.race([this.#say("shut_down"), late.promise]);
      cancel();
    }
    this.#closing.abort();
    this.#client?.close();
    await this.#over;
  }

  async #live(): Promise<void> {
    const { timers, random } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures += 1) {
      if (await this.#converse()) failures = 0;
      // Rejects when the line ends: then there is nothing to wait for.
      await timers.sleep(backoffMs(failures, random), signal).catch(() => {});
    }
  }

  /** One connection, from its hello to its end; false: there was none. */
  async #converse(): Promise<boolean> {
    const { name, token, connect, timers } = this.#options;
    let client: PodClient;
    try {
      client = await openPodClient({
        connect,
        hello: async () => ({ role: "child", token, client: name, stream: false }),
        helloTimeout: { timers, ms: parentAnswerMs },
      });
    } catch {
      // Not there, or not this Pod's parent now; later it may be.
      return false;
    }
    this.#client = client;
    if (this.#closing.signal.aborted) client.close();
    // What ended while nobody listened is looked for.
    this.tell("hello");
    await client.closed;
    this.#client = null;
    return true;
  }

  async #say(event: ChildEvent): Promise<void> {
    // A hint that is lost is lost: the next one, or the parent's next look, finds the same.
    await this.#client?.call("pod_event", { event }).catch(() => {});
  }
}
