/** openPodClient: a client of one Pod, over as many connections as that takes. */
import { messageOf, type Random, type Timers, YoiError } from "@yoi/base";
import type { Connection } from "../connection.ts";
import { encodeLine } from "../encode-line.ts";
import {
  protocolVersion,
  type HelloParams,
  type MethodName,
  type Methods,
  type ProtocolError,
  type ProtocolErrorCode,
} from "../method.ts";
import { BadPodLine, type PodLine } from "../read-pod-line.ts";
import { readResult } from "../read-result.ts";
import type { Cursor } from "../snapshot.ts";
import { backoffMs } from "./backoff.ts";
import { Calls } from "./calls.ts";
import { Link } from "./link.ts";
import { ConnectionLost, RequestRefused, type PodClient, type StreamListener } from "./pod-client.ts";
import { StreamPlace } from "./stream-place.ts";

/** Who the client is, and whether it wants the stream. */
export type ClientHello = Omit<HelloParams, "protocol" | "after">;

export interface PodClientOptions {
  readonly connect: () => Promise<Connection>;
  /** Asked anew for each connection: the token may have changed. What it throws is as a Pod that cannot be reached. */
  readonly hello: () => Promise<ClientHello>;
  readonly listener?: StreamListener;
  /** What was told before. */
  readonly after?: Cursor;
  /** A hello that is not answered in so many milliseconds is as a Pod that cannot be reached: its process hangs; absent: it is waited for. */
  readonly helloTimeout?: { readonly timers: Timers; readonly ms: number };
  /** Another connection is tried, behind the last entry that was told, each time that one is over; absent: the first is the only one. */
  readonly again?: {
    readonly timers: Timers;
    readonly random: Random;
    /** False: nothing more is tried. Asked before each wait and before each connection. */
    readonly until?: () => boolean;
  };
}

/** Refusals of a connection that will not be others the next time. */
const finalCodes: ReadonlySet<ProtocolErrorCode> = new Set([
  "unauthorized",
  "forbidden",
  "protocol_unsupported",
  "invalid_request",
]);
/** And what a Pod failed at: its log is damaged, or gone. */
const finalCauses: ReadonlySet<string> = new Set(["log_damaged", "blob_damaged", "io_failed"]);
const helloId = "hello";
const silent: StreamListener = { entry: () => {}, snapshot: () => {}, live: () => {} };

/**
 * Resolves once the Pod answered the first hello. Throws what `connect` and `hello` throw, RequestRefused, and ConnectionLost: a Pod that cannot be
 * reached is only tried again once it was reached, or was lost while it answered.
 */
export async function openPodClient(options: PodClientOptions): Promise<PodClient> {
  const client = new ManyConnections(options);
  await client.opened;
  return client;
}

interface ConnectionEnd {
  readonly why: Error;
  readonly mayBeTriedAgain: boolean;
}

class ManyConnections implements PodClient {
  readonly closed: Promise<Error | null>;
  /** Resolves with the first hello's answer; rejects where there will be none. */
  readonly opened: Promise<void>;
  readonly #opening = Promise.withResolvers<void>();
  readonly #options: PodClientOptions;
  readonly #listener: StreamListener;
  readonly #calls = new Calls();
  readonly #place: StreamPlace;
  readonly #closing = new AbortController();
  #link: Link | null = null;
  #reached = false;
  /** Since something came of a connection. */
  #failures = 0;

  constructor(options: PodClientOptions) {
    this.#options = options;
    this.#listener = options.listener ?? silent;
    this.#place = new StreamPlace(this.#listener, options.after ?? null);
    this.opened = this.#opening.promise;
    this.closed = this.#live();
  }

  get ended(): boolean {
    return this.#calls.ended;
  }

  async call<M extends Exclude<MethodName, "hello">>(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]> {
    return await this.#calls.make(method, params);
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#calls.end(new ConnectionLost("The client was closed."));
    this.#link?.destroy();
  }

  async #live(): Promise<Error | null> {
    for (;;) {
      const { why, mayBeTriedAgain } = await this.#connectOnce();
      if (mayBeTriedAgain && (await this.#waited())) continue;
      this.#calls.end(why);
      this.#opening.reject(why);
      return this.#closing.signal.aborted ? null : why;
    }
  }

  /** False: nothing more is to be tried. */
  async #waited(): Promise<boolean> {
    const { again } = this.#options;
    const wanted = () => again?.until?.() ?? true;
    if (again === undefined || !wanted()) return false;
    const waitMs = backoffMs(this.#failures, again.random);
    this.#failures += 1;
    try {
      await again.timers.sleep(waitMs, this.#closing.signal);
    } catch {
      return false; // Closed.
    }
    return wanted();
  }

  /** From connecting to the end of the connection. */
  async #connectOnce(): Promise<ConnectionEnd> {
    let hello: ClientHello;
    let link: Link;
    try {
      hello = await this.#options.hello();
      link = new Link(await this.#options.connect());
    } catch (error) {
      return { why: asError(error), mayBeTriedAgain: this.#reached };
    }
    this.#link = link;
    if (this.#closing.signal.aborted) link.destroy();
    const end = await this.#converse(link, hello);
    this.#link = null;
    return end;
  }

  async #converse(link: Link, hello: ClientHello): Promise<ConnectionEnd> {
    const wait = helloWait(link, this.#options.helloTimeout);
    let welcomed = false;
    try {
      link.send(this.#helloLine(hello));
      const why = await link.read((line) => {
        wait.stop();
        if (this.#closing.signal.aborted) throw new ConnectionLost("The client was closed.");
        if (welcomed) this.#take(line);
        else this.#welcome(line, hello, link);
        welcomed = true;
      });
      if (wait.hasPassed()) return { why: notAnswered(why), mayBeTriedAgain: this.#reached };
      this.#calls.lost(why);
      if (welcomed && !this.#closing.signal.aborted) this.#listener.disconnected?.(why.message);
      return { why, mayBeTriedAgain: true };
    } catch (error) {
      // What is no refusal was thrown by the listener.
      const isRefusal = error instanceof RequestRefused;
      const mayBeTriedAgain = isRefusal && this.#reached && !isFinal(error.error);
      if (welcomed && mayBeTriedAgain) {
        this.#calls.lost(new ConnectionLost(error.message, { cause: error }));
        this.#listener.disconnected?.(error.message);
      }
      return { why: asError(error), mayBeTriedAgain };
    } finally {
      wait.stop();
    }
  }

  #helloLine(hello: ClientHello): Uint8Array {
    const after = this.#place.cursor;
    const params: HelloParams = {
      protocol: protocolVersion,
      ...hello,
      ...(hello.stream && after !== null ? { after } : {}),
    };
    return encodeLine({ id: helloId, method: "hello", params });
  }

  #welcome(line: PodLine, hello: ClientHello, link: Link): void {
    if ("error" in line) throw new RequestRefused(line.error);
    if ("event" in line || line.id !== helloId) {
      throw new BadPodLine("The Pod sent something else before it answered the hello.");
    }
    const result = readResult("hello", line.result);
    if (result.protocol !== protocolVersion) {
      throw new BadPodLine(`The Pod answered in protocol ${result.protocol}, not in ${protocolVersion}.`);
    }
    this.#place.begin(hello.stream ? result : null);
    this.#reached = true;
    this.#opening.resolve();
    this.#calls.connected((request) => link.send(request));
  }

  #take(line: PodLine): void {
    if (!("event" in line)) this.#calls.answered(line);
    else if (line.event === "resync")
      throw new ConnectionLost("The Pod dropped this client: it was too slow.");
    else this.#place.take(line);
    this.#failures = 0;
  }
}

/** Destroys the link when the time passes before `stop`. */
function helloWait(link: Link, timeout: PodClientOptions["helloTimeout"]) {
  let passed = false;
  const stop = timeout?.timers.after(timeout.ms, () => {
    passed = true;
    link.destroy();
  });
  return { stop: () => stop?.(), hasPassed: () => passed };
}

function isFinal({ code, cause }: ProtocolError): boolean {
  return finalCodes.has(code) || (code === "internal" && cause !== undefined && finalCauses.has(cause));
}

function notAnswered(cause: Error): YoiError {
  return new YoiError(
    "pod_unreachable",
    "The Pod's process took the connection and does not answer: it is stopped, hangs or is overloaded.",
    { cause },
  );
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}
