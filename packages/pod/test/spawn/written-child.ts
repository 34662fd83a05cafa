/** A child as its parent finds it: metadata, and a log that the test writes as the child's process would. */
import {
  logSchema,
  podName,
  segmentId,
  sessionId,
  type EntryBody,
  type PodName,
  type SegmentId,
  type SegmentOrigin,
} from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import type { ActivePointer } from "@yoi/pod-store";
import type { SegmentWriter } from "@yoi/session-store";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";

export const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
export const finished: EntryBody = { kind: "run_completed", result: "finished" };

export const said = (text: string): EntryBody => ({
  kind: "assistant_item",
  request: 0,
  index: 0,
  item: { type: "assistant_message", text, status: "completed" },
});

export class WrittenChild {
  readonly name: PodName;
  readonly session;
  readonly #host: MemoryHost;
  #writer: SegmentWriter | null = null;
  #generation = 0;

  constructor(host: MemoryHost, name = "kid") {
    this.#host = host;
    this.name = podName(name);
    this.session = sessionId(host.ids.uuidV7());
  }

  /** The segment that it writes. */
  get segment(): string {
    return this.#open().ref.segment;
  }
  get lastSeq(): number {
    return this.#open().head.seq;
  }

  /** A segment of its own, and the name refers to it from then on. */
  async begin(
    from: { compacted_from?: SegmentOrigin; forked_from?: SegmentOrigin } = {},
    segment: SegmentId = segmentId(this.#host.ids.uuidV7()),
  ): Promise<this> {
    const { sessions, pods } = simulatedStores(this.#host, new Map());
    const before = await pods.read(this.name);
    const start = {
      schema: logSchema,
      session_id: this.session,
      segment_id: segment,
      config: { model: "scripted/kid.yaml", max_output_tokens: 1000 },
      prompt: "You are a child.",
      documents: [],
      turn_count: 0,
      states: {},
      ...from,
      ...(this.#writer === null ? {} : { left: this.origin, generation: (this.#generation += 1) }),
    };
    const { writer } = await sessions.create(start, { metadataEpoch: 0, version: "0.0.0-sim" });
    this.#writer = writer;
    const pointer: ActivePointer = { state: "active", ...writer.ref };
    if (before === null) await pods.create({ name: this.name, pointer, manifest: {} });
    else await pods.update(this.name, before, { pointer });
    return this;
  }

  /** Where it is, as the origin of the next segment. */
  get origin(): SegmentOrigin {
    const { ref, head } = this.#open();
    return { segment_id: ref.segment, ...head };
  }

  /** Returns the seq of the last one. */
  async append(...bodies: readonly EntryBody[]): Promise<number> {
    await this.#open().append(bodies);
    return this.lastSeq;
  }

  /** A run from its invoke to its end. */
  run(end: EntryBody = finished, begin: EntryBody = invoke): Promise<number> {
    return this.append(begin, end);
  }

  #open(): SegmentWriter {
    if (this.#writer === null) throw new Error("the child has no log yet");
    return this.#writer;
  }
}
