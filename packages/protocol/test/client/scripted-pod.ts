/** A Pod's side of the protocol by a script, over connections in memory: what it says, where it is cut off, and what it was asked. */
import type { Connection, HelloParams, PodView, Request, StreamEvent } from "../../src/index.ts";
import { encodeLine, frameBytesMax, LineReader } from "../../src/index.ts";
import type { LogEntry, Random, Timers } from "@yoi/base";
import { connectionPair } from "../../../../test/support/connection-pair.ts";
import { view } from "../support/sample-lines.ts";

export const segment = view.segment;

export function entry(seq: number): LogEntry {
  return { seq, batch: seq, ts: 1, kind: "extension", domain: "test", payload: `entry ${seq}` };
}

export function entryEvent(seq: number): Extract<StreamEvent, { readonly event: "entry" }> {
  return { event: "entry", entry: entry(seq) };
}

export function liveEvent(n: number): Extract<StreamEvent, { readonly event: "live" }> {
  return { event: "live", n, live: { type: "turn", turn: n } };
}

export function alertEvent(n: number): Extract<StreamEvent, { readonly event: "live" }> {
  return { event: "live", n, live: { type: "alert", level: "warn", source: "test", message: `${n}`, at: n } };
}

export function snapshotEvent(
  changed: Partial<PodView>,
): Extract<StreamEvent, { readonly event: "snapshot" }> {
  return { event: "snapshot", view: { ...view, epoch: 1, seq: 0, n: 0, alerts: [], ...changed } };
}

export function welcome(
  changed: { readonly segment?: string; readonly epoch?: number; readonly from?: number } = {},
): Uint8Array {
  const result = { protocol: 1, pod: "p", session: view.session, segment, epoch: 1, from: 0, ...changed };
  return encodeLine({ id: "hello", result });
}

/** One connection as the Pod has it. */
export interface Served {
  readonly hello: HelloParams;
  readonly connection: Connection;
  /** Lines, events, or bytes of any kind. */
  say(...lines: readonly (Parameters<typeof encodeLine>[0] | Uint8Array)[]): Promise<void>;
  /** The next request behind the hello; null: the client has gone. */
  next(): Promise<Exclude<Request, { readonly method: "hello" }> | null>;
}

/** `serve` plays the connections one after the other, from 0; each ends when it returns. */
export function scriptedPod(serve: (served: Served, index: number) => Promise<void>): {
  readonly connect: () => Promise<Connection>;
  readonly hellos: readonly HelloParams[];
} {
  const hellos: HelloParams[] = [];
  let connections = 0;
  const connect = async (): Promise<Connection> => {
    const index = connections;
    connections += 1;
    const { client, server } = connectionPair();
    const requests = requestsOf(server);
    const play = async () => {
      const first = (await requests.next()).value;
      if (first?.method !== "hello") return;
      hellos.push(first.params);
      await serve(
        {
          hello: first.params,
          connection: server,
          say: async (...lines) => {
            for (const line of lines)
              await server.write(line instanceof Uint8Array ? line : encodeLine(line));
          },
          next: async () => {
            const { value } = await requests.next();
            return value === undefined || value.method === "hello" ? null : value;
          },
        },
        index,
      );
    };
    // A client that has gone is not this side's failure.
    void play()
      .catch(() => {})
      .then(() => server.destroy());
    return client;
  };
  return { connect, hellos };
}

async function* requestsOf(connection: Connection): AsyncGenerator<Request, void, void> {
  const reader = new LineReader(frameBytesMax);
  for await (const piece of connection.incoming) {
    for (const line of reader.take(piece)) yield JSON.parse(Buffer.from(line).toString()) as Request;
  }
}

/** Keeps a connection until the client has gone. */
export async function stay(served: Served): Promise<void> {
  while ((await served.next()) !== null);
}

export interface RecordingTimers {
  readonly timers: Timers;
  readonly sleptMs: readonly number[];
}

/** Time that passes at once. */
export function instantTimers(): RecordingTimers {
  const sleptMs: number[] = [];
  return {
    sleptMs,
    timers: {
      after: () => {
        throw new Error("not used");
      },
      sleep: async (delayMs, signal) => {
        sleptMs.push(delayMs);
        await new Promise<void>((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
      },
    },
  };
}

export const middling: Random = { next: () => 0.5 };

/** `again` for tests: at once, for as long as `until` says. */
export function atOnce(until: () => boolean = () => true) {
  return { timers: instantTimers().timers, random: middling, until };
}

export const userHello = async () => ({ role: "user", token: "t", client: "test", stream: true }) as const;
