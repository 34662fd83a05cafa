/** A served log that goes on in segment after segment: the real gate, rotator and store, with what clients say of it in one order. */
import { segmentId, type EntryBody, type LogEntry } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import { openPodClient, type PodClient, type StreamListener } from "@yoi/protocol";
import { openParts } from "../../../../test/inbox/parts.ts";
import { memoryPlace } from "../../../../test/support/connection-pair.ts";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { Watchers } from "../../src/drive/watchers.ts";
import { planSegment, withIds } from "../../src/history/segment-plan.ts";
import { servePod } from "../../src/serve/pod-server.ts";
import { SegmentTrail } from "../../src/serve/segment-trail.ts";
import type { ServedPod } from "../../src/serve/served-pod.ts";
import { about, everybody, token } from "./support.ts";

export async function rotatingPod(host: MemoryHost) {
  const parts = await openParts({ host, scenario: "steps: []" });
  const { gate, rotator } = parts;
  const { sessions } = simulatedStores(host, new Map());
  const watchers = new Watchers(() => {});
  const trail = new SegmentTrail({ gate, sessions });
  const pod = {
    name: "p",
    about,
    driveState: "idle",
    alerts: [],
    approvals: [],
    get state() {
      return gate.state;
    },
    knowsSubmission: () => false,
    watch: (watcher: Parameters<ServedPod["watch"]>[0]) => watchers.watch(gate, watcher),
    since: (segment: string) => trail.since(segment),
    records: (from: Parameters<ServedPod["records"]>[0]) => trail.records(from),
  } as unknown as ServedPod;
  const place = memoryPlace();
  const { timers } = host;
  const redact = (said: string) => said;
  const server = await servePod(pod, {
    listen: place.listen,
    authorize: everybody,
    timers,
    redact,
    shutdown: () => {},
  });
  /** `<segment>/<seq>` of everything that was ever on record. */
  const { ref, head } = gate;
  const written = Array.from({ length: head.seq + 1 }, (_, seq) => `${ref.segment}/${seq}`);
  const wrote = (entries: readonly LogEntry[]) =>
    written.push(...entries.map(({ seq }) => `${gate.ref.segment}/${seq}`));
  gate.onCommit(wrote);
  gate.onRotate(wrote);
  const rotate = (from: "compacted_from" | "forked_from", behind: readonly EntryBody[] = []) =>
    rotator.rotate(({ ref: now, head: at, state }) => {
      const origin = { segment_id: now.segment, ...at };
      return planSegment({
        segment: segmentId(host.ids.uuidV7()),
        from,
        origin,
        left: origin,
        at: state,
        now: state,
        items: withIds(state.items),
        started: [],
        states: state.states,
        projection: state.projection,
        measured: null,
        inbox: state.inbox,
        behind,
      });
    });
  return { gate, rotate, place, server, written, close: () => server.close() };
}
export type RotatingPod = Awaited<ReturnType<typeof rotatingPod>>;

export const note = (body: string): EntryBody => ({
  kind: "system_item",
  item: { type: "system_item", kind: "notification", source: "test", body },
});

/** One that comes and goes, and keeps what it was told over all its connections. */
export class ComingClient {
  readonly seen: string[] = [];
  readonly wrong: string[] = [];
  readonly #pod: RotatingPod;
  #segment = "";
  #client: PodClient | null = null;
  #arrived = Promise.withResolvers<void>();

  constructor(pod: RotatingPod) {
    this.#pod = pod;
  }

  get isThere(): boolean {
    return this.#client !== null;
  }

  async come(): Promise<void> {
    const last = this.seen.at(-1)?.split("/");
    this.#arrived = Promise.withResolvers();
    this.#client = await openPodClient({
      connect: () => this.#pod.place.connect(),
      hello: async () => ({ role: "user", token, stream: true }),
      listener: this.#listener,
      ...(last === undefined ? {} : { after: { segment: last[0] ?? "", seq: Number(last[1]) } }),
    });
    void this.#client.closed.then((why) => {
      if (why !== null) this.wrong.push(why.message);
      this.#arrived.resolve();
    });
  }

  async go(): Promise<void> {
    this.#client?.close();
    await this.#client?.closed;
    this.#client = null;
  }

  /** Resolves with the snapshot of this connection. */
  arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  readonly #listener: StreamListener = {
    restarted: () => void this.wrong.push("the stream began anew"),
    rotated: ({ segment, left }) => {
      if (`${left.segment}/${left.seq}` !== this.seen.at(-1)) this.wrong.push(`left at ${left.seq}`);
      this.#segment = segment;
    },
    entry: ({ seq, ...entry }) => {
      if ("segment_id" in entry && seq === 0) this.#segment = entry.segment_id;
      this.seen.push(`${this.#segment}/${seq}`);
    },
    snapshot: ({ segment, seq }) => {
      if (`${segment}/${seq}` !== this.seen.at(-1)) this.wrong.push(`a snapshot at ${seq}`);
      if (segment === this.#pod.gate.ref.segment) this.#arrived.resolve();
    },
    live: () => {},
  };
}
