/** ConnectedClient: one connection's life: a hello, the records that it has not seen, one snapshot, then the present, and answers in between. */
import {
  BadRequest,
  type Connection,
  type Cursor,
  frameBytesMax,
  helloBytesMax,
  type HelloParams,
  type HelloResult,
  helloMs,
  lastLinesMs,
  LineReader,
  LineTooLong,
  protocolVersion,
  type ProtocolError,
  readHello,
  readRequest,
  type Role,
  streamRoles,
} from "@yoi/protocol";
import type { Follower, Hub } from "./hub.ts";
import { Outbox } from "./outbox.ts";
import { refusalOf } from "./refusal.ts";
import type { RequestDesk } from "./request-desk.ts";
import type { ServedPod } from "./served-pod.ts";
import type { ServeOptions } from "./serve-options.ts";
import { entryLine, responseLine, type StreamLine, streamEndLine } from "./stream-line.ts";

/** Bytes of records that are read, and given to a client that catches up, at a time. */
export const catchUpBytes = 256 * 1024;

export interface ClientParts {
  readonly pod: ServedPod;
  readonly hub: Hub;
  readonly desk: RequestDesk;
  readonly options: Pick<ServeOptions, "authorize" | "timers" | "redact">;
}

export class ConnectedClient implements Follower {
  readonly #parts: ClientParts;
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  readonly #reader = new LineReader(helloBytesMax);
  /** Null: nobody is known yet. */
  #role: Role | null = null;
  /** What the client had before. */
  #after: Cursor | null = null;
  readonly #asked = new Set<Promise<void>>();
  #isEnding = false;

  constructor(connection: Connection, parts: ClientParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.#outbox = new Outbox(connection, () => this.#drop());
  }

  /** It said who it is, and is not on its way out. */
  get isKnown(): boolean {
    return this.#role !== null && !this.#isEnding;
  }

  /** Resolves when the connection is over. Never rejects. */
  async live(): Promise<void> {
    const late = () => this.#refuse(null, { code: "invalid_request", message: noHello });
    const endTimer = this.#parts.options.timers.after(helloMs, late);
    try {
      await this.#read(endTimer);
    } catch (error) {
      // Neither a line nor a request: whatever it is, the other clients and the Pod go on.
      this.#refuse(null, refusalOf(error, this.#parts.options.redact));
    } finally {
      endTimer();
    }
    // Nothing more comes in: what was asked is answered, and then this side ends too.
    await Promise.all(this.#asked);
    this.end();
    await this.#connection.closed;
    this.#parts.hub.leave(this);
  }

  push(line: StreamLine): void {
    this.#outbox.push(line);
  }

  /** Takes no more of the stream; what waits, and the answers to what was asked, still leave as far as the time for last lines allows. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#parts.hub.leave(this);
    const cancel = this.#parts.options.timers.after(lastLinesMs, () => this.#connection.destroy());
    void (async () => {
      await Promise.all(this.#asked);
      this.#outbox.end();
      await this.#outbox.drained();
      this.#connection.end();
      await this.#connection.closed;
      cancel();
    })();
  }

  async #read(endTimer: () => void): Promise<void> {
    for await (const bytes of this.#connection.incoming) {
      if (this.#isEnding) continue;
      try {
        for (const line of this.#reader.take(bytes)) {
          if (this.#role === null) {
            endTimer();
            await this.#welcome(line);
          } else this.#take(this.#role, line);
          if (this.#isEnding) break;
        }
      } catch (error) {
        if (!(error instanceof LineTooLong)) throw error;
        this.#refuse(null, { code: "invalid_request", message: error.message });
      }
    }
  }

  async #welcome(line: Uint8Array): Promise<void> {
    const { authorize } = this.#parts.options;
    const hello = read(() => readHello(line));
    if (hello instanceof BadRequest) return this.#refuse(hello.id, hello.error);
    const { id, params } = hello;
    const { role, token, stream } = params;
    // Fails closed: what throws is a no.
    if (!(await authorize(role, token).catch(() => false))) {
      const message = "The token of this hello is not that of its role.";
      return this.#refuse(id, { code: "unauthorized", message });
    }
    if (stream && !streamRoles.has(role)) {
      const message = `A client with the role ${role} gets no stream: say hello with stream false.`;
      return this.#refuse(id, { code: "forbidden", message });
    }
    if (this.#isEnding) return;
    this.#role = role;
    this.#reader.bytesMax = frameBytesMax;
    this.#greet(id, params);
  }

  #greet(id: string, { stream, after }: HelloParams): void {
    const { state, name } = this.#parts.pod;
    const { session, segment, epoch, lastSeq } = state;
    const isKnownPlace = after !== undefined && after.segment === segment && after.seq <= lastSeq;
    this.#after = isKnownPlace ? after : null;
    const from = isKnownPlace ? after.seq + 1 : 0;
    const result: HelloResult = { protocol: protocolVersion, pod: name, session, segment, epoch, from };
    this.#outbox.push(responseLine({ id, result }));
    if (stream) void this.#catchUp(from);
  }

  #take(role: Role, line: Uint8Array): void {
    const call = read(() => readRequest(line));
    if (call instanceof BadRequest) {
      this.push(responseLine({ id: call.id, error: call.error }));
      return;
    }
    const answered = this.#parts.desk.answer(role, call, (reply) => this.push(reply));
    this.#asked.add(answered);
    void answered.then(() => this.#asked.delete(answered));
  }

  /**
   * Nothing is queued for a client that catches up: the next records are read when it took the ones before. In the instant in which it was given the
   * last one on record, and without waiting for anything, it gets the snapshot and is among those who are told what happens.
   */
  async #catchUp(from: number): Promise<void> {
    const { pod, hub, options } = this.#parts;
    let next = from;
    try {
      while (!this.#isEnding && !this.#outbox.isOver) {
        if (next > pod.state.lastSeq) {
          hub.join(this);
          return;
        }
        const records = await pod.records(next, catchUpBytes);
        const piece = pieceOf(records.map(entryLine));
        next += records.length;
        this.#outbox.push(piece);
        // The last piece need not have left: it waits as what follows it does. One large record is waited for.
        if (next <= pod.state.lastSeq || piece.bytes.length > catchUpBytes) await this.#outbox.drained();
      }
    } catch (error) {
      this.#refuse(null, refusalOf(error, options.redact));
    }
  }

  /** Too slow: what waits is thrown away, and it is told where it was. */
  #drop(): void {
    if (this.#isEnding) return;
    const { segment } = this.#parts.pod.state;
    const { seq } = this.#outbox;
    this.#endWith(streamEndLine(seq === null ? this.#after : { segment, seq }));
  }

  #refuse(id: string | null, error: ProtocolError): void {
    if (!this.#isEnding) this.#endWith(responseLine({ id, error }));
  }

  #endWith(last: StreamLine): void {
    this.#outbox.endWith(last);
    this.end();
  }
}

const noHello = `No hello came within ${helloMs / 1000} s: the first line of a connection is to be one.`;

function read<T>(reading: () => T): T | BadRequest {
  try {
    return reading();
  } catch (error) {
    if (error instanceof BadRequest) return error;
    throw error;
  }
}

/** Counted as one line among those that wait. */
function pieceOf(lines: readonly StreamLine[]): StreamLine {
  return { bytes: Buffer.concat(lines.map(({ bytes }) => bytes)), seq: lines.at(-1)?.seq ?? null };
}
