/** What a hosted Pod costs those who attach to it: a round trip, coming up to date, a flood of events with one client that reads nothing, and memory while it idles. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { floodAlone, floodScenario, submitFlood } from "../test/service/flood.ts";
import { type HostedPod, Hosting } from "../test/service/hosted.ts";
import { RawClient } from "../test/service/raw-client.ts";
import { growLog } from "./grow-log.ts";
import type { Counted } from "./service-process.ts";
import { summary, type Summary } from "./summary.ts";

export interface ServiceOptions {
  /** The launcher. */
  readonly command: string;
  readonly pings: number;
  /** In the log of the Pod that is attached to. */
  readonly entries: number;
  /** Deltas of the answer that is streamed. */
  readonly events: number;
  readonly idleMs: number;
  readonly runs: number;
}

export interface ServiceResults {
  readonly echoMs: { readonly pod: Summary; readonly bare: Summary };
  readonly attach: {
    readonly entries: number;
    readonly bytes: number;
    readonly ms: Summary;
    readonly readFileMs: Summary;
  };
  readonly flood: {
    readonly events: number;
    readonly perSecond: Summary;
    readonly barePerSecond: Summary;
    /** What the hosting process had resident at most in the flood, less what it had before. */
    readonly growthBytes: Summary;
    /** The same for the same run without clients. */
    readonly aloneBytes: Summary;
  };
  /** Of a Pod beside another one: the program's text is shared by the two. */
  readonly idle: { readonly privateBytes: Summary; readonly residentBytes: Summary };
}

/** Of each ping's text; an ordinary request is about that long. */
const pingChars = 64;
/** An unpaced answer comes all at once, and so many lines may wait for one client. */
const deltasOfStep = 2_000;
const oneAnswer = "steps:\n  - text: done\n";
const program = fileURLToPath(new URL("service-process.ts", import.meta.url));

export async function measureService(options: ServiceOptions): Promise<ServiceResults> {
  return {
    echoMs: await measureEcho(options),
    attach: await measureAttach(options),
    flood: await measureFlood(options),
    idle: await measureIdle(options),
  };
}

/** A process of `service-process.ts`, which is ready. */
class Other implements AsyncDisposable {
  readonly #child;
  readonly #lines;

  private constructor(args: readonly (string | number)[]) {
    this.#child = spawn(process.execPath, [program, ...args.map(String)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  static async start(...args: readonly (string | number)[]): Promise<Other> {
    const other = new Other(args);
    await other.said();
    return other;
  }

  async said(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("a process of the bench ended early");
    return JSON.parse(value) as unknown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

/** Each waits for the answer to the one before; the first tenth warms up and does not count. */
async function roundTripsMs(socket: Socket, line: Buffer, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  let answered: () => void = () => undefined;
  const onData = (piece: Buffer) => {
    if (piece.at(-1) === 10) answered();
  };
  socket.removeAllListeners("data").on("data", onData);
  for (let at = 0; at < count; at += 1) {
    const start = performance.now();
    await new Promise<void>((resolve) => {
      answered = resolve;
      socket.write(line);
    });
    times.push(performance.now() - start);
  }
  return times.slice(Math.floor(count / 10));
}

async function measureEcho({ command, pings }: ServiceOptions): Promise<ServiceResults["echoMs"]> {
  await using hosting = new Hosting({ command });
  const pod = await hosting.startPod("echo", oneAnswer);
  const ping = { id: "1", method: "ping", params: { text: "x".repeat(pingChars) } };
  const line = Buffer.from(`${JSON.stringify(ping)}\n`);
  using client = await pod.client({ stream: false });
  const ours = await roundTripsMs(client.socket, line, pings);
  const path = join(hosting.home.root, "bare.sock");
  await using _ = await Other.start("echo", path);
  using bare = await RawClient.connect(path);
  return { pod: summary(ours), bare: summary(await roundTripsMs(bare.socket, line, pings)) };
}

async function measureAttach({ command, entries, runs }: ServiceOptions): Promise<ServiceResults["attach"]> {
  await using hosting = new Hosting({ command });
  const pod = await hosting.startPod("long", oneAnswer);
  await pod.stop();
  const path = await growLog(hosting.home.home, "long", entries);
  await pod.restore();
  const ms: number[] = [];
  const readFileMs: number[] = [];
  let bytes = 0;
  for (let run = 0; run < runs * 5; run += 1) {
    const start = performance.now();
    using client = await pod.client();
    await client.until("the snapshot", () => client.snapshot !== null);
    ms.push(performance.now() - start);
    if (client.entries.length < entries) throw new Error(`only ${client.entries.length} entries came`);
    const readStart = performance.now();
    bytes = readFileSync(path).length;
    readFileMs.push(performance.now() - readStart);
  }
  return { entries, bytes, ms: summary(ms), readFileMs: summary(readFileMs) };
}

/** Answers whose text comes a character at a time: two clients get all of it, the third reads nothing. */
async function measureFlood(options: ServiceOptions): Promise<ServiceResults["flood"]> {
  const { command, events, runs } = options;
  const perSecond: number[] = [];
  const barePerSecond: number[] = [];
  const growthBytes: number[] = [];
  const aloneBytes: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await using alone = new Hosting({ command });
    aloneBytes.push(await floodAlone(await startFlood(alone, events)));
    await using hosting = new Hosting({ command });
    const pod = await startFlood(hosting, events);
    const { socket, token } = pod;
    await using first = await Other.start("read", socket, token);
    await using second = await Other.start("read", socket, token);
    await using _ = await Other.start("stall", socket, token);
    const before = pod.resident();
    const asked = Number(process.hrtime.bigint()) / 1e6;
    pod.forgetPeak();
    await submitFlood(pod);
    const counted = [await first.said(), await second.said()] as readonly Counted[];
    for (const { n } of counted)
      if (n === null || n < events) throw new Error(`a client got ${n} of ${events} events`);
    growthBytes.push(pod.peak() - before);
    const [one] = counted;
    if (one === undefined) throw new Error("nothing was counted");
    perSecond.push((events / (Math.max(...counted.map(({ lastMs }) => lastMs)) - asked)) * 1000);
    barePerSecond.push(await bareFlood(hosting, events, Math.round(one.bytes / one.lines)));
  }
  return {
    events,
    perSecond: summary(perSecond),
    barePerSecond: summary(barePerSecond),
    growthBytes: summary(growthBytes),
    aloneBytes: summary(aloneBytes),
  };
}

function startFlood(hosting: Hosting, events: number): Promise<HostedPod> {
  const deltas = Math.min(events, deltasOfStep);
  return hosting.startPod("flood", floodScenario({ steps: Math.ceil(events / deltas), deltas }));
}

/** As many lines of the same length from one process to two others, and nothing else. */
async function bareFlood({ home }: Hosting, events: number, lineBytes: number): Promise<number> {
  const path = join(home.root, "pour.sock");
  await using _ = await Other.start("pour", path, 2, events, lineBytes);
  await using first = await Other.start("drink", path);
  await using second = await Other.start("drink", path);
  const counted = [await first.said(), await second.said()] as readonly Counted[];
  const start = Math.min(...counted.map(({ firstMs }) => firstMs));
  return (events / (Math.max(...counted.map(({ lastMs }) => lastMs)) - start)) * 1000;
}

async function measureIdle({ command, idleMs, runs }: ServiceOptions): Promise<ServiceResults["idle"]> {
  const privateBytes: number[] = [];
  const residentBytes: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await using hosting = new Hosting({ command });
    await hosting.startPod("first", oneAnswer);
    const { pid } = await hosting.startPod("second", oneAnswer, ["--read-only"]);
    await delay(idleMs);
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const bytes = (key: string) =>
      Number(new RegExp(`^${key}:\\s+([0-9]+) kB$`, "m").exec(rollup)?.[1]) * 1024;
    privateBytes.push(bytes("Private_Clean") + bytes("Private_Dirty"));
    residentBytes.push(bytes("Rss"));
  }
  return { privateBytes: summary(privateBytes), residentBytes: summary(residentBytes) };
}
