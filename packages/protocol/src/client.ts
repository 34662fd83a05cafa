/** PodClient: a client's side of the protocol: requests by id, the stream checked for gaps, and connecting again behind what was seen. */
import type { LogEntry } from "@yoi/base";
import type { Live } from "./event.ts";
import type { MethodName, Methods, ProtocolError } from "./method.ts";
import type { PodView } from "./snapshot.ts";

/** An answer that was a refusal. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly error: ProtocolError;

  constructor(error: ProtocolError) {
    super(error.message);
    this.error = error;
  }
}

/** The connection ended before the answer came: whether the request was carried out is not known. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** What a client is told of, in the order of the stream; every entry once, over all connections. */
export interface StreamListener {
  /** All records from here on are of another log, or of the same one from its start: what was seen of the old one no longer counts. */
  readonly restarted?: (segment: string) => void;
  readonly entry: (entry: LogEntry) => void;
  readonly omitted?: (seq: number, kind: string) => void;
  /** The client is up to date. Comes once per connection. */
  readonly snapshot: (view: PodView) => void;
  readonly live: (live: Live) => void;
  /** The connection is over; another one is tried where that was asked for. */
  readonly disconnected?: (why: string) => void;
}

export interface PodClient {
  /** Throws RequestRefused, or ConnectionLost. */
  call<M extends Exclude<MethodName, "hello">>(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  /** Ends the connection and every attempt at another one. */
  close(): void;
  /** Resolves when there is no connection and none will be tried. Never rejects. */
  readonly closed: Promise<void>;
}
