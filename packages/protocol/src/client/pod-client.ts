/** PodClient: a client's side of the protocol: requests by id, the stream checked for gaps, and connecting again behind what was seen. */
import type { LogEntry } from "@yoi/base";
import type { Live, Rotation } from "../event.ts";
import type { MethodName, Methods, ProtocolError } from "../method.ts";
import type { PodView } from "../snapshot.ts";

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

/**
 * What a client is told of, in the order of the stream; every entry once, over all connections. Nothing more is read while a call of it goes on. What it
 * throws ends the client.
 */
export interface StreamListener {
  /** All records from here on are of another log, or of the same one from its start: what was seen before no longer counts. */
  readonly restarted?: (segment: string) => void;
  /**
   * The entries from here on are those of another segment of the same Pod, from its start, and a snapshot comes behind them. What a `carried` one holds is not
   * new: it was told before, or is what a compaction made of that, or lies behind the place to which history went back.
   */
  readonly rotated?: (rotation: Rotation) => void;
  readonly entry: (entry: LogEntry) => void;
  readonly omitted?: (seq: number, kind: string) => void;
  /** The client is up to date. Comes once per connection and segment; `alerts` are those that it was not told of before. */
  readonly snapshot: (view: PodView) => void;
  /** @param n its number in this life of the Pod; one that is left out was of a type that this version does not know. */
  readonly live: (live: Live, n: number) => void;
  /** A connection with a hello is over; another one is tried where that was asked for. */
  readonly disconnected?: (why: string) => void;
}

export interface PodClient {
  /**
   * Any number at once. Between two connections it waits for the next one. Throws RequestRefused; ConnectionLost; limit_exceeded, where the request is
   * larger than a frame; or, once the client has ended, why it has.
   */
  call<M extends Exclude<MethodName, "hello">>(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  /** Ends the connection and every attempt at another one. The listener is told nothing more. */
  close(): void;
  /** No other connection will be tried, and every call throws why. */
  readonly ended: boolean;
  /** Resolves when there is no connection and none will be tried, with the reason; null: `close` was called. Never rejects. */
  readonly closed: Promise<Error | null>;
}
