/** A log and its hub, as a Pod has them: the real fold, plan of a segment and hub, and what happens is said by a test. */
import {
  type EntryBody,
  entryId,
  type LogEntry,
  noCost,
  noProjection,
  noUsage,
  podName,
  type RequestConfig,
  segmentId,
  sessionId,
  type SystemItem,
} from "@yoi/base";
import { type Live, type PodState, type PodView, readPodLine, type Rotation } from "@yoi/protocol";
import { createReplay, type Replay, replay, type SessionState } from "@yoi/session-store";
import { pendingOf } from "../../../../pod/src/approval/pending.ts";
import { planSegment, withIds } from "../../../../pod/src/history/segment-plan.ts";
import { Hub } from "../../../../pod/src/serve/hub.ts";
import { rotationOf } from "../../../../pod/src/serve/segment-trail.ts";
import type { ServedPod } from "../../../../pod/src/serve/served-pod.ts";
import type { SessionEvent } from "../../../src/session/session.ts";

type Watcher = Parameters<ServedPod["watch"]>[0];

export const name = podName("sim");
const about: PodView["about"] = {
  version: "0",
  model: "scripted/a",
  workspace: "/w",
  sandbox: "on",
  network: false,
  permission_mode: "allow-in-scope",
  writes: ".",
  tools: [],
};
const config: RequestConfig = { model: "scripted/a" };
const session = sessionId("01920000-0000-7000-8000-000000000001");

interface Segment {
  readonly id: string;
  readonly rotation: Rotation | null;
  readonly entries: LogEntry[];
}

/** One that follows, from its first line on. */
export interface Follower {
  tell(event: SessionEvent): void;
}

export class LogRig {
  readonly segments: Segment[] = [];
  #replay: Replay = createReplay();
  #hub: Hub;
  #watcher: Watcher | null = null;
  #drive: PodState = "idle";
  #title: string | null = null;
  readonly #followers = new Set<Follower>();
  /** Of commands that go on, by their id. */
  readonly #outputs = new Map<string, string>();

  constructor() {
    this.segments.push({ id: this.#newSegment(), rotation: null, entries: [] });
    const { id } = this.#segment;
    this.#write([
      {
        kind: "segment_start",
        schema: 1,
        session_id: session,
        segment_id: segmentId(id),
        config,
        prompt: "p",
        documents: [],
        turn_count: 0,
        states: {},
        carried: 0,
      },
      { kind: "segment_ready" },
      { kind: "opened", epoch: 1, version: "0" },
    ]);
    this.#hub = this.#hosted();
  }

  get state(): SessionState {
    return this.#replay.state;
  }

  get view(): PodView {
    return this.#hub.view;
  }

  /** All that somebody is told who comes now, and has seen nothing, or `after` so many entries of that segment. */
  attach(after: { readonly segment: number; readonly entries: number } | null = null): SessionEvent[] {
    const events: SessionEvent[] = [];
    for (const [at, { rotation, entries }] of this.segments.entries()) {
      if (after !== null && at < after.segment) continue;
      const from = after !== null && at === after.segment ? after.entries : 0;
      if (rotation !== null && from === 0 && !(after === null && at === 0))
        events.push({ type: "rotated", rotation });
      for (const entry of entries.slice(from)) events.push({ type: "entry", entry });
    }
    events.push({ type: "snapshot", view: this.view });
    return events;
  }

  get place() {
    return { segment: this.segments.length - 1, entries: this.#segment.entries.length };
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** How many entries at the end of the segment are not how it begins. */
  get leavable(): number {
    const { entries } = this.#segment;
    return entries.length - entries.findIndex(({ kind }) => kind === "opened") - 1;
  }

  drives(state: PodState): void {
    this.#drive = state;
    this.say({ type: "state", state });
  }

  titled(title: string | null): void {
    this.#title = title;
    this.say({ type: "title", title });
  }

  /** A command of the user writes. */
  writes(id: string, text: string): void {
    this.#outputs.set(id, (this.#outputs.get(id) ?? "") + text);
    this.say({ type: "command_output", id, text });
  }

  /**
   * @param back how many entries from the end on are left behind, where history goes back; at most `leavable`.
   * @param behind what comes right behind the beginning.
   */
  rotate(from: "compacted_from" | "forked_from", back: number, ...behind: readonly EntryBody[]): void {
    const { state: now } = this;
    const { entries, id: segment } = this.#segment;
    const at = back === 0 ? now : replay(entries.slice(0, entries.length - back));
    const left = { segment_id: segmentId(segment), seq: now.lastSeq, sum: "0" };
    const id = this.#newSegment();
    const kept = withIds(at.items);
    const items =
      from === "forked_from"
        ? kept
        : [
            { id: entryId(now.generation + 1, 1), item: systemItem("summary", `of ${now.lastSeq}`).item },
            ...keptBehind(kept),
          ];
    const plan = planSegment({
      segment: segmentId(id),
      from,
      origin: { ...left, seq: at.lastSeq },
      left,
      at,
      now,
      items,
      started: at.unanswered.filter(({ started }) => started).map(({ call }) => call),
      states: {},
      projection: noProjection,
      measured: null,
      inbox: now.inbox,
      behind: from === "forked_from" ? [systemItem("lineage", "went back"), ...behind] : behind,
    });
    this.#replay = createReplay();
    const { start, carried } = plan;
    const bodies: readonly EntryBody[] = [
      { kind: "segment_start", ...start, carried: carried.length },
      ...carried,
      { kind: "segment_ready" },
      { kind: "opened", epoch: now.epoch, version: "0" },
      ...plan.behind,
    ];
    const made = bodies.map((body, seq) => ({ ...body, seq, batch: 0, ts: seq }) as LogEntry);
    const rotation = rotationOf(made);
    this.segments.push({ id, rotation, entries: [] });
    this.#write(bodies);
    this.#drive = this.state.run.state === "paused" ? "paused" : "idle";
    this.#watcher?.rotated(made);
    this.#tell({ type: "rotated", rotation });
    for (const entry of made) this.#tell({ type: "entry", entry });
    this.#join(this.#hub);
  }

  /** The process dies; another one takes the log. Whoever follows connects again. */
  restart(): void {
    const { epoch, run } = this.state;
    const { place } = this;
    this.#hub.close();
    const dead = this.state.commands.map(({ id, command }): EntryBody => {
      const item = systemItem(
        "user_command",
        `The user ran this command in the workspace:\n${command}\nIt ended: outcome unknown.\nIt wrote nothing.`,
      ).item;
      return {
        kind: "inbox_accepted",
        item: { ...item, record: { command: id, end: "unknown", exit: null } },
        quiet: true,
      };
    });
    this.#write([
      { kind: "opened", epoch: epoch + 1, version: "0" },
      ...dead,
      ...(run.state === "running"
        ? [{ kind: "run_paused", reason: "interrupted", detail: "d" } as const]
        : []),
    ]);
    this.#drive = this.state.run.state === "paused" ? "paused" : "idle";
    this.#outputs.clear();
    this.#tell({ type: "disconnected", why: "gone" });
    for (const entry of this.#segment.entries.slice(place.entries)) this.#tell({ type: "entry", entry });
    this.#hub = this.#hosted();
  }

  /** A hub that this stream follows, for all that follow it. */
  #hosted(): Hub {
    const hub = new Hub(this.#served(), (text) => text);
    this.#join(hub);
    return hub;
  }

  #join(hub: Hub): void {
    hub.join({ push: ({ bytes }) => this.#heard(bytes), rotated: () => {} });
  }

  #heard(bytes: Uint8Array): void {
    const line = readPodLine(bytes.subarray(0, -1));
    if (!("event" in line)) throw new Error("an answer in the stream");
    switch (line.event) {
      case "entry":
        return this.#tell({ type: "entry", entry: line.entry });
      case "snapshot":
        return this.#tell({ type: "snapshot", view: line.view });
      case "live":
        return this.#tell({ type: "live", live: line.live, n: line.n });
      default:
        throw new Error(`a ${line.event} in the stream`);
    }
  }

  commit(
    bodies: readonly (
      | EntryBody
      | { readonly kind: string; readonly opaque: true; readonly fields: object }
    )[],
  ): void {
    const entries = this.#write(bodies as readonly EntryBody[]);
    this.#watcher?.committed(entries);
  }

  /** On record, and told by nobody. */
  #write(bodies: readonly EntryBody[]): readonly LogEntry[] {
    const { entries } = this.#segment;
    const batch = entries.length;
    const written = bodies.map(
      (body, at) => ({ ...body, seq: batch + at, batch, ts: batch + at }) as LogEntry,
    );
    for (const entry of written) {
      this.#replay.apply(entry);
      entries.push(entry);
    }
    return written;
  }

  say(live: Live): void {
    this.#hub.say(live);
  }

  /** What a hub may ask of the Pod, each time anew. */
  #served(): ServedPod {
    const now = {
      about: () => ({ ...about, model: this.state.config.model }),
      state: () => this.state,
      driveState: () => this.#drive,
      approvals: () => pendingOf(this.state, name),
      present: () => this.#present(),
    };
    const served = {
      name,
      alerts: [],
      watch: (watcher: Watcher) => {
        this.#watcher = watcher;
        return () => {
          this.#watcher = null;
        };
      },
    };
    for (const [key, get] of Object.entries(now)) Object.defineProperty(served, key, { get });
    return served as unknown as ServedPod;
  }

  #present() {
    const { commands } = this.state;
    const nothing = { usage: noUsage, cost: noCost };
    const going = commands.map(({ id, command }) => ({ id, command, output: this.#outputs.get(id) ?? "" }));
    return {
      ...(this.#title === null ? {} : { title: this.#title }),
      ...(going.length === 0 ? {} : { commands: going }),
      context: { tokens: 1, window: 10 },
      spent: { ...nothing, tree: nothing },
    };
  }

  #tell(event: SessionEvent): void {
    for (const follower of this.#followers) follower.tell(event);
  }

  get #segment(): Segment {
    const segment = this.segments.at(-1);
    if (segment === undefined) throw new Error("no segment");
    return segment;
  }

  #newSegment(): string {
    return `01920000-0000-7000-8000-0000000001${String(this.segments.length).padStart(2, "0")}`;
  }
}
/** What a compaction keeps whole: from the last input on. */
function keptBehind(items: ReturnType<typeof withIds>): ReturnType<typeof withIds> {
  const from = items.findLastIndex(({ item }) => item.type === "user_message");
  return from === -1 ? [] : items.slice(from);
}

export function systemItem(kind: SystemItem["kind"], body: string) {
  const item: SystemItem = { type: "system_item", kind, source: "host", body };
  return { kind: "system_item", item } as const;
}
