/** StreamEnd: how following a Pod comes to its end: somebody leaves, the Pod closes in order, or it cannot be reached any more. */
import type { Live } from "@yoi/protocol";
import { onStopSignals, type StopSignal } from "../signals.ts";
import type { ReachedPod } from "./connect-pod.ts";

export type End =
  | { readonly kind: "left"; readonly signal: StopSignal | null }
  | { readonly kind: "shut_down" };

export class StreamEnd {
  readonly #end = Promise.withResolvers<End>();
  #isShutDown = false;

  /** Told of every live event. */
  live({ type }: Live): void {
    if (type === "shutdown") this.#isShutDown = true;
  }

  /** Told of every lost connection. True: there may be another one. */
  disconnected(): boolean {
    if (this.#isShutDown) this.#end.resolve({ kind: "shut_down" });
    return !this.#isShutDown;
  }

  leave(signal: StopSignal | null = null): void {
    this.#end.resolve({ kind: "left", signal });
  }

  fail(error: unknown): void {
    this.#end.reject(error);
  }

  /** Also by a signal, and where nobody reads stdout any more. Closes the connection. Throws why there is none any more. */
  async of(pod: ReachedPod): Promise<End> {
    const signals = onStopSignals((signal) => this.leave(signal));
    const unread = (): void => this.leave();
    process.stdout.once("error", unread);
    void pod.closed.then((why) => this.fail(why ?? new Error("the client was closed by nobody")));
    try {
      return await this.#end.promise;
    } finally {
      process.stdout.off("error", unread);
      signals.dispose();
      pod.close();
    }
  }
}
