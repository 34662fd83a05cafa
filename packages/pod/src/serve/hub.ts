/** Hub: one order of everything that happens in a Pod, said once to every client that has caught up. It waits for none of them. */
import { type EntryKind, entryId, idOf, type LogEntry } from "@yoi/base";
import type { Live, PodView, Rotation, RunEnded } from "@yoi/protocol";
import { jsonOfEntry, type SessionState } from "@yoi/session-store";
import { alertsMax } from "../alert/alerts.ts";
import type { PodEvent } from "../drive/pod-event.ts";
import { InFlightTracker } from "./in-flight.ts";
import { compactionOf, compactionWork, liveOf } from "./live-event.ts";
import { rotationOf } from "./segment-trail.ts";
import type { ServedPod } from "./served-pod.ts";
import { entryLine, liveLine, snapshotLine, type StreamLine } from "./stream-line.ts";
import { withTexts } from "./texts.ts";

/** Behind these the Pod has used more than before, or the next request is another one. */
const paidFor: ReadonlySet<string> = new Set<EntryKind>(["llm_usage", "compacted", "turn_rolled_back"]);

/** Takes a line at once, or not at all. Must not throw. */
export interface Follower {
  push(line: StreamLine): void;
  /** It was given every record of the segment before, and follows no more: it joins again once it has those of the new one. */
  rotated(rotation: Rotation): void;
}

export class Hub {
  readonly #pod: ServedPod;
  readonly #redact: (text: string) => string;
  readonly #followers = new Set<Follower>();
  readonly #inFlight = new InFlightTracker();
  readonly #alerts: PodView["alerts"][number][] = [];
  readonly #unwatch: () => void;
  #n = 0;
  #lastRun: RunEnded | null = null;

  constructor(pod: ServedPod, redact: (text: string) => string) {
    this.#pod = pod;
    this.#redact = redact;
    for (const alert of pod.alerts) this.#event({ type: "alert", alert });
    this.#unwatch = pod.watch({
      committed: (entries) => this.#committed(entries),
      event: (event) => this.#event(event),
      rotated: (entries) => this.#rotated(entries),
      shown: (live) => this.say(live),
    });
  }

  get view(): PodView {
    const { state, name, about, driveState, approvals, present } = this.#pod;
    return {
      pod: name,
      session: state.session,
      segment: state.segment,
      generation: state.generation,
      epoch: state.epoch,
      seq: state.lastSeq,
      n: this.#n,
      state: driveState,
      run: state.run.state === "running" ? entryId(state.generation, state.run.since) : null,
      about,
      in_flight: this.#inFlight.view,
      approvals,
      ...(state.compaction === null ? {} : { compaction: compactionWork(state.compaction) }),
      ...(driveState === "paused" ? pausedIn(state.run) : {}),
      waiting: state.inbox.length,
      ...queueOf(state),
      alerts: [...this.#alerts],
      last_run: this.#lastRun,
      ...withTexts(present, this.#redact),
    };
  }

  /**
   * For a follower that was given every record up to now. Between its snapshot and its first line nothing can happen: both are of this one call,
   * which waits for nothing.
   */
  join(follower: Follower): void {
    this.#followers.add(follower);
    follower.push(snapshotLine(this.view));
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
  }

  say(told: Live): void {
    // Also where nobody listens: a snapshot shows it to those who come.
    const live = withTexts(told, this.#redact);
    this.#n += 1;
    this.#inFlight.said(live);
    if (live.type === "alert") this.#keep({ ...live, n: this.#n });
    // One that was stopped before it was on record is the end of none.
    if (live.type === "run_ended" && live.run.run !== null) this.#lastRun = live.run;
    this.#push(() => liveLine(this.#n, live));
  }

  /** From here on nothing is heard of the Pod. */
  close(): void {
    this.#unwatch();
    this.#followers.clear();
  }

  #committed(entries: readonly LogEntry[]): void {
    const { segment } = this.#pod.state;
    for (const entry of entries) {
      this.#inFlight.committed(entry);
      const { seq, kind } = entry;
      this.#push(() => entryLine(segment, { seq, kind, json: jsonOfEntry(entry) }));
      this.#sayCompaction(entry);
    }
    if (entries.some(({ kind }) => paidFor.has(kind))) this.#saySpent();
  }

  #saySpent(): void {
    const { context, spent } = this.#pod.present;
    this.say({ type: "spent", context, spent });
  }

  /** What the new segment holds may be more than a follower may have waiting: each reads it as one that comes, at its own pace. */
  #rotated(entries: readonly LogEntry[]): void {
    for (const entry of entries) this.#sayCompaction(entry);
    this.#inFlight.rotated();
    const followers = [...this.#followers];
    this.#followers.clear();
    const rotation = rotationOf(entries);
    for (const follower of followers) follower.rotated(rotation);
  }

  #sayCompaction(entry: LogEntry): void {
    const live = compactionOf(entry);
    if (live !== null) this.say(live);
  }

  #event(event: PodEvent): void {
    const live = liveOf(event, this.#inFlight.request);
    if (live !== null) this.say(live);
  }

  #keep(alert: PodView["alerts"][number]): void {
    this.#alerts.push(alert);
    if (this.#alerts.length > alertsMax) this.#alerts.shift();
  }

  /** Encoded once for all, and not at all where nobody listens. */
  #push(encode: () => StreamLine): void {
    if (this.#followers.size === 0) return;
    const line = encode();
    for (const follower of this.#followers) follower.push(line);
  }
}

function pausedIn(run: SessionState["run"]): Pick<PodView, "paused"> {
  if (run.state !== "paused") return {};
  const { reason, until } = run;
  return { paused: until === null ? { reason } : { reason, until } };
}

function queueOf({ queue, queueHeld }: SessionState): Pick<PodView, "queue" | "queue_held"> {
  if (queue.length === 0) return {};
  return {
    queue: queue.map((one) => ({ id: idOf(one), when: one.when, parts: one.parts })),
    ...(queueHeld ? { queue_held: true } : {}),
  };
}
