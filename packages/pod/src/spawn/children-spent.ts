/** ChildrenSpent: what a Pod's children and theirs have used, as their logs say. What was known once is never less again, also where a child is removed. */
import {
  addSpent,
  inParallel,
  type JsonObject,
  type JsonValue,
  noSpent,
  type SessionId,
  type Spent,
} from "@yoi/base";
import type { PodRecord, PodStore } from "@yoi/pod-store";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { isNothing, recordedSpent, spentJson } from "../usage/children-record.ts";
import { SegmentSpent } from "../usage/segment-spent.ts";
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
  /** Of children that the Pod does not keep in mind any more. */
  #earlier: Spent;
  #last: Promise<unknown> = Promise.resolve();

  /** @param recorded the last record of it in the Pod's own log; null: there is none. */
  constructor(stores: ChildrenSpentStores, recorded: JsonValue | null) {
    this.#stores = stores;
    const { sessions, earlier } = recordedSpent(recorded);
    this.#known = new Map(sessions);
    this.#earlier = earlier;
  }

  /** Of all of them together. */
  get total(): Spent {
    return [...this.#known.values()].reduce(addSpent, this.#earlier);
  }

  /** Of one child and those below it, as its log says now. Throws what the stores throw. */
  of(child: PodRef): Promise<Spent> {
    return this.#oneAtATime(() => this.#lookAt(child));
  }

  /** Looks at every child's log anew. Throws what the stores throw. */
  async lookAt({ children, reclaimed }: Pick<PodRecord, "children" | "reclaimed">): Promise<void> {
    await this.#oneAtATime(async () => {
      const below = [...children, ...reclaimed];
      await inParallel(below, logsAtOnceMax, (child) => this.#lookAt(child));
      for (const [session, spent] of this.#known) {
        if (below.some((one) => one.session === session)) continue;
        this.#known.delete(session);
        this.#earlier = addSpent(this.#earlier, spent);
      }
    });
  }

  /**
   * What is known, as it is recorded; of those that still work no more than is on record, so that they cost no write. Of no more sessions than a Pod
   * keeps in mind; what others used is one sum.
   */
  record(working: readonly PodRef[], recorded: JsonValue | null = null): JsonObject {
    const isWorking = (session: string) => working.some((one) => one.session === session);
    const before = [...recordedSpent(recorded).sessions].filter(([session]) => isWorking(session));
    const kept = [...this.#known].filter(([session, spent]) => !isWorking(session) && !isNothing(spent));
    return {
      sessions: Object.fromEntries(
        [...before, ...kept].map(([session, spent]) => [session, spentJson(spent)]),
      ),
      ...(isNothing(this.#earlier) ? {} : { earlier: spentJson(this.#earlier) }),
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
    const more = moreOf(spent, this.#known.get(child.session));
    this.#known.set(child.session, more);
    return more;
  }

  /** The child's own, with that of all below it. */
  async #look(child: PodRef, depth: number): Promise<Spent> {
    const stored = await this.#stores.pods.read(child.name);
    if (!isMeant(stored, child)) return this.#readings.get(child.session)?.spent.total ?? noSpent;
    if (stored.pointer.state === "pending") return noSpent;
    const own = await this.#read(stored.pointer);
    if (own === null) return noSpent;
    const below = depth >= depthMax ? [] : [...stored.children, ...stored.reclaimed];
    const { sessions, earlier } = recordedSpent(own.children);
    let sum = addSpent(own.total, earlier);
    for (const one of below) {
      const spent = await this.#look(one, depth + 1);
      sum = addSpent(sum, moreOf(spent, sessions.get(one.session)));
    }
    for (const [session, spent] of sessions)
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

/** A log that is gone says less than what was known of it. */
function moreOf(read: Spent, known: Spent = noSpent): Spent {
  return known.requests > read.requests ? known : read;
}
