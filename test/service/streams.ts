/** Clients that lose their connection at any time, on a Pod that is killed and restored under them. */
import assert from "node:assert/strict";
import { nodeHost, nodeSocketFiles } from "@yoi/host";
import { type Connection, openPodClient } from "@yoi/protocol";
import { connectTo } from "@yoi/protocol/node";
import { type SeededRandom, seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { Follower } from "./follower.ts";
import { type HostedPod, Hosting } from "./hosted.ts";
import type { Entry } from "./raw-client.ts";

const runsOfCase = 6;
const linesMax = 12;

/** Runs that take a while, so that kills and broken connections meet answers that are still coming. */
function scenario(): string {
  const step = `  - text: ${"The quick brown fox jumps over the lazy dog. ".repeat(4).trim()}\n    chunk: 16\n    pace_ms: 1\n`;
  return `steps:\n${step.repeat(4 * runsOfCase)}`;
}

/** Whoever waits for the Pod to be there again. */
class Up {
  #again = Promise.withResolvers<void>();
  #isUp = true;

  down(): void {
    this.#isUp = false;
    this.#again = Promise.withResolvers();
  }

  up(): void {
    this.#isUp = true;
    this.#again.resolve();
  }

  async wait(): Promise<void> {
    if (!this.#isUp) await this.#again.promise;
  }
}

interface Scene {
  readonly pod: HostedPod;
  readonly up: Up;
  readonly random: SeededRandom;
}

export interface StreamCase {
  readonly seed: number;
  readonly kills: number;
  /** False: the clients keep no cursor, which must be found out. */
  readonly keepsPlace?: boolean;
}

/** Two independent clients and the product's own, each broken off at random, while runs go on and the Pod is killed: each has the log's own sequence. */
export async function streamsSurvive({ seed, kills, keepsPlace = true }: StreamCase): Promise<void> {
  const random = seededRandom(seed);
  await using hosting = new Hosting();
  const pod = await hosting.startPod("streams", scenario());
  const up = new Up();
  const scene = { pod, up, random };
  using first = new Follower(pod, { keepsPlace });
  using second = new Follower(pod, { keepsPlace });
  const product = await openProduct(scene);
  let isOver = false;
  const wandering = Promise.all([first, second].map((follower) => wander(follower, scene, () => isOver)));
  // Where the work failed, that is the failure to tell.
  wandering.catch(() => {});
  try {
    await work(scene, kills);
  } finally {
    isOver = true;
    // Nothing comes from a Pod that is idle: whoever waits for more lines comes back, and sees that it is over.
    for (const follower of [first, second]) follower.drop();
  }
  await wandering;
  const log = pod.log();
  await product.upTo(log.length - 1);
  product.client.close();
  assert.ok(first.connections > 2 && second.connections > 2 && product.connections() > 1);
  for (const entries of [first.entries, second.entries, product.entries]) {
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      log.map(({ seq }) => seq),
    );
    assert.deepEqual(entries, log);
  }
}

/** Runs one after the other, each asked for again under its own name until it is on record; the Pod is killed in the middle of some. */
async function work({ pod, up, random }: Scene, kills: number): Promise<void> {
  const killedIn = new Set(Array.from({ length: kills }, (_, at) => Math.floor((at * runsOfCase) / kills)));
  for (let run = 0; run < runsOfCase; run += 1) {
    using client = await pod.client();
    await client.until("up to date", () => client.snapshot !== null);
    const { error } = await client.ask("submit", submission(run));
    assert.equal(error, undefined);
    const ended = () => client.entries.some(({ kind, seq }) => kind === "run_completed" && seq > begun);
    const begun = Number(client.snapshot?.["seq"]);
    if (!killedIn.has(run)) {
      await client.until("the run's end", ended);
      continue;
    }
    const lines = client.lines + random.below(3 * linesMax);
    await client.until("some of the run", () => client.lines >= lines || ended());
    up.down();
    await pod.kill9();
    await pod.restore();
    up.up();
  }
}

function submission(run: number): object {
  return { parts: [{ type: "text", text: `Run ${run}, please.` }], submission: `run-${run}` };
}

/** Reads a few lines, breaks off, comes back; until it is over, then up to date once more. */
async function wander(follower: Follower, { up, random }: Scene, isOver: () => boolean): Promise<void> {
  for (let isLast = false; !isLast;) {
    await up.wait();
    isLast = isOver();
    try {
      const client = await follower.client();
      const lines = 1 + random.below(linesMax);
      await client.until("some lines", () =>
        isLast ? client.snapshot !== null : client.lines >= lines || isOver(),
      );
    } catch (error) {
      // The Pod was killed under it: the log says whether anything is missing in the end.
      if (isLast) throw error;
    }
    follower.drop();
  }
}

/** The product's own client, whose connections break at random too. */
async function openProduct({ pod, random }: Scene) {
  const { timers } = nodeHost();
  const entries: Entry[] = [];
  let connections = 0;
  let told: () => void = () => undefined;
  const client = await openPodClient({
    connect: async () => {
      connections += 1;
      return brokenAfter(await connectTo(pod.socket, nodeSocketFiles), 1 + random.below(linesMax));
    },
    hello: async () => ({ role: "user", token: pod.token, client: "test", stream: true }),
    listener: {
      restarted: () => assert.equal(entries.length, 0, "the stream began anew in the same log"),
      entry: (entry) => {
        entries.push(entry as unknown as Entry);
        told();
      },
      omitted: () => assert.fail("an entry was left out"),
      snapshot: () => undefined,
      live: () => undefined,
    },
    again: { timers, random },
  });
  const upTo = (seq: number) =>
    new Promise<void>((resolve, reject) => {
      void client.closed.then((why) => reject(why ?? new Error("the client was closed")));
      told = () => {
        if ((entries.at(-1)?.seq ?? -1) >= seq) resolve();
      };
      told();
    });
  return { client, entries, upTo, connections: () => connections };
}

/** It is destroyed after so many pieces of what arrives. */
function brokenAfter(connection: Connection, pieces: number): Connection {
  const incoming = async function* () {
    let left = pieces;
    for await (const piece of connection.incoming) {
      yield piece;
      left -= 1;
      if (left === 0) connection.destroy();
    }
  };
  return {
    incoming: incoming(),
    closed: connection.closed,
    write: (bytes) => connection.write(bytes),
    end: () => connection.end(),
    destroy: () => connection.destroy(),
  };
}
