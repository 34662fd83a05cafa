/** ChildrenSpent: what a Pod's children and theirs have used, as their logs say. What was known once is never less again, also where a child is removed. */
import {
  addSpent,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  noSpent,
  type SessionId,
  type Spent,
} from "@yoi/base";
import type { PodRecord, PodStore } from "@yoi/pod-store";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { SegmentSpent } from "../usage/segment-spent.ts";
import { inParallel } from "./in-parallel.ts";
import { depthMax } from "./lender.ts";
import { isMeant, type PodRef } from "./same-pod.ts";

export interface ChildrenSpentStores {
  readonly sessions: Pick<SessionStore, "readBehind" | "writtenMs">;
  readonly pods: Pick<PodStore, "read">;
}

/** Logs that are read at a time. */
const logsAtOnceMax = 4;

/** How far a child's active segment is read. */
interface Reading {
  readonly ref: SegmentRef;
  readonly spent: SegmentSpent;
}

export class ChildrenSpent {
  readonly #stores: ChildrenSpentStores;
  readonly #readings = new Map<SessionId, Reading>();
  /** Of each child with all below it, by session: names are given anew. */
  readonly #known: Map<string, Spent>;
  #last: Promise<unknown> = Promise.resolve();

  /** @param recorded the last record of it in the Pod's own log; null: there is none. */
  constructor(stores: ChildrenSpentStores, recorded: JsonValue | null) {
    this.#stores = stores;
    this.#known = new Map(recordedSpent(recorded));
  }

  /** Of all of them together. */
  get total(): Spent {
    return [...this.#known.values()].reduce(addSpent, noSpent);
  }

  /** Of one child and those below it, as its log says now. Throws what the stores throw. */
  of(child: PodRef): Promise<Spent> {
    return this.#oneAtATime(() => this.#lookAt(child));
  }

  /** Looks at every child's log anew. Throws what the stores throw. */
  async lookAt({ children, reclaimed }: Pick<PodRecord, "children" | "reclaimed">): Promise<void> {
    await this.#oneAtATime(() =>
      inParallel([...children, ...reclaimed], logsAtOnceMax, (child) => this.#lookAt(child)),
    );
  }

  /** What is known, without those that still work: as it is recorded. */
  record(working: readonly PodRef[]): JsonObject {
    const isWorking = (session: string) => working.some((one) => one.session === session);
    const kept = [...this.#known].filter(([session]) => !isWorking(session));
    return {
      sessions: Object.fromEntries(kept.map(([session, spent]) => [session, spentJson(spent)])),
    };
  }

  /** Two that read the same log on would count what is new twice. */
  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }

  async #lookAt(child: PodRef): Promise<Spent> {
    const spent = await this.#look(child, 1);
    const known = this.#known.get(child.session);
    if (known !== undefined && known.requests > spent.requests) return known;
    this.#known.set(child.session, spent);
    return spent;
  }

  /** The child's own, with that of all below it. */
  async #look(child: PodRef, depth: number): Promise<Spent> {
    const stored = await this.#stores.pods.read(child.name);
    if (!isMeant(stored, child)) return this.#readings.get(child.session)?.spent.total ?? noSpent;
    if (stored.pointer.state === "pending") return noSpent;
    const own = await this.#read(stored.pointer);
    if (own === null) return noSpent;
    const below = depth >= depthMax ? [] : [...stored.children, ...stored.reclaimed];
    let sum = own.total;
    for (const one of below) sum = addSpent(sum, await this.#look(one, depth + 1));
    // Those that it does not keep in mind any more.
    for (const [session, spent] of recordedSpent(own.children))
      if (!below.some((one) => one.session === session)) sum = addSpent(sum, spent);
    return sum;
  }

  /** Null: a child that has just begun has no log yet. */
  async #read({ session, segment }: SegmentRef): Promise<SegmentSpent | null> {
    const before = this.#readings.get(session);
    const isSame = before?.ref.segment === segment;
    const reading = isSame ? before : { ref: { session, segment }, spent: new SegmentSpent() };
    const { ref, spent } = reading;
    if ((await this.#stores.sessions.writtenMs(ref)) === null) return null;
    this.#readings.set(session, reading);
    for await (const { entries } of this.#stores.sessions.readBehind(ref, spent.entries - 1))
      for (const entry of entries) spent.take(entry);
    return spent;
  }
}

function spentJson({ usage, ...counts }: Spent): JsonObject {
  return { ...counts, usage: { ...usage } };
}

function recordedSpent(recorded: JsonValue | null): readonly (readonly [string, Spent])[] {
  if (!isJsonObject(recorded) || !isJsonObject(recorded["sessions"])) return [];
  return Object.entries(recorded["sessions"]).flatMap(([session, value]) =>
    isJsonObject(value) && isJsonObject(value["usage"]) ? [[session, readSpent(value, value["usage"])]] : [],
  );
}

function readSpent(spent: JsonObject, usage: JsonObject): Spent {
  const count = (from: JsonObject, name: string): number => {
    const found = from[name];
    return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : 0;
  };
  return {
    requests: count(spent, "requests"),
    usage: {
      input_tokens: count(usage, "input_tokens"),
      output_tokens: count(usage, "output_tokens"),
      cache_read_tokens: count(usage, "cache_read_tokens"),
      cache_write_tokens: count(usage, "cache_write_tokens"),
      reasoning_tokens: count(usage, "reasoning_tokens"),
    },
    cost_nano_usd: count(spent, "cost_nano_usd"),
    unpriced_requests: count(spent, "unpriced_requests"),
    turns: count(spent, "turns"),
    run_ms: count(spent, "run_ms"),
  };
}
