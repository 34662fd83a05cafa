/** Pods whose logs are written at random, over rotations, rewinds and compactions, beside a plain list of what each record says was used. */
import {
  addEstimate,
  addSpent,
  type EntryBody,
  type LlmRequest,
  logSchema,
  noProjection,
  noSpent,
  podName,
  type PodName,
  segmentId,
  type SegmentId,
  sessionId,
  type Spent,
  type Usage,
} from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import type { ParentLink } from "@yoi/pod-store";
import { createReplay, type Replay, type SegmentWriter } from "@yoi/session-store";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { planSegment, withIds } from "../../src/history/segment-plan.ts";

/** Whole numbers from 0 to below `max`, the same ones for a seed. */
export function randomOf(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

interface Open {
  writer: SegmentWriter;
  replay: Replay;
}

const opening = { metadataEpoch: 0, version: "0.0.0-sim" };

export class SpendingPod {
  readonly name: PodName;
  readonly session;
  readonly #host: MemoryHost;
  readonly #stores;
  readonly #random: (max: number) => number;
  #open: Open | null = null;
  /** Of every record, in whatever segment. */
  sum: Spent = noSpent;

  constructor(host: MemoryHost, name: string, random: (max: number) => number) {
    this.#host = host;
    this.#stores = simulatedStores(host, new Map());
    this.#random = random;
    this.name = podName(name);
    this.session = sessionId(host.ids.uuidV7());
  }

  async begin(parent?: ParentLink): Promise<this> {
    this.#open = await this.#create(this.#id());
    const pointer = { state: "active", ...this.#now.writer.ref } as const;
    await this.#stores.pods.create({
      name: this.name,
      pointer,
      manifest: {},
      ...(parent === undefined ? {} : { parent }),
    });
    return this;
  }

  get spent(): Spent {
    return this.#now.replay.state.spent;
  }

  /** A run with a few requests, some sent twice, some whose count never came. */
  async work(): Promise<void> {
    this.sum = addSpent(this.sum, await this.#run(this.#now));
  }

  /** History goes on in a new segment: all of it, or what was there at an earlier time. */
  async rotate(behind: readonly EntryBody[] = []): Promise<void> {
    const { writer, replay } = this.#now;
    const { ref, head } = writer;
    const origin = { segment_id: ref.segment, ...head };
    const { state } = replay;
    const { start, carried, ...rest } = planSegment({
      segment: this.#id(),
      from: behind.length > 0 ? "compacted_from" : "forked_from",
      origin,
      left: origin,
      at: state,
      now: state,
      items: withIds(state.items),
      started: [],
      states: {},
      projection: noProjection,
      measured: null,
      inbox: [],
      behind,
    });
    const created = await this.#stores.sessions.create(start, opening, { carried, behind: rest.behind });
    const next = createReplay();
    for (const entry of created.entries) next.apply(entry);
    this.#open = { writer: created.writer, replay: next };
    const record = await this.#stores.pods.read(this.name);
    if (record === null) throw new Error("its metadata is gone");
    await this.#stores.pods.update(this.name, record, {
      pointer: { state: "active", ...created.writer.ref },
    });
  }

  /** A compactor works in a segment of its own. What came of it is a new segment, or nothing. */
  async compact(outcome: "committed" | "failed"): Promise<void> {
    const segment = this.#id();
    await this.#append({ kind: "compaction_begun", trigger: "threshold", compactor: segment, tokens: 1 });
    const compactor = await this.#create(segment, true);
    const spent = await this.#run(compactor);
    this.sum = addSpent(this.sum, spent);
    const compacted: EntryBody = {
      kind: "compacted",
      trigger: "threshold",
      outcome,
      compactor: segment,
      spent,
      tokens_before: 1,
      tokens_after: null,
      items_before: 1,
      items_after: null,
      items_kept: null,
    };
    if (outcome === "committed") await this.rotate([compacted]);
    else await this.#append(compacted);
  }

  get #now(): Open {
    if (this.#open === null) throw new Error("it has not begun");
    return this.#open;
  }

  #id(): SegmentId {
    return segmentId(this.#host.ids.uuidV7());
  }

  async #create(segment: SegmentId, isCompactor = false): Promise<Open> {
    const { writer, entries } = await this.#stores.sessions.create(
      {
        schema: logSchema,
        session_id: this.session,
        segment_id: segment,
        config: { model: "scripted/s.yaml" },
        prompt: "p",
        documents: [],
        turn_count: 0,
        states: {},
        ...(isCompactor ? { purpose: "compaction" as const } : {}),
      },
      opening,
    );
    const replay = createReplay();
    for (const entry of entries) replay.apply(entry);
    return { writer, replay };
  }

  #append(...bodies: readonly EntryBody[]): Promise<void> {
    return append(this.#now, bodies);
  }

  async #run(open: Open): Promise<Spent> {
    let sum = noSpent;
    const begunMs = this.#host.clock.now();
    await append(open, [{ kind: "invoke", trigger: "user_send" }]);
    for (let left = 1 + this.#random(3); left > 0; left -= 1) {
      await this.#host.advance(this.#random(5_000));
      await append(open, [request]);
      const { seq } = open.writer.head;
      await this.#host.advance(this.#random(5_000));
      if (this.#random(4) === 0) sum = addSpent(sum, await this.#sent(open, seq, 1));
      if (this.#random(5) === 0) {
        // Its process died: nobody knows what it cost.
        sum = addEstimate({ ...sum, unpriced_requests: sum.unpriced_requests + 1 }, request.estimate);
        continue;
      }
      sum = addSpent(sum, await this.#sent(open, seq));
      await append(open, [{ kind: "turn_end", turn_count: open.replay.state.turnCount + 1 }]);
      sum = { ...sum, turns: sum.turns + 1 };
    }
    await append(open, [{ kind: "run_completed", result: "finished" }]);
    return { ...sum, run_ms: this.#host.clock.now() - begunMs };
  }

  async #sent(open: Open, request: number, attempt?: number): Promise<Spent> {
    const usage: Usage = {
      input_tokens: this.#random(10_000),
      output_tokens: this.#random(1_000),
      cache_read_tokens: this.#random(5_000),
      cache_write_tokens: this.#random(500),
      reasoning_tokens: this.#random(100),
    };
    const cost = this.#random(3) === 0 ? undefined : this.#random(1_000_000);
    await append(open, [
      {
        kind: "llm_usage",
        request,
        ...(attempt === undefined ? {} : { attempt }),
        usage,
        ...(cost === undefined ? {} : { cost_nano_usd: cost }),
        finish: "stop",
      },
    ]);
    const unpriced_requests = cost === undefined ? 1 : 0;
    return { ...noSpent, requests: 1, usage, cost_nano_usd: cost ?? 0, unpriced_requests };
  }
}

async function append({ writer, replay }: Open, bodies: readonly EntryBody[]): Promise<void> {
  for (const entry of await writer.append(bodies)) replay.apply(entry);
}

const request: LlmRequest = {
  kind: "llm_request",
  through: 0,
  items: 0,
  projection: noProjection,
  tools: "t",
  config: { model: "scripted/s.yaml" },
  adapter: { name: "a", version: "1" },
  lowering: 1,
  digest: "d",
  wire: { sha256: "0".repeat(64), bytes: 100, method: "POST", path: "/", headers: {} },
  estimate: { tokens: 25, cost_nano_usd: 50 },
};

/** A Pod with two children, one of which has one; each works, rotates and compacts at random. */
export async function spendingFamily(seed: number) {
  const host = memoryHost({ seed });
  const random = randomOf(seed);
  const { pods } = simulatedStores(host, new Map());
  const lead = await new SpendingPod(host, "lead", random).begin();
  const below = async (parent: SpendingPod, name: string, depth: number): Promise<SpendingPod> =>
    new SpendingPod(host, name, random).begin({
      pod: parent.name,
      session: parent.session,
      depth,
      token: "t",
    });
  const a = await below(lead, "a", 1);
  const b = await below(lead, "b", 1);
  const aa = await below(a, "aa", 2);
  const all = [lead, a, b, aa];
  for (let step = 0; step < 12; step += 1) {
    const pod = all[random(all.length)] ?? lead;
    const what = random(6);
    if (what === 0) await pod.rotate();
    else if (what === 1) await pod.compact(random(2) === 0 ? "committed" : "failed");
    else await pod.work();
  }
  return { host, pods, lead, a, b, aa, all };
}
