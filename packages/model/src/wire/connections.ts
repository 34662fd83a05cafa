/** Connections: the sockets that a model owns, and where its exchanges start. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Exchange, type ExchangeOptions } from "./exchange.ts";

/**
 * Kept-alive connections to one origin. Idle sockets are unreferenced by Node's agent, so they never hold the process; `close` ends them
 * at once. At most one settled response still drains: the next exchange gives it up.
 */
export class Connections {
  readonly #agent: HttpAgent;
  #last: Exchange | null = null;

  constructor(base: URL) {
    this.#agent = new (base.protocol === "https:" ? HttpsAgent : HttpAgent)({ keepAlive: true });
  }

  open(options: Omit<ExchangeOptions, "agent">): Exchange {
    this.#last?.abandon();
    this.#last = new Exchange({ ...options, agent: this.#agent });
    return this.#last;
  }

  close(): void {
    this.#last?.abandon();
    this.#agent.destroy();
  }
}
