/** A client that comes back after each broken connection and goes on behind what it saw: all its entries, over all connections, in the order of arrival. */
import type { HostedPod } from "./hosted.ts";
import type { Entry, Place, RawClient } from "./raw-client.ts";

export interface FollowerOptions {
  /** False: every connection begins anew, as one that keeps no cursor does. */
  readonly keepsPlace?: boolean;
}

export class Follower implements Disposable {
  readonly #pod: HostedPod;
  readonly #keepsPlace: boolean;
  #client: RawClient | null = null;
  #place: Place | null = null;
  readonly entries: Entry[] = [];
  connections = 0;

  constructor(pod: HostedPod, { keepsPlace = true }: FollowerOptions = {}) {
    this.#pod = pod;
    this.#keepsPlace = keepsPlace;
  }

  /** A connection that is open, a new one where the last is over. Rejects while nobody hosts the Pod. */
  async client(): Promise<RawClient> {
    if (this.#client !== null && !this.#client.isClosed) return this.#client;
    this.#keep();
    this.#client = await this.#pod.client(
      { after: this.#keepsPlace ? this.#place : null },
      { entries: this.entries },
    );
    this.connections += 1;
    return this.#client;
  }

  /** Ends the connection, unsaid; what came until now counts. */
  drop(): void {
    this.#client?.drop();
    this.#keep();
  }

  [Symbol.dispose](): void {
    this.#client?.drop();
  }

  #keep(): void {
    if (this.#client === null) return;
    this.#place = this.#client.place ?? this.#place;
    this.#client = null;
  }
}
