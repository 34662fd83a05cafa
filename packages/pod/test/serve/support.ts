/** A served Pod on a simulated machine, and clients that speak its lines. */
import assert from "node:assert/strict";
import { type LogEntry, podName, type Tool } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { Pod, PodServer } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import {
  type Connection,
  encodeLine,
  frameBytesMax,
  type HelloParams,
  LineReader,
  type Live,
  type PodAbout,
  type PodLine,
  type PodView,
  type ProtocolError,
  readPodLine,
  type Request,
} from "@yoi/protocol";
import { memoryPlace } from "../../../../test/support/connection-pair.ts";
import { openSimulated, type SimulatedOptions } from "../../../../test/support/simulated-pod.ts";
import { createAuthorizer } from "../../src/serve/authorizer.ts";
import type { Authorize, ServeOptions } from "../../src/serve/serve-options.ts";
import { tokenDigest } from "../../src/spawn/child-token.ts";

export const token = "the-token";
/** Who says hello with this token in the role of a child. */
export const child = podName("kid");
export const childToken = "the-token-of-the-kid";
export const about: PodAbout = {
  version: "0.0.0-sim",
  model: "scripted/sim.yaml",
  workspace: "/w",
  sandbox: "on",
  network: false,
  permission_mode: "allow-in-scope",
  tools: [],
};

export interface Served extends AsyncDisposable {
  readonly host: ReturnType<typeof memoryHost>;
  readonly leases: LeaseTable;
  readonly pod: Pod;
  readonly server: PodServer;
  readonly place: ReturnType<typeof memoryPlace>;
  /** How often a client asked for the end. */
  readonly shutdowns: { count: number };
}

export interface ServedOptions extends Omit<SimulatedOptions, "host" | "leases" | "tools" | "scenario"> {
  readonly host?: ReturnType<typeof memoryHost>;
  readonly leases?: LeaseTable;
  readonly scenario?: string;
  readonly tools?: readonly Tool[];
  readonly serve?: Partial<ServeOptions>;
}

export async function served(options: ServedOptions = {}): Promise<Served> {
  const host = options.host ?? memoryHost({ seed: 1 });
  const leases = options.leases ?? new Map();
  const pod = await openSimulated({ scenario: "steps: []", tools: [], ...options, host, leases });
  const place = memoryPlace();
  const shutdowns = { count: 0 };
  const server = await pod.serve({
    about,
    listen: place.listen,
    authorize: createAuthorizer({
      userToken: async () => token,
      childOf: (digest) => (digest === tokenDigest(childToken) ? child : null),
    }),
    timers: host.timers,
    redact: (text) => text,
    shutdown: () => (shutdowns.count += 1),
    ...options.serve,
  });
  return { host, leases, pod, server, place, shutdowns, [Symbol.asyncDispose]: () => pod.close() };
}

/** Everything that a connection was told, in order. Reads as fast as it can unless it is told to wait. */
export class LineClient {
  readonly connection: Connection;
  readonly lines: PodLine[] = [];
  readonly closed: Promise<void>;
  #woken = Promise.withResolvers<void>();
  #isOver = false;
  #id = 0;

  constructor(connection: Connection, { reads = true }: { readonly reads?: boolean } = {}) {
    this.connection = connection;
    this.closed = reads ? this.#read() : connection.closed;
  }

  static async hello(connection: Connection, hello: Partial<HelloParams> = {}): Promise<LineClient> {
    const client = new LineClient(connection);
    await client.send({ id: "hello", method: "hello", params: helloOf(hello) });
    await client.answer("hello");
    return client;
  }

  get entries(): readonly LogEntry[] {
    return this.lines.flatMap((line) => ("event" in line && line.event === "entry" ? [line.entry] : []));
  }
  get live(): readonly Live[] {
    return this.lines.flatMap((line) => ("event" in line && line.event === "live" ? [line.live] : []));
  }
  get view(): PodView | null {
    for (const line of this.lines) if ("event" in line && line.event === "snapshot") return line.view;
    return null;
  }

  send(request: Request): Promise<void> {
    return this.connection.write(encodeLine(request));
  }

  sendText(text: string): Promise<void> {
    return this.connection.write(Buffer.from(text));
  }

  /** The result of a request, or its error. */
  async ask(method: Request["method"], params: object = {}): Promise<unknown> {
    this.#id += 1;
    const id = `r${this.#id}`;
    await this.sendText(`${JSON.stringify({ id, method, params })}\n`);
    return this.answer(id);
  }

  async answer(id: string | null): Promise<unknown> {
    const line = await this.until((one) => "id" in one && one.id === id, `the answer to ${id}`);
    return "result" in line ? line.result : "error" in line ? line.error : assert.fail();
  }

  async error(id: string | null): Promise<ProtocolError> {
    const answer = await this.answer(id);
    assert.ok(typeof answer === "object" && answer !== null && "code" in answer, JSON.stringify(answer));
    return answer as ProtocolError;
  }

  /** The first line that is one of these, also among those that came already. */
  async until(is: (line: PodLine) => boolean, what: string): Promise<PodLine> {
    for (;;) {
      const found = this.lines.find(is);
      if (found !== undefined) return found;
      if (this.#isOver)
        assert.fail(`the connection ended before ${what}: ${JSON.stringify(this.lines.slice(-3))}`);
      await this.#woken.promise;
    }
  }

  snapshot(): Promise<PodLine> {
    return this.until((line) => "event" in line && line.event === "snapshot", "the snapshot");
  }

  liveOf<T extends Live["type"]>(type: T): Promise<PodLine> {
    return this.until((line) => "event" in line && line.event === "live" && line.live.type === type, type);
  }

  async #read(): Promise<void> {
    const reader = new LineReader(frameBytesMax);
    for await (const bytes of this.connection.incoming) {
      for (const line of reader.take(bytes)) this.lines.push(readPodLine(line));
      this.#wake();
    }
    this.#isOver = true;
    this.#wake();
    this.connection.end();
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }
}

export function helloOf(hello: Partial<HelloParams> = {}): HelloParams {
  return { protocol: 1, role: "user", token, stream: true, ...hello };
}

/** Lets everybody in who is no child. */
export const everybody: Authorize = async (role) => (role === "child" ? null : { role });

export const text = (said: string) => [{ type: "text" as const, text: said }];
