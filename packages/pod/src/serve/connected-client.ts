/** ConnectedClient: one connection's life: a hello, the records that it has not seen, one snapshot, then the present, and answers in between. */
import {
  BadRequest,
  clientRequestsMax,
  type Connection,
  type Cursor,
  frameBytesMax,
  halfLinesBytesMax,
  helloBytesMax,
  type HelloParams,
  type HelloResult,
  helloMs,
  lastLinesMs,
  LineReader,
  LineTooLong,
  protocolVersion,
  type ProtocolError,
  type Rotation,
  readHello,
  readRequest,
  streamRoles,
} from "@yoi/protocol";
import { YoiError } from "@yoi/base";
import type { HalfLines, HalfLineSender } from "./half-lines.ts";
import type { Follower, Hub } from "./hub.ts";
import type { LargeRecords } from "./large-records.ts";
import { Outbox } from "./outbox.ts";
import { refusalOf } from "./protocol-error.ts";
import type { RequestDesk } from "./request-desk.ts";
import type { ServedPod } from "./served-pod.ts";
import type { Caller, ServeOptions } from "./serve-options.ts";
import { entryLine, responseLine, rotatedLine, type StreamLine, streamEndLine } from "./stream-line.ts";

/** Bytes of records that are read, and given to a client that catches up, at a time. */
const catchUpBytes = 256 * 1024;

interface ClientParts {
  readonly pod: ServedPod;
  readonly hub: Hub;
  readonly desk: RequestDesk;
  readonly halfLines: HalfLines;
  readonly largeRecords: LargeRecords;
  readonly options: Pick<ServeOptions, "authorize" | "timers" | "redact" | "dropped">;
}

export class ConnectedClient implements Follower, HalfLineSender {
  readonly #parts: ClientParts;
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  readonly #reader = new LineReader(helloBytesMax);
  /** Null: nobody is known yet. */
  #caller: Caller | null = null;
  /** As it calls itself. */
  #name: string | null = null;
  /** What the client had before. */
  #after: Cursor | null = null;
  /** Each until its answer was taken. */
  readonly #asked = new Set<Promise<void>>();
  #caughtUp: Promise<void> | null = null;
  #isEnding = false;

  constructor(connection: Connection, parts: ClientParts) {
    this.#connection = connection;
    this.#parts = parts;
    this.#outbox = new Outbox(connection, parts.options.timers, () => this.#drop());
  }

  /** It said who it is, and is not on its way out. */
  get isKnown(): boolean {
    return this.#caller !== null && !this.#isEnding;
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
    // Nothing more comes in: what was asked is answered, the stream goes as far as its snapshot, and then this side ends too.
    await Promise.all([this.#caughtUp, ...this.#asked]);
    this.end();
    await this.#connection.closed;
    if (this.#caller?.role === "child") this.#parts.pod.hear(this.#caller.child, "left");
  }

  push(line: StreamLine): void {
    this.#outbox.push(line);
  }

  rotated(rotation: Rotation): void {
    this.#outbox.push(rotatedLine(rotation));
    this.#caughtUp = this.#catchUp(rotation.segment, 0);
  }

  /** Takes no more of the stream; what waits, and the answers to what was asked, still leave as far as the time for last lines allows. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#parts.hub.leave(this);
    this.#reader.forget();
    this.#parts.halfLines.keep(this, 0);
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

  giveUpLine(): void {
    const message = `All clients together have begun lines of more than ${halfLinesBytesMax} bytes, and this one's began first: send it again, at once.`;
    this.#refuse(null, { code: "busy", message });
  }

  async #read(endTimer: () => void): Promise<void> {
    const { halfLines } = this.#parts;
    for await (const bytes of this.#connection.incoming) {
      if (this.#isEnding) continue;
      try {
        for (const line of this.#reader.take(bytes)) {
          halfLines.keep(this, 0);
          if (this.#caller === null) {
            endTimer();
            await this.#welcome(line);
          } else await this.#take(this.#caller, line);
          if (this.#isEnding) break;
        }
        if (!this.#isEnding) halfLines.keep(this, this.#reader.kept);
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
    let caller: Caller | null;
    try {
      caller = await authorize(role, token);
    } catch (error) {
      // Closed all the same, but it says nothing about the token: where a file could not be read now, the next hello may be judged.
      const refusal = refusalOf(error, this.#parts.options.redact);
      return this.#refuse(id, refusal.cause === "io_failed" ? { ...refusal, code: "busy" } : refusal);
    }
    if (caller === null) {
      const message = "The token of this hello is not that of its role.";
      return this.#refuse(id, { code: "unauthorized", message });
    }
    if (stream && !streamRoles.has(role)) {
      const message = `A client with the role ${role} gets no stream: say hello with stream false.`;
      return this.#refuse(id, { code: "forbidden", message });
    }
    this.#caller = caller;
    this.#name = params.client ?? null;
    this.#reader.bytesMax = frameBytesMax;
    try {
      await this.#greet(id, params);
    } catch (error) {
      this.#refuse(id, refusalOf(error, this.#parts.options.redact));
    }
  }

  async #greet(id: string, { stream, after }: HelloParams): Promise<void> {
    const { pod } = this.#parts;
    this.#after = after !== undefined && (await this.#knows(after)) ? after : null;
    const { state, name } = pod;
    const { session, epoch } = state;
    const segment = this.#after?.segment ?? state.segment;
    const from = this.#after === null ? 0 : this.#after.seq + 1;
    const result: HelloResult = { protocol: protocolVersion, pod: name, session, segment, epoch, from };
    this.#outbox.push(responseLine({ id, result }));
    if (stream) this.#caughtUp = this.#catchUp(segment, from);
  }

  /** The Pod was at that place. */
  async #knows({ segment, seq }: Cursor): Promise<boolean> {
    const { pod } = this.#parts;
    if (segment === pod.state.segment) return seq <= pod.state.lastSeq;
    const [next] = (await pod.since(segment)) ?? [];
    return next !== undefined && seq <= next.left.seq;
  }

  /** Resolves when another line may be taken: a client that sends faster than it reads waits for itself, and for nobody else. */
  async #take(caller: Caller, line: Uint8Array): Promise<void> {
    const answered = this.#answer(caller, line);
    this.#asked.add(answered);
    void answered.then(() => this.#asked.delete(answered));
    while (this.#asked.size >= clientRequestsMax) await Promise.race(this.#asked);
  }

  async #answer(caller: Caller, line: Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const reply = (answer: StreamLine) => this.push({ ...answer, left: resolve });
    const call = read(() => readRequest(line));
    if (call instanceof BadRequest) reply(responseLine({ id: call.id, error: call.error }));
    else await this.#parts.desk.answer(caller, call, reply);
    await promise;
  }

  /**
   * Nothing is queued for a client that catches up: the next records are read when it took the ones before. In the instant in which it was given the
   * last one on record, and without waiting for anything, it gets the snapshot and is among those who are told what happens. A segment that the Pod left
   * meanwhile, or long ago, is given to its end before the one that came after it.
   */
  async #catchUp(from: string, seq: number): Promise<void> {
    const { pod, hub, options } = this.#parts;
    let segment = from;
    let next = seq;
    try {
      while (!this.#isEnding && !this.#outbox.isOver) {
        if (segment === pod.state.segment) {
          if (next > pod.state.lastSeq) {
            hub.join(this);
            return;
          }
          next = await this.#give(segment, next, Infinity);
          // The last piece need not have left: it waits as what follows it does.
          if (segment !== pod.state.segment || next <= pod.state.lastSeq) await this.#outbox.drained();
          continue;
        }
        const [rotation] = (await pod.since(segment)) ?? [];
        if (rotation === undefined)
          throw new Error(`the Pod is not on the segment ${segment} and never left it`);
        while (next <= rotation.left.seq && !this.#isEnding && !this.#outbox.isOver) {
          next = await this.#give(segment, next, rotation.left.seq);
          await this.#outbox.drained();
        }
        this.#outbox.push(rotatedLine(rotation));
        segment = rotation.segment;
        next = 0;
      }
    } catch (error) {
      this.#refuse(null, refusalOf(error, options.redact));
    }
  }

  /** Gives a piece of the records from `seq` on, none behind `through`. Resolves with the seq behind the piece. */
  async #give(segment: string, seq: number, through: number): Promise<number> {
    const { pod } = this.#parts;
    const read = await pod.records({ segment, seq, bytesMax: catchUpBytes, orOne: false });
    const records = read.filter((record) => record.seq <= through);
    if (records.length === 0) {
      await this.#giveLarge(segment, seq);
      return seq + 1;
    }
    this.#outbox.push(pieceOf(records.map((record) => entryLine(segment, record))));
    return seq + records.length;
  }

  /** A record that alone has more than `catchUpBytes`. */
  async #giveLarge(segment: string, seq: number): Promise<void> {
    const { largeRecords, pod } = this.#parts;
    const place = `${segment}/${seq}`;
    const made = async () => {
      const records = await pod.records({ segment, seq, bytesMax: catchUpBytes, orOne: true });
      if (records.length === 0) throw noRecord(segment, seq);
      return pieceOf(records.slice(0, 1).map((record) => entryLine(segment, record)));
    };
    for (;;) {
      const line = largeRecords.hold(place, made);
      if (line === null) await largeRecords.room;
      else {
        try {
          this.#outbox.push(await line);
          await this.#outbox.drained();
        } finally {
          largeRecords.release(place);
        }
        return;
      }
      if (this.#isEnding) return;
    }
  }

  /** Too slow: what waits is thrown away, and it is told where it was. */
  #drop(): void {
    if (this.#isEnding) return;
    this.#parts.options.dropped?.(this.#name);
    this.#endWith(streamEndLine(this.#outbox.place ?? this.#after));
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

/** Fewer are there than its successor says. */
function noRecord(segment: string, seq: number): YoiError {
  return new YoiError("log_damaged", `The log of the segment ${segment} has no entry ${seq} any more.`);
}

/** Counted as one line among those that wait. */
function pieceOf(lines: readonly StreamLine[]): StreamLine {
  const [first] = lines;
  if (lines.length === 1 && first !== undefined) return first;
  return { bytes: Buffer.concat(lines.map(({ bytes }) => bytes)), place: lines.at(-1)?.place ?? null };
}
