/** PodServer: takes connections to a Pod, as many as it may, and ends them when the Pod closes. */
import { type Connection, connectionsMax, lastLinesMs, type Listener } from "@yoi/protocol";
import { ConnectedClient } from "./connected-client.ts";
import { HalfLines } from "./half-lines.ts";
import { Hub } from "./hub.ts";
import { LargeRecords } from "./large-records.ts";
import { RequestDesk } from "./request-desk.ts";
import type { PodServer, ServeOptions } from "./serve-options.ts";
import type { ServedPod } from "./served-pod.ts";
import { responseLine } from "./stream-line.ts";

/** What closes a Pod uses more of its server than whoever hosts it. */
export interface ClosablePodServer extends PodServer {
  /** From here on nothing new is taken: neither connections nor requests. Those who listen go on listening. */
  refuse(): void;
}

export async function servePod(pod: ServedPod, options: ServeOptions): Promise<ClosablePodServer> {
  const server = new Server(pod, options);
  try {
    await server.listen();
  } catch (error) {
    server.abandon();
    throw error;
  }
  return server;
}

class Server implements ClosablePodServer {
  readonly #pod: ServedPod;
  readonly #options: ServeOptions;
  readonly #hub: Hub;
  readonly #desk: RequestDesk;
  readonly #halfLines = new HalfLines();
  readonly #largeRecords = new LargeRecords();
  /** Each with the promise of its end. */
  readonly #connected = new Map<ConnectedClient, Promise<void>>();
  /** Connections that are being told that there is no place for them. */
  #turnedAway = 0;
  #listener: Listener | null = null;
  #isRefusing = false;
  #closed: Promise<void> | null = null;

  constructor(pod: ServedPod, options: ServeOptions) {
    const { redact, shutdown } = options;
    this.#pod = pod;
    this.#options = options;
    this.#hub = new Hub(pod, redact);
    this.#desk = new RequestDesk({ pod, view: () => this.#hub.view, redact, shutdown });
  }

  get clients(): number {
    let known = 0;
    for (const client of this.#connected.keys()) if (client.isKnown) known += 1;
    return known;
  }

  async listen(): Promise<void> {
    this.#listener = await this.#options.listen((connection) => this.#accept(connection));
  }

  abandon(): void {
    this.#hub.close();
  }

  refuse(): void {
    this.#isRefusing = true;
    this.#desk.close();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.refuse();
    // The place is given back at once: nobody is to wait for a Pod that only says good-bye.
    const unlistened = this.#listener?.close();
    this.#hub.say({ type: "shutdown" });
    this.#hub.close();
    for (const client of this.#connected.keys()) client.end();
    await Promise.all(this.#connected.values());
    await unlistened;
  }

  #accept(connection: Connection): void {
    if (this.#isRefusing || this.#connected.size >= connectionsMax) {
      void this.#turnAway(connection);
      return;
    }
    const client = new ConnectedClient(connection, {
      pod: this.#pod,
      hub: this.#hub,
      desk: this.#desk,
      halfLines: this.#halfLines,
      largeRecords: this.#largeRecords,
      options: this.#options,
    });
    const over = client.live().finally(() => this.#connected.delete(client));
    this.#connected.set(client, over);
  }

  /** One line, for as many at a time as have a place; beyond them not even that. */
  async #turnAway(connection: Connection): Promise<void> {
    if (this.#isRefusing || this.#turnedAway >= connectionsMax) {
      connection.destroy();
      return;
    }
    this.#turnedAway += 1;
    const cancel = this.#options.timers.after(lastLinesMs, () => connection.destroy());
    const message = `This Pod has ${connectionsMax} connections already: end one, or try again later.`;
    await connection
      .write(responseLine({ id: null, error: { code: "busy", message } }).bytes)
      .catch(() => {});
    connection.end();
    for await (const _ignored of connection.incoming);
    connection.destroy();
    cancel();
    this.#turnedAway -= 1;
  }
}
